from __future__ import annotations

from calque.tune.problem import Vector
from calque.tune.sentence import Direction


class Sgd:
    """Steps of constant rate."""

    def __init__(self, rate: float) -> None:
        """Take the rate."""
        self.rate = rate

    def move(self, weights: Vector, direction: Direction) -> None:
        """Add the direction times the rate."""
        weights[direction.features] += self.rate * direction.values

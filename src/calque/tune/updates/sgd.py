from __future__ import annotations

import numpy as np

from calque.tune.problem import Vector
from calque.tune.sentence import Direction


class Sgd:
    """Steps of constant rate."""

    def __init__(self, rate: float | Vector) -> None:
        """Take the rate of all weights, or of each."""
        self.rate = rate

    def move(self, weights: Vector, direction: Direction) -> None:
        """Add the direction times the rate."""
        rate = self.rate[direction.features] if isinstance(self.rate, np.ndarray) else self.rate
        weights[direction.features] += rate * direction.values

from __future__ import annotations

from typing import Protocol

from calque.tune.problem import Vector
from calque.tune.sentence import Direction


class Update(Protocol):
    """How weights move in a direction; may remember, by column, what it has seen."""

    def move(self, weights: Vector, direction: Direction) -> None:
        """Change the weights of the direction's features, in place."""

from __future__ import annotations

from calque.tune.problem import Vector
from calque.tune.sentence import Direction


class PassiveAggressive:
    """The smallest step that mends the loss, up to a limit (Crammer et al. 2006)."""

    def __init__(self, most: float) -> None:
        """Take the longest step."""
        self.most = most

    def move(self, weights: Vector, direction: Direction) -> None:
        """Go as far as the loss asks."""
        features, values, loss = direction
        weights[features] += min(self.most, loss / float(values @ values)) * values

from __future__ import annotations

import numpy as np

from calque.tune.problem import Vector
from calque.tune.sentence import Direction


class AdaGrad:
    """Steps that shrink, feature by feature, with what it has moved before (Duchi et al. 2011).

    Rare features keep large steps, and features need no common scale.
    """

    def __init__(self, rate: float | Vector, n_features: int) -> None:
        """Take the rate of all weights or of each, and how many weights there are."""
        self.rate = rate
        self.squares = np.zeros(n_features)

    def move(self, weights: Vector, direction: Direction) -> None:
        """Add the direction over the root of all squares up to now."""
        features, values, _ = direction
        self.squares[features] += values**2
        rate = self.rate[features] if isinstance(self.rate, np.ndarray) else self.rate
        weights[features] += rate * values / np.sqrt(self.squares[features])

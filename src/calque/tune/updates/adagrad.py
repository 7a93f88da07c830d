from __future__ import annotations

import numpy as np

from calque.tune.problem import Vector
from calque.tune.sentence import Direction


class AdaGrad:
    """Steps that shrink, feature by feature, with what it has moved before (Duchi et al. 2011).

    Rare features keep large steps, and features need no common scale. With `l1`, a penalty on
    absolute weights, every step is followed by one towards 0, not beyond it (FOBOS).
    """

    def __init__(
        self, rate: float | Vector, n_features: int, *, l1: float | Vector = 0.0, least: float = 0.0
    ) -> None:
        """Take the rate and penalty of all weights or of each, and how many weights there are.

        `least` is added to what rates are divided by.
        """
        self.rate = np.broadcast_to(rate, n_features)
        self.l1 = np.broadcast_to(l1, n_features)
        self.least = least
        self.squares = np.zeros(n_features)

    def move(self, weights: Vector, direction: Direction) -> None:
        """Add the direction over the root of all squares up to now."""
        features, values, _ = direction
        self.squares[features] += values**2
        roots = np.sqrt(self.squares[features]) + self.least
        weights[features] += self.rate[features] * values / roots
        penalty = self.rate[features] * self.l1[features] / roots
        if penalty.any():
            weights[features] = shrunk(weights[features], penalty)


def shrunk(weights: Vector, by: Vector) -> Vector:
    """The weights, each nearer to 0 by so much, not beyond it."""
    return np.copysign(np.maximum(np.abs(weights) - by, 0.0), weights)

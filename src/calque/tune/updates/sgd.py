from __future__ import annotations

import numpy as np

from calque.tune.problem import Vector
from calque.tune.sentence import Direction
from calque.tune.updates.adagrad import shrunk


class Sgd:
    """Steps of constant rate; with a penalty `l1` on absolute weights, towards 0 after each."""

    def __init__(self, rate: float | Vector, *, l1: float | Vector = 0.0) -> None:
        """Take the rate and the penalty of all weights, or of each."""
        self.rate = rate
        self.l1 = l1

    def move(self, weights: Vector, direction: Direction) -> None:
        """Add the direction times the rate."""
        features = direction.features
        rate, l1 = (x[features] if isinstance(x, np.ndarray) else x for x in (self.rate, self.l1))
        weights[features] += rate * direction.values
        if np.any(l1):
            weights[features] = shrunk(weights[features], np.broadcast_to(rate * l1, len(features)))

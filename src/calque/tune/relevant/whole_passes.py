"""Passes whose sentences all meet the same weights: one step after each."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.tune.problem import Vector
from calque.tune.relevant.passes import CoreLoss
from calque.tune.updates.gradient import GradientRule


class WholePasses:
    """Weights that learn from lists of differences, a step along the sum of all directions a pass.

    For rules that compare one direction with the next, such as RPROP: those of single sentences
    have nothing to do with each other. `penalty` is the weight of the squared norm, per sentence.
    """

    def __init__(
        self,
        lists: _core.DifferenceLists,
        weights: Vector,
        n_dense: int,
        loss: CoreLoss,
        rule: GradientRule,
        *,
        penalty: float = 0.0,
        average: bool = True,
    ) -> None:
        """Begin with these weights, which are changed; the first `n_dense` are dense."""
        self._lists = lists
        self._weights = weights
        self._n_dense = n_dense
        self._loss = loss
        self._rule = rule
        self._penalty = penalty
        self._sum = np.zeros(len(weights)) if average else None
        self._n_passes = 0
        rule.grow(len(weights), n_dense)

    def learn(self, order: NDArray[np.int64], gains: Vector, n_truths: NDArray[np.int64]) -> None:
        """One step; the order of the sentences does not matter."""
        direction = np.zeros(len(self._weights))
        self._lists.add_directions(gains, n_truths, self._loss, self._weights, direction)
        if self._penalty:
            direction -= 2 * self._penalty * len(order) * self._weights
        self._rule.step(self._weights, direction, self._n_dense, threads=1)
        self._n_passes += 1
        if self._sum is not None:
            self._sum += self._weights

    @property
    def result(self) -> Vector:
        """The mean of the weights over all passes, or the last where none is kept."""
        if self._sum is None or not self._n_passes:
            return self._weights.copy()
        return self._sum / self._n_passes

    def best(self, weights: Vector, threads: int) -> NDArray[np.int64]:
        """The first candidate of highest score of every sentence."""
        return self._lists.best(weights, threads)

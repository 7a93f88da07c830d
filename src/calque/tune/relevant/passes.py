"""Passes over lists in random order: weights, their mean, and what an update rule remembers."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.tune.problem import Vector

CoreLoss: TypeAlias = _core.CostmarginLoss | _core.PerceptronLoss
CoreUpdate: TypeAlias = _core.SgdUpdate | _core.AdaGradUpdate | _core.PassiveAggressiveUpdate


def first_squares(rule: CoreUpdate, n: int) -> Vector | None:
    """What a rule with shrinking rates remembers of so many weights before it has moved them."""
    return np.zeros(n) if isinstance(rule, _core.AdaGradUpdate) else None


class Passes:
    """Weights that learn from lists of differences, one pass after the other.

    The first `n_dense` weights are of dense features, the others of sparse ones. `shrink` are the
    factors by which the two kinds shrink at every sentence.
    """

    def __init__(
        self,
        lists: _core.DifferenceLists,
        weights: Vector,
        n_dense: int,
        loss: CoreLoss,
        rule: CoreUpdate,
        *,
        shrink: tuple[float, float] = (1.0, 1.0),
        average: bool = True,
        squares: Vector | None = None,
    ) -> None:
        """Begin with these weights, which are changed; so are `squares`, if there are some."""
        self._lists = lists
        self.weights = weights
        self._n_dense = n_dense
        self._loss = loss
        self._rule = rule
        self._shrink = shrink
        self._lag = np.zeros(len(weights)) if average else None
        self._squares = first_squares(rule, len(weights)) if squares is None else squares
        self._times = np.zeros(2)
        self._n_seen = 0

    def learn(self, order: NDArray[np.int64], gains: Vector, n_truths: NDArray[np.int64]) -> None:
        """Move the weights on the sentences of the order, one after the other."""
        dense, sparse = self._shrink
        self._lists.learn(
            order,
            gains,
            n_truths,
            self._loss,
            self._rule,
            dense,
            sparse,
            self.weights,
            self._times,
            self._lag,
            self._squares,
        )
        self._n_seen += len(order)

    @property
    def result(self) -> Vector:
        """The mean of the weights over all sentences up to now, or the last where none is kept."""
        if self._lag is None or not self._n_seen:
            return self.weights.copy()
        mean: Vector = self.weights * self._times[1]
        mean[: self._n_dense] = self.weights[: self._n_dense] * self._times[0]
        mean -= self._lag
        mean /= self._n_seen
        return mean

    def best(self, weights: Vector, threads: int) -> NDArray[np.int64]:
        """The first candidate of highest score of every sentence."""
        return self._lists.best(weights, threads)

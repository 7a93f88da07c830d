from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque.hyps import Lists
from calque.metrics.metric import Metric
from calque.parallel import Engine

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """What one update is asked: candidates, a metric, what may move, and by which randomness."""

    lists: Lists
    metric: Metric
    free: NDArray[np.bool_]
    """Which weights may move."""
    size: float
    """The sum of the absolute free dense weights at the start: the scale to keep."""
    rng: np.random.Generator
    threads: int
    is_first: bool = True
    """Whether the weights are those of the start, whose scale is arbitrary."""
    start: Callable[[], Vector] | None = None
    """Gives the weights that the training started from."""
    on_disk: bool = False
    """Whether memory has no room for another copy of the candidates."""
    n_truths: NDArray[np.int64] | None = None
    """How many of the first candidates of each sentence are truths, where some were sought."""
    engine: Engine | None = None
    """Where learners work if an update has several; with `threads` here if there is none."""

    @property
    def sign(self) -> float:
        """1 where a higher score is better, otherwise -1."""
        return 1.0 if self.metric.higher_is_better else -1.0

    def score(self, weights: Vector) -> float:
        """The corpus score of the choice under these weights."""
        chosen = self.lists.statistics[self.lists.best(weights)]
        return float(self.metric.score(chosen.sum(axis=0)))

    def scaled(self, weights: Vector) -> Vector:
        """The weights with the free ones brought to the scale of the start.

        The dense ones tell the scale: it must not depend on how many sparse features there are.
        """
        n_dense = self.lists.n_dense
        size = float(np.abs(weights[:n_dense][self.free[:n_dense]]).sum())
        if not np.isfinite(size) or size == 0:
            return weights
        return np.where(self.free, weights * (self.size / size), weights)

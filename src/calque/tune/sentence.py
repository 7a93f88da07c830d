from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque.hyps import Lists
from calque.tune.problem import Vector


class Direction(NamedTuple):
    """Where weights should go for the sake of one sentence; only a few have a part in it."""

    features: NDArray[np.int64]
    """Each once: dense features, then columns of sparse ones behind them."""
    values: Vector
    loss: float
    """How wrong the weights are about this sentence."""


@dataclass(frozen=True, eq=False)
class Sentence:
    """The candidates of one sentence as a loss sees them, numbered from 0."""

    lists: Lists
    number: int
    gains: Vector
    """What each candidate is worth; higher is better."""

    @property
    def rows(self) -> slice:
        """Where they stand in the lists."""
        return slice(self.lists.offsets[self.number], self.lists.offsets[self.number + 1])

    def scores(self, weights: Vector) -> Vector:
        """The score of every candidate."""
        lists, rows = self.lists, self.rows
        scores = np.einsum("ij,j->i", lists.dense[rows], weights[: lists.n_dense])
        for at in range(rows.start, rows.stop):
            features, values = self._sparse(at)
            scores[at - rows.start] += (weights[features] * values).sum()
        return np.asarray(scores)

    def direction(
        self, better: int, worse: int, loss: float, free: NDArray[np.bool_]
    ) -> Direction | None:
        """The features of one candidate minus those of another, where they differ and may move."""
        first = self.rows.start
        dense = self.lists.dense[first + better] - self.lists.dense[first + worse]
        (plus, gained), (minus, lost) = self._sparse(first + better), self._sparse(first + worse)
        features, places = np.unique(np.concatenate([plus, minus]), return_inverse=True)
        sums = np.bincount(places, np.concatenate([gained, -lost]), len(features))
        features = np.concatenate([np.arange(self.lists.n_dense), features])
        values = np.concatenate([dense, sums])
        kept = (values != 0) & free[features]
        return Direction(features[kept], values[kept], loss) if kept.any() else None

    def _sparse(self, row: int) -> tuple[NDArray[np.int64], Vector]:
        entries = slice(self.lists.row_offsets[row], self.lists.row_offsets[row + 1])
        columns = self.lists.columns[entries].astype(np.int64)
        return columns + self.lists.n_dense, self.lists.values[entries].astype(np.float64)

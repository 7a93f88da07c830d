from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque.hyps import Lists
from calque.tune.problem import Vector

DUST = 1e-12
"""A sum that is smaller than this share of its terms is what rounding left of nothing."""


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
    n_truths: int = 0
    """The first candidates, one of which should win; 0: any may."""

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

    def truths(self, scores: Vector, every: bool, near: int = 0) -> list[int]:
        """All truths, or the best of them; without truths the best of all candidates.

        With `near` it is the best of so many candidates of highest score, which small changes of
        the weights reach. Of equally good ones the best is that of highest score: it takes the
        smallest update.
        """
        if every and self.n_truths:
            return list(range(self.n_truths))
        rows = list(range(self.n_truths or len(self.gains)))
        if near and not self.n_truths:
            rows = sorted(sorted(rows, key=lambda row: -scores[row])[:near])
        return [max(rows, key=lambda row: (self.gains[row], scores[row]))]

    def direction(
        self, better: int, worse: int, loss: float, free: NDArray[np.bool_]
    ) -> Direction | None:
        """The features of one candidate minus those of another, where they differ and may move."""
        return self.mixture([(better, 1.0), (worse, -1.0)], loss, free)

    def mixture(
        self, shares: Sequence[tuple[int, float]], loss: float, free: NDArray[np.bool_]
    ) -> Direction | None:
        """The sum of the features of candidates by their shares, where it is not 0 and may move.

        What rounding leaves of terms that cancel is 0: rules that look at signs would follow it.
        """
        n_dense, first = self.lists.n_dense, self.rows.start
        dense, sizes = np.zeros(n_dense), np.zeros(n_dense)
        columns, parts = [np.empty(0, np.int64)], [np.empty(0)]
        for row, share in shares:
            terms = share * self.lists.dense[first + row]
            dense += terms
            sizes += np.abs(terms)
            sparse_columns, values = self._sparse(first + row)
            columns.append(sparse_columns)
            parts.append(share * values)
        features, places = np.unique(np.concatenate(columns), return_inverse=True)
        entries = np.concatenate(parts)
        sums = np.bincount(places, entries, len(features))
        sizes = np.concatenate([sizes, np.bincount(places, np.abs(entries), len(features))])
        features = np.concatenate([np.arange(n_dense), features])
        values = np.concatenate([dense, sums])
        kept = (np.abs(values) > DUST * sizes) & free[features]
        return Direction(features[kept], values[kept], loss) if kept.any() else None

    def _sparse(self, row: int) -> tuple[NDArray[np.int64], Vector]:
        entries = slice(self.lists.row_offsets[row], self.lists.row_offsets[row + 1])
        columns = self.lists.columns[entries].astype(np.int64)
        return columns + self.lists.n_dense, self.lists.values[entries].astype(np.float64)

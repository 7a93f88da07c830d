from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from calque._core import best_candidates, sparse_scores
from calque.text.mapped import forget

AT_ONCE = 1 << 24
"""Sparse features that are in memory at a time where lists are in mapped files."""
SENTENCES = 1 << 14
"""Whose dense features are compared at a time: this takes three times their memory."""


class PackedTexts(Sequence[str]):
    """Texts without line breaks in one array of bytes, decoded one by one when asked for."""

    def __init__(self, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        """Take UTF-8 bytes; text i is `data[offsets[i]:offsets[i + 1]]`."""
        self.data = data
        self.offsets = offsets

    @classmethod
    def of(cls, texts: Iterable[str]) -> PackedTexts:
        """These texts, packed."""
        encoded = [text.encode() for text in texts]
        offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        at %= len(self)
        return self.data[self.offsets[at] : self.offsets[at + 1]].tobytes().decode()


@dataclass(frozen=True, eq=False)
class Lists:
    """Candidates of consecutive sentences, as arrays that the kernels take; maybe mapped ones."""

    dense_names: tuple[str, ...]
    keys: NDArray[np.uint64]
    """Of the sparse features by column; weights are in the order of both."""
    offsets: NDArray[np.int64]
    """Candidates of sentence s are `offsets[s]:offsets[s + 1]`, in order of arrival."""
    dense: NDArray[np.float64]
    row_offsets: NDArray[np.int64]
    """Sparse features of candidate i are `columns[row_offsets[i]:row_offsets[i + 1]]`."""
    columns: NDArray[np.int32]
    values: NDArray[Any]
    """uint8 where all are small counts, otherwise float64."""
    statistics: NDArray[np.float64]
    n_words: NDArray[np.int32]
    texts: PackedTexts

    def __len__(self) -> int:
        return len(self.dense)

    def __repr__(self) -> str:
        return (
            f"<Lists: {len(self):,} candidates of {self.n_sentences:,} sentences,"
            f" {self.n_dense} dense and {len(self.keys):,} sparse features>"
        )

    @property
    def n_sentences(self) -> int:
        """The number of lists."""
        return len(self.offsets) - 1

    @property
    def n_dense(self) -> int:
        """The number of dense features."""
        return len(self.dense_names)

    @property
    def n_features(self) -> int:
        """The length of a vector of weights."""
        return self.n_dense + len(self.keys)

    def spread(self) -> NDArray[np.float64]:
        """How much each dense feature varies within lists (root mean square); 1 if it does not."""
        sums = np.zeros((1, self.n_dense))
        for first in range(0, self.n_sentences, SENTENCES):
            offsets = self.offsets[first : first + SENTENCES + 1]
            dense, lengths = self.dense[offsets[0] : offsets[-1]], np.diff(offsets)
            begins, lengths = (offsets[:-1] - offsets[0])[lengths > 0], lengths[lengths > 0]
            means = np.add.reduceat(dense, begins) / lengths[:, None]
            squares = (dense - np.repeat(means, lengths, axis=0)) ** 2
            # Row by row, so that the pieces change no bit.
            sums = np.add.reduce(np.concatenate([sums, squares]), axis=0, keepdims=True)
        spread = np.sqrt(sums[0] / len(self))
        return np.where(spread > 0, spread, 1.0)

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of every candidate; `weights` of the dense features, then of the sparse."""
        # Not BLAS: how it groups sums depends on threads and machine.
        scores: NDArray[np.float64] = np.einsum("ij,j->i", self.dense, weights[: self.n_dense])
        if len(self.values):
            sparse = np.ascontiguousarray(weights[self.n_dense :])
            for rows in self._runs():
                begin, end = self.row_offsets[rows.start], self.row_offsets[rows.stop]
                offsets = self.row_offsets[rows.start : rows.stop + 1] - begin
                entries = self.columns[begin:end], self.values[begin:end]
                scores[rows] += sparse_scores(offsets, *entries, sparse)
                forget(self.columns, self.values)
        return scores

    def _runs(self) -> Iterator[slice]:
        """All rows, some at a time, with so many entries that memory has room for them."""
        first = 0
        while first < len(self):
            most = self.row_offsets[first] + AT_ONCE
            last = int(np.searchsorted(self.row_offsets, most, "right")) - 1
            last = max(last, first + 1)
            yield slice(first, last)
            first = last

    def best(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """The first candidate of highest score of every sentence."""
        return best_candidates(self.offsets, self.scores(weights))

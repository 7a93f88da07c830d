from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque._core import FeatureIndex, RowSet
from calque.config import TASK_DEFAULTS
from calque.decode import CandidateLists
from calque.errors import FileError
from calque.features import SparseWeights, Weights
from calque.hyps.lists import Lists, PackedTexts
from calque.hyps.part import Part, small
from calque.hyps.store import CandidateStore

Measure: TypeAlias = Callable[[list[str], NDArray[np.int64]], NDArray[np.float64]]
"""A row of statistics for every text, which translates the sentence of the same place."""


class CandidatePool:
    """Distinct candidates per sentence, growing round by round.

    Candidates of equal words and equal features are one. The order is that of arrival, so the same
    lists in the same order give the same pool bit for bit. Sparse features get columns as they
    appear; vectors of weights hold the dense features, then the columns.
    """

    def __init__(
        self,
        n_sentences: int,
        dense_names: Sequence[str],
        *,
        folder: Path | None = None,
        memory_mb: int = TASK_DEFAULTS.memory_mb,
    ) -> None:
        """Begin with empty lists; where they are kept is as in `CandidateStore`."""
        self.n_sentences = n_sentences
        self.dense_names = tuple(dense_names)
        self._index = FeatureIndex()
        self._keys = np.empty(0, np.uint64)
        self._seen = RowSet()
        self.store = CandidateStore(
            n_sentences, self.dense_names, self.keys, folder=folder, memory_mb=memory_mb
        )

    def __len__(self) -> int:
        return len(self.store)

    def keys(self) -> NDArray[np.uint64]:
        """Of the sparse features by column."""
        if len(self._keys) < len(self._index):
            self._keys = np.concatenate([self._keys, self._index.keys(len(self._keys))])
        return self._keys

    def reserve(self, weights: Weights) -> None:
        """Give the sparse features of weights their columns, even where no candidate has them."""
        self.reserve_keys(weights.sparse.to_arrays()["keys"])

    def reserve_keys(self, keys: NDArray[np.uint64]) -> None:
        """Give sparse features their columns."""
        self._index.add(keys)

    def columns(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        """The columns of features that have one."""
        return self._index.add(keys)

    def add(
        self,
        lists: CandidateLists,
        statistics: NDArray[np.float64] | Measure,
        *,
        first: int = 0,
        name: str = "0",
    ) -> int:
        """The number of candidates that were new; the lists are of the sentences from `first` on.

        `statistics` has a row per candidate, or gives the rows of texts: those of new ones only.
        `name` is what the store calls the part.
        """
        n = len(lists.texts)
        sentences = np.repeat(np.arange(first, first + len(lists.lengths)), lists.lengths)
        dense = lists.dense + 0.0  # no negative zero: equal is equal in bytes
        offsets, keys, values = _canonical(lists)
        seen = self._seen.add(sentences, list(lists.texts), dense, offsets, keys, values)
        rows, is_new = np.flatnonzero(seen), seen.astype(bool)
        lengths = np.diff(offsets)
        if len(rows) < n:
            entries = np.repeat(is_new, lengths)
            keys, values = keys[entries], values[entries]
        texts, where = [lists.texts[at] for at in rows.tolist()], sentences[rows]
        measured = (
            statistics[rows] if isinstance(statistics, np.ndarray) else statistics(texts, where)
        )
        before = len(self._index)
        columns = self._index.add(keys)
        packed = PackedTexts.of(texts)
        if not len(rows):
            return 0
        part = Part(
            sentences=where,
            dense=dense[rows],
            row_offsets=np.concatenate([[0], np.cumsum(lengths[rows])]).astype(np.int64),
            columns=columns,
            values=small(values),
            statistics=measured,
            n_words=np.array([len(text.split()) for text in texts], np.int32),
            text_data=packed.data,
            text_offsets=packed.offsets,
            new_keys=self._index.keys(before),
        )
        self.store.append(part, name)
        return len(rows)

    def load(self, path: Path) -> Part:
        """Add a part that an earlier pool of the same kind has stored, without looking for equals.

        `reserve` must have been told the same before the first part as it was then.
        """
        part = self.store.load(path)
        self._index.add(part.new_keys)
        if len(part.columns) and part.columns.max() >= len(self._index):
            raise FileError(path, "not a part of this pool: it has columns of other parts")
        if len(part) and part.sentences[-1] >= self.n_sentences:
            raise FileError(path, "not a part of this pool: it has sentences of a longer text")
        if part.dense.shape[1] != len(self.dense_names):
            raise FileError(path, "not a part of this pool: it has other dense features")
        keys = self.keys()[part.columns]
        values = part.values.astype(np.float64)
        texts = list(part.texts)
        self._seen.add(part.sentences, texts, part.dense, part.row_offsets, keys, values)
        return part

    def lists(self) -> Lists:
        """Everything in the pool by sentence."""
        return self.store.lists()

    def vector(self, weights: Weights) -> NDArray[np.float64]:
        """The weights in the order of vectors; those that are absent are 0."""
        dense = [weights.get(name, 0.0) for name in self.dense_names]
        return np.concatenate([dense, weights.sparse.lookup(self.keys())])

    def weights(self, vector: NDArray[np.float64]) -> Weights:
        """The weights of a vector; sparse ones of 0 are left out."""
        n_dense = len(self.dense_names)
        values = vector[n_dense:].astype(np.float32)
        kept = np.flatnonzero(values)
        sparse = SparseWeights.from_arrays(self.keys()[kept], values[kept])
        dense = zip(self.dense_names, vector[:n_dense].tolist(), strict=True)
        return Weights(dict(dense), sparse)


def _canonical(
    lists: CandidateLists,
) -> tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.float64]]:
    """Offsets, keys and values of the sparse features: keys rise in a row, no value is 0.

    What a row has twice is added up.
    """
    offsets, keys = lists.sparse.offsets, lists.sparse.keys
    values = lists.sparse.counts.astype(np.float64)
    falls = np.flatnonzero(keys[1:] < keys[:-1]) + 1
    if not np.isin(falls, offsets).all():
        rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        order = np.lexsort((keys, rows))
        keys, values = keys[order], values[order]
    repeats = np.flatnonzero(keys[1:] == keys[:-1]) + 1
    repeats = repeats[~np.isin(repeats, offsets)]
    if len(repeats):
        is_first = np.ones(len(keys), bool)
        is_first[repeats] = False
        values = np.add.reduceat(values, np.flatnonzero(is_first))
        offsets, keys = _of_kept(is_first, offsets), keys[is_first]
    if not values.all():
        kept = values != 0
        offsets, keys, values = _of_kept(kept, offsets), keys[kept], values[kept]
    return offsets, keys, values


def _of_kept(kept: NDArray[np.bool_], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Offsets that divide the kept entries as `offsets` divide all."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(kept, dtype=np.int64)])[offsets]

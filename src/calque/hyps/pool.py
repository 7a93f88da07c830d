from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque._core import RowSet, best_candidates
from calque.errors import FileError
from calque.hyps.nbest import NBest

Measure: TypeAlias = Callable[[list[str], NDArray[np.int64]], NDArray[np.float64]]
"""A row of statistics for every text, which translates the sentence of the same place."""


@dataclass(frozen=True, eq=False)
class Lists:
    """All candidates of a pool by sentence, as arrays that the kernels take."""

    names: tuple[str, ...]
    """The dense features, then the sparse ones: the order of weights."""
    offsets: NDArray[np.int64]
    """Candidates of sentence s are `offsets[s]:offsets[s + 1]`, in order of arrival."""
    dense: NDArray[np.float64]
    row_offsets: NDArray[np.int64]
    """Sparse features of candidate i are `columns[row_offsets[i]:row_offsets[i + 1]]`."""
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    statistics: NDArray[np.float64]
    n_words: NDArray[np.int64]
    texts: Sequence[str]

    def __len__(self) -> int:
        return len(self.dense)

    @property
    def n_sentences(self) -> int:
        """The number of lists."""
        return len(self.offsets) - 1

    @property
    def n_dense(self) -> int:
        """The number of dense features."""
        return int(self.dense.shape[1])

    def spread(self) -> NDArray[np.float64]:
        """How much each dense feature varies within lists (root mean square); 1 if it does not."""
        lengths = np.diff(self.offsets)
        means = np.add.reduceat(self.dense, self.offsets[:-1]) / lengths[:, None]
        squares = (self.dense - np.repeat(means, lengths, axis=0)) ** 2
        spread = np.sqrt(squares.mean(axis=0))
        return np.where(spread > 0, spread, 1.0)

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The score of every candidate; `weights` are in the order of `names`."""
        # Not BLAS: how it groups sums depends on threads and machine.
        scores: NDArray[np.float64] = np.einsum("ij,j->i", self.dense, weights[: self.n_dense])
        if len(self.values):
            products = self.values * weights[self.n_dense :][self.columns]
            sums = np.concatenate([[0.0], np.cumsum(products)])
            scores += sums[self.row_offsets[1:]] - sums[self.row_offsets[:-1]]
        return scores

    def best(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """The first candidate of highest score of every sentence."""
        return best_candidates(self.offsets, self.scores(weights))


@dataclass(frozen=True, eq=False)
class _Batch:
    """What one `add` brought, in order of arrival."""

    sentences: NDArray[np.int64]
    texts: list[str]
    dense: NDArray[np.float64]
    row_offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    statistics: NDArray[np.float64]
    sparse_names: list[str] = field(default_factory=list)
    """Names that appeared here for the first time."""

    @cached_property
    def n_words(self) -> NDArray[np.int64]:
        return np.array([len(text.split()) for text in self.texts], np.int64)


class CandidatePool:
    """Distinct candidates per sentence, growing round by round.

    Candidates of equal words and equal features are one. The order is that of arrival, so the same
    lists in the same order give the same pool bit for bit.
    """

    def __init__(
        self, n_sentences: int, dense_names: Sequence[str], sparse_names: Sequence[str] = ()
    ) -> None:
        """Begin with empty lists; features beyond `dense_names` will be sparse.

        `sparse_names` have their places even where no candidate has them.
        """
        self.n_sentences = n_sentences
        self.dense_names = tuple(dense_names)
        self._sparse = {name: at for at, name in enumerate(sparse_names)}
        self._seen = RowSet()
        self._batches: list[_Batch] = []
        self._lists: Lists | None = None

    def __len__(self) -> int:
        return sum(len(batch.texts) for batch in self._batches)

    @property
    def names(self) -> tuple[str, ...]:
        """The dense features, then the sparse ones in order of appearance."""
        return (*self.dense_names, *self._sparse)

    def add(self, nbest: NBest, statistics: NDArray[np.float64] | Measure) -> int:
        """The number of candidates that were new.

        `statistics` has a row per candidate, or gives the rows of texts: those of new ones only.
        """
        dense = nbest.matrix(self.dense_names) + 0.0  # no negative zero: equal is equal in bytes
        before = len(self._sparse)
        offsets, columns, values = self._sparse_part(nbest)
        is_new = self._see(nbest.sentences, list(nbest.texts), dense, offsets, columns, values)
        rows, lengths = np.flatnonzero(is_new), np.diff(offsets)
        entries = np.repeat(is_new, lengths)
        texts, sentences = [nbest.texts[at] for at in rows.tolist()], nbest.sentences[rows]
        if isinstance(statistics, np.ndarray):
            measured = statistics[rows]
        else:
            measured = statistics(texts, sentences)
        self._append(
            _Batch(
                sentences,
                texts,
                dense[rows],
                np.concatenate([[0], np.cumsum(lengths[rows])]).astype(np.int64),
                columns[entries],
                values[entries],
                measured,
                list(self._sparse)[before:],
            )
        )
        return len(rows)

    def _see(
        self,
        sentences: NDArray[np.int64],
        texts: list[str],
        dense: NDArray[np.float64],
        offsets: NDArray[np.int64],
        columns: NDArray[np.int32],
        values: NDArray[np.float64],
    ) -> NDArray[np.bool_]:
        """Which candidates have not been here before."""
        return self._seen.add(sentences, texts, dense, offsets, columns, values).astype(bool)

    def _sparse_part(
        self, nbest: NBest
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float64]]:
        """Offsets, columns and values of the sparse features, sorted by column in every row."""
        dense = set(self.dense_names)
        to = np.array(
            [
                -1 if name in dense else self._sparse.setdefault(name, len(self._sparse))
                for name in nbest.names
            ],
            np.int32,
        )
        rows = np.repeat(np.arange(len(nbest)), np.diff(nbest.row_offsets))
        columns = to[nbest.columns] if len(to) else nbest.columns
        kept = (columns >= 0) & (nbest.values != 0)
        rows, columns, values = rows[kept], columns[kept], nbest.values[kept]
        offsets = np.searchsorted(rows, np.arange(len(nbest) + 1))
        places = rows * max(len(self._sparse), 1) + columns
        if (places[1:] < places[:-1]).any():
            order = np.argsort(places, kind="stable")
            columns, values = columns[order], values[order]
        return offsets, columns, values

    def _append(self, batch: _Batch) -> None:
        self._batches.append(batch)
        self._lists = None

    def lists(self) -> Lists:
        """Everything in the pool by sentence."""
        if self._lists is None:
            self._lists = self._sorted()
        return self._lists

    def _sorted(self) -> Lists:
        batches = self._batches
        sentences = np.concatenate([batch.sentences for batch in batches])
        order = np.argsort(sentences, kind="stable")
        lengths = np.concatenate([np.diff(batch.row_offsets) for batch in batches])
        begins = np.concatenate([[0], np.cumsum(lengths)])[:-1][order]
        lengths = lengths[order]
        row_offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        entries = np.repeat(begins - row_offsets[:-1], lengths) + np.arange(row_offsets[-1])
        texts = [text for batch in batches for text in batch.texts]
        return Lists(
            self.names,
            np.searchsorted(sentences[order], np.arange(self.n_sentences + 1)),
            np.concatenate([batch.dense for batch in batches])[order],
            row_offsets,
            np.concatenate([batch.columns for batch in batches])[entries],
            np.concatenate([batch.values for batch in batches])[entries],
            np.concatenate([batch.statistics for batch in batches])[order],
            np.concatenate([batch.n_words for batch in batches])[order],
            [texts[at] for at in order.tolist()],
        )

    def last_batch(self) -> bytes:
        """What the last `add` brought, as an .npz file."""
        batch = self._batches[-1]
        file = io.BytesIO()
        np.savez(
            file,
            sentences=batch.sentences,
            texts=_packed(batch.texts),
            dense=batch.dense,
            row_offsets=batch.row_offsets,
            columns=batch.columns,
            values=batch.values,
            statistics=batch.statistics,
            sparse_names=_packed(batch.sparse_names),
        )
        return file.getvalue()

    def load_batch(self, path: Path) -> None:
        """Add what `last_batch` gave, without looking for equals."""
        try:
            with np.load(path, allow_pickle=False) as arrays:
                found = {name: arrays[name] for name in arrays.files}
            batch = _Batch(
                texts=_unpacked(found.pop("texts")),
                sparse_names=_unpacked(found.pop("sparse_names")),
                **found,
            )
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise FileError(path, f"not a part of a pool, or damaged: {error}") from error
        for name in batch.sparse_names:
            self._sparse.setdefault(name, len(self._sparse))
        self._see(
            batch.sentences,
            batch.texts,
            batch.dense,
            batch.row_offsets,
            batch.columns,
            batch.values,
        )
        self._append(batch)


def _packed(texts: Sequence[str]) -> NDArray[np.uint8]:
    r"""Texts as bytes, each with '\n' behind it; no text has one inside."""
    return np.frombuffer("".join(text + "\n" for text in texts).encode(), np.uint8)


def _unpacked(packed: NDArray[np.uint8]) -> list[str]:
    return packed.tobytes().decode().split("\n")[:-1]

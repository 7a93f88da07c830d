from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calque.errors import FileError
from calque.features.weights import KEY

DENSE_SHARE = 0.5
"""A feature on fewer of the candidates than this is sparse."""
SHOWN = 5
"""Sparse features that a report names before it only counts them."""


@dataclass(frozen=True, eq=False)
class NBest:
    """Candidates of many sentences, list after list, best first, with features by name.

    The features of candidate i are `values[row_offsets[i]:row_offsets[i + 1]]`, their names
    `names[columns[...]]`; a feature that is not listed is 0.
    """

    names: tuple[str, ...]
    """Features in order of appearance."""
    sentences: NDArray[np.int64]
    """The sentence of every candidate, from 0, ascending."""
    texts: Sequence[str]
    row_offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    totals: NDArray[np.float64] | None = None
    """The score that the decoder gave every candidate, where it told."""

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def n_sentences(self) -> int:
        """One more than the highest id."""
        return int(self.sentences[-1]) + 1 if len(self) else 0

    @cached_property
    def offsets(self) -> NDArray[np.int64]:
        """Where the list of every sentence begins, and one last entry: the end."""
        return np.searchsorted(self.sentences, np.arange(self.n_sentences + 1))

    @cached_property
    def n_with(self) -> NDArray[np.int64]:
        """On how many candidates each feature is listed."""
        return np.bincount(self.columns, minlength=len(self.names))

    def dense_names(self) -> tuple[str, ...]:
        """The features listed on at least half of the candidates, but for those given by key."""
        least = DENSE_SHARE * len(self)
        counted = zip(self.names, self.n_with, strict=True)
        return tuple(n for n, count in counted if count >= least and not KEY.fullmatch(n))

    def missing(self) -> list[str]:
        """One line per feature that some lists lack altogether, where it counts as 0.

        Of features given by key nobody expects more: they are sparse.
        """
        rows = np.repeat(self.sentences, np.diff(self.row_offsets))
        n_lists = len(np.unique(self.sentences))
        pairs = np.unique(self.columns.astype(np.int64) * (self.n_sentences + 1) + rows)
        lists_with = np.bincount(pairs // (self.n_sentences + 1), minlength=len(self.names))
        lines, sparse = list[str](), list[str]()
        for name, lists, count in zip(self.names, lists_with, self.n_with, strict=True):
            if lists < n_lists and not KEY.fullmatch(name):
                line = (
                    f"feature '{name}' is on {count:,} of {len(self):,} candidates and missing"
                    f" from {n_lists - lists:,} of {n_lists:,} lists: there it is 0"
                )
                (lines if count >= DENSE_SHARE * len(self) else sparse).append(line)
        if len(sparse) > SHOWN:
            more = len(sparse) - SHOWN
            sparse = [*sparse[:SHOWN], f"{more:,} further sparse features are missing from lists"]
        return lines + sparse

    def matrix(self, names: Sequence[str]) -> NDArray[np.float64]:
        """The values of these features, one row per candidate; 0 where one is not listed."""
        place = {name: at for at, name in enumerate(names)}
        to = np.array([place.get(name, -1) for name in self.names], np.int64)
        rows = np.repeat(np.arange(len(self)), np.diff(self.row_offsets))
        columns = to[self.columns] if len(self.names) else self.columns.astype(np.int64)
        kept = columns >= 0
        matrix = np.zeros((len(self), len(names)))
        matrix[rows[kept], columns[kept]] = self.values[kept]
        return matrix

    def with_feature(self, name: str, values: NDArray[np.float64]) -> NBest:
        """The lists with one feature more, listed last on every candidate."""
        ends = self.row_offsets[1:]
        return NBest(
            (*self.names, name),
            self.sentences,
            self.texts,
            self.row_offsets + np.arange(len(self) + 1),
            np.insert(self.columns, ends, np.int32(len(self.names))).astype(np.int32),
            np.insert(self.values, ends, values),
            self.totals,
        )

    def sliced(self, first: int, last: int) -> NBest:
        """The candidates from `first` up to `last`."""
        entries = slice(self.row_offsets[first], self.row_offsets[last])
        return NBest(
            self.names,
            self.sentences[first:last],
            self.texts[first:last],
            self.row_offsets[first : last + 1] - self.row_offsets[first],
            self.columns[entries],
            self.values[entries],
            None if self.totals is None else self.totals[first:last],
        )

    def reordered(self, order: NDArray[np.int64], totals: NDArray[np.float64] | None) -> NBest:
        """The candidates in another order; `totals` are by the old one."""
        lengths = np.diff(self.row_offsets)[order]
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        begins = self.row_offsets[:-1][order] - offsets[:-1]
        entries = np.repeat(begins, lengths) + np.arange(offsets[-1])
        return NBest(
            self.names,
            self.sentences[order],
            [self.texts[at] for at in order.tolist()],
            offsets,
            self.columns[entries],
            self.values[entries],
            None if totals is None else totals[order],
        )


def joined(lists: Sequence[NBest]) -> NBest:
    """The candidates of several sets of lists, sentence by sentence."""
    place: dict[str, int] = {}
    for nbest in lists:
        for name in nbest.names:
            place.setdefault(name, len(place))
    columns = [np.array([place[n] for n in one.names], np.int32)[one.columns] for one in lists]
    lengths = np.concatenate([np.diff(one.row_offsets) for one in lists])
    totals = [one.totals for one in lists if one.totals is not None]
    together = NBest(
        tuple(place),
        np.concatenate([one.sentences for one in lists]),
        [text for one in lists for text in one.texts],
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate(columns),
        np.concatenate([one.values for one in lists]),
        np.concatenate(totals) if len(totals) == len(lists) else None,
    )
    order = np.argsort(together.sentences, kind="stable")
    return together.reordered(order, together.totals)


def check_ids(sentences: NDArray[np.int64], path: Path | str) -> None:
    """Raise the error of a file whose lists are out of order or of which one is missing."""
    if not len(sentences):
        raise FileError(path, "has no candidates: expected n-best lists")
    steps = np.diff(sentences, prepend=-1)
    wrong = np.flatnonzero((steps < 0) | (steps > 1))
    if not len(wrong):
        return
    at = int(wrong[0])
    here, before = int(sentences[at]), int(sentences[at - 1]) if at else -1
    if here < before:
        problem = f"sentence {here} after sentence {before}: expected ascending ids"
    else:
        first = before + 1
        which = (
            f"sentence {first} has" if here == first + 1 else f"sentences {first}-{here - 1} have"
        )
        problem = f"{which} no candidates before sentence {here}: expected a list for each"
    raise FileError(path, f"line {at + 1}: {problem}")

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError, FileError
from calque.features.weights import KEY
from calque.text.given import IN_MEMORY, checked_sentences

DENSE_SHARE = 0.5
"""A feature on fewer of the candidates than this is sparse."""
SPARSE_PREFIX = "calque:"
"""What names of added sparse features begin with, however many candidates have them."""
SHOWN = 5
"""Sparse features that a report names before it only counts them."""


class Candidate(NamedTuple):
    """A translation as a list has it."""

    text: str
    features: Mapping[str, float]
    score: float | None = None


def is_sparse_name(name: str) -> bool:
    """Whether a feature is sparse by its name: one given by key, or one that Calque has added."""
    return name.startswith(SPARSE_PREFIX) or KEY.fullmatch(name) is not None


@dataclass(frozen=True, eq=False)
class SparseColumns:
    """Values of many features, most of which are 0 on most candidates."""

    names: tuple[str, ...]
    rows: NDArray[np.int64]
    """The candidate of every value, ascending."""
    columns: NDArray[np.int32]
    """The feature of every value, as a place in `names`."""
    values: NDArray[np.float64]


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

    @classmethod
    def from_lists(
        cls, lists: Iterable[Iterable[Candidate | tuple[str, Mapping[str, float], float | None]]]
    ) -> NBest:
        """The lists of candidates in memory, one list per sentence, each best first.

        A candidate is a text, its features by name and, on all or none, its score.
        """
        collected = CandidateCollector()
        for sentence, candidates in enumerate(lists):
            where = f"sentence {sentence}"
            for candidate in candidates:
                text, features, score = Candidate(*candidate)
                [text] = checked_sentences([text], where)
                for name, value in features.items():
                    _check_finite(value, f"{where}: the value of '{name}'")
                if score is not None:
                    _check_finite(score, f"{where}: the score")
                collected.add(sentence, Candidate(text, features, score))
        if collected.n_scored not in (0, len(collected)):
            raise CalqueError("some candidates have a score and others have none: expected all")
        return collected.nbest()

    @classmethod
    def from_matrix(
        cls,
        names: Sequence[str],
        sentences: Sequence[int] | NDArray[np.integer[Any]],
        texts: Sequence[str],
        features: NDArray[np.floating[Any]],
        scores: NDArray[np.floating[Any]] | None = None,
    ) -> NBest:
        """The lists of arrays: per candidate its sentence (from 0, ascending), text and features.

        `features` has a row per candidate and a column per name.
        """
        matrix, ids = np.asarray(features, np.float64), np.asarray(sentences, np.int64)
        n_rows = len(texts)
        if matrix.shape != (n_rows, len(names)) or ids.shape != (n_rows,):
            raise CalqueError(
                f"features of shape {matrix.shape} and sentences of shape {ids.shape} for"
                f" {n_rows:,} texts and {len(names)} names: expected ({n_rows}, {len(names)}) and"
                f" ({n_rows},)"
            )
        totals = None if scores is None else np.asarray(scores, np.float64)
        if totals is not None and totals.shape != (n_rows,):
            raise CalqueError(f"scores of shape {totals.shape}: expected ({n_rows},)")
        if not np.isfinite(matrix).all() or (totals is not None and not np.isfinite(totals).all()):
            raise CalqueError("features and scores must be finite numbers")
        return cls(
            names=tuple(names),
            sentences=ids,
            texts=checked_sentences(texts, "texts"),
            row_offsets=np.arange(n_rows + 1, dtype=np.int64) * len(names),
            columns=np.tile(np.arange(len(names), dtype=np.int32), n_rows),
            values=matrix.ravel(),
            totals=totals,
        )

    def __len__(self) -> int:
        return len(self.sentences)

    def __repr__(self) -> str:
        shown = ", ".join(self.names[:SHOWN]) + (", ..." if len(self.names) > SHOWN else "")
        return (
            f"<NBest: {len(self):,} candidates of {self.n_sentences:,} sentences,"
            f" {len(self.names):,} features ({shown})>"
        )

    def digest(self) -> dict[str, str]:
        """What identifies the lists, as a run records it."""
        content = hashlib.sha256("\n".join(self.names).encode())
        parts = (self.sentences, self.row_offsets, self.columns, self.values, self.totals)
        for array in parts:
            content.update(b"" if array is None else np.ascontiguousarray(array).tobytes())
        for text in self.texts:
            content.update(text.encode() + b"\n")
        return {"file": IN_MEMORY, "sha256": content.hexdigest()}

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
        """The features listed on at least half of the candidates, but for those sparse by name."""
        least = DENSE_SHARE * len(self)
        counted = zip(self.names, self.n_with, strict=True)
        return tuple(n for n, count in counted if count >= least and not is_sparse_name(n))

    def missing(self) -> list[str]:
        """One line per feature that some lists lack altogether, where it counts as 0.

        Features that are sparse by name may be missing anywhere.
        """
        rows = np.repeat(self.sentences, np.diff(self.row_offsets))
        n_lists = len(np.unique(self.sentences))
        pairs = np.unique(self.columns.astype(np.int64) * (self.n_sentences + 1) + rows)
        lists_with = np.bincount(pairs // (self.n_sentences + 1), minlength=len(self.names))
        lines, sparse = list[str](), list[str]()
        for name, lists, count in zip(self.names, lists_with, self.n_with, strict=True):
            if lists < n_lists and not is_sparse_name(name):
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

    def with_sparse(self, features: SparseColumns) -> NBest:
        """The lists with these features, behind those that candidates have."""
        ends = self.row_offsets[1:][features.rows]
        more = np.bincount(features.rows, minlength=len(self))
        offsets = self.row_offsets + np.concatenate([[0], np.cumsum(more)])
        columns = features.columns + np.int32(len(self.names))
        return NBest(
            self.names + features.names,
            self.sentences,
            self.texts,
            offsets,
            np.insert(self.columns, ends, columns).astype(np.int32),
            np.insert(self.values, ends, features.values),
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
    columns = [np.array([place[n] for n in part.names], np.int32)[part.columns] for part in lists]
    lengths = np.concatenate([np.diff(part.row_offsets) for part in lists])
    totals = [part.totals for part in lists if part.totals is not None]
    together = NBest(
        tuple(place),
        np.concatenate([part.sentences for part in lists]),
        [text for part in lists for text in part.texts],
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.concatenate(columns),
        np.concatenate([part.values for part in lists]),
        np.concatenate(totals) if len(totals) == len(lists) else None,
    )
    order = np.argsort(together.sentences, kind="stable")
    return together.reordered(order, together.totals)


class CandidateCollector:
    """Takes candidates one after the other, list after list, and makes an `NBest` of them."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._sentences, self._texts = list[int](), list[str]()
        self._offsets, self._columns = [0], list[int]()
        self._values, self._scores = list[float](), list[float]()

    def __len__(self) -> int:
        return len(self._sentences)

    @property
    def n_scored(self) -> int:
        """How many of the candidates have a score."""
        return len(self._scores)

    def add(self, sentence: int, candidate: Candidate) -> None:
        """The next candidate, of finite numbers."""
        self._sentences.append(sentence)
        self._texts.append(candidate.text)
        for name, value in candidate.features.items():
            self._columns.append(self._names.setdefault(name, len(self._names)))
            self._values.append(float(value))
        self._offsets.append(len(self._columns))
        if candidate.score is not None:
            self._scores.append(float(candidate.score))

    def nbest(self) -> NBest:
        """All of them; all have a score, or none has."""
        return NBest(
            names=tuple(self._names),
            sentences=np.array(self._sentences, np.int64),
            texts=self._texts,
            row_offsets=np.array(self._offsets, np.int64),
            columns=np.array(self._columns, np.int32),
            values=np.array(self._values, np.float64),
            totals=np.array(self._scores) if self._scores else None,
        )


def _check_finite(value: float, what: str) -> None:
    if not math.isfinite(value):
        raise CalqueError(f"{what} is {value!r}, expected a finite number")


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

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque._core import SentenceCounts, column_counts
from calque.hyps import Lists
from calque.hyps.store import CandidateStore
from calque.parallel import Engine, Here
from calque.tune.problem import Vector
from calque.tune.working_copy import WORKING_COPIES, Arrays, WorkingCopy
from calque.tune.xbleu.devices import Device, pass_on
from calque.tune.xbleu.mixing import Learners
from calque.tune.xbleu.objective import ExpectedWorth

MOST_MB = 256
"""Candidates that are gone through at a time."""


@dataclass(frozen=True)
class Terms:
    """What the objective is made of, beside the lists."""

    worths: Callable[[int, Lists], Vector]
    """Gives what candidates are worth, from the first sentence of lists and these."""
    scale: float
    l2: float
    least_sentences: int
    """Sparse features in which the candidates of fewer sentences differ do not move."""
    device: Device = "core"
    """Where the sums over all lists are made."""
    rare_stay: bool = True
    """Whether the weights of these features stay as they are, whatever moves the others."""
    shards: int = 1
    """Into how many learners' parts the sentences are dealt out for small steps."""


class Landscape:
    """The objective over all candidates of a store, which are read part by part.

    Weights are those of the dense features that move, in units of their spread, and of all sparse
    features.
    """

    def __init__(
        self,
        store: CandidateStore,
        terms: Terms,
        moving: NDArray[np.bool_],
        start: Vector,
        units: Vector,
        threads: int,
        engine: Engine | None = None,
    ) -> None:
        """Take which weights may move, and `start` for the others; an engine makes the sums."""
        self._is_dense = moving[: len(units)]
        self._units = units[self._is_dense]
        self._n_dense_all = len(units)
        self.n_dense = int(self._is_dense.sum())
        self._threads = threads

        def keep(first: int, lists: Lists) -> Arrays:
            return {
                "worths": terms.worths(first, lists),
                "statistics": lists.statistics,
                "n_words": lists.n_words,
            }

        n_sparse, least = len(moving) - len(units), max(terms.least_sentences, 1)
        in_copy = moving
        if terms.rare_stay and least > 1:
            in_copy = moving & _occurring(store, len(units), n_sparse, least)
        self._copy = copy = WorkingCopy(
            (lists for _, lists in store.stream(MOST_MB)),
            in_copy,
            start,
            units,
            keep=keep,
            counts=store.is_counts,
            masks=terms.device == "core",
            on_disk=not store.has_room(WORKING_COPIES),
            threads=threads,
        )
        n_sentences = column_counts(copy.features, n_sparse)
        always = np.ones(self.n_dense, bool)
        learned = moving[len(units) :] & (n_sentences >= least)
        worths, learners = copy.kept["worths"], None
        if terms.shards > 1:
            where = engine or Here(threads)
            learners = Learners(copy, worths, terms.scale, terms.shards, where)
        self.objective = ExpectedWorth(
            copy.lists,
            worths,
            copy.n_sentences,
            moving=np.concatenate([always, learned]),
            penalised=np.concatenate([~always, learned]),
            scale=terms.scale,
            l2=terms.l2,
            threads=threads,
            total=pass_on(terms.device, copy, worths, terms.scale, engine),
            learners=learners,
        )

    def inner(self, vector: Vector) -> Vector:
        """The weights of a vector of all features as this landscape has them."""
        dense = vector[: self._n_dense_all][self._is_dense] * self._units
        return np.concatenate([dense, vector[self._n_dense_all :]])

    def outer(self, vector: Vector, inner: Vector) -> Vector:
        """The vector of all features with these weights of the landscape."""
        moved = vector.copy()
        moved[: self._n_dense_all][self._is_dense] = inner[: self.n_dense] / self._units
        moved[self._n_dense_all :] = inner[self.n_dense :]
        return moved

    @property
    def copy(self) -> WorkingCopy:
        """The lists of differences."""
        return self._copy

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Candidates of sentence s are `offsets[s]:offsets[s + 1]`."""
        return self._copy.offsets

    @property
    def statistics(self) -> NDArray[np.float64]:
        """Those of the metric, a row per candidate."""
        return self._copy.kept["statistics"]

    def chosen(self, vector: Vector) -> tuple[NDArray[np.float64], int]:
        """The summed statistics and the words of what a vector of all features chooses."""
        best = self._copy.lists.best(self.inner(vector), self._threads)
        return self.statistics[best].sum(axis=0), int(self._copy.kept["n_words"][best].sum())


def _occurring(store: CandidateStore, n_dense: int, n_sparse: int, least: int) -> NDArray[np.bool_]:
    """All dense features, and which sparse ones occur in the lists of so many sentences.

    Candidates cannot differ in more: whatever is rarer need not be in a working copy.
    """
    counts = SentenceCounts(n_sparse)
    for _, lists in store.stream(MOST_MB):
        counts.add(lists.offsets, lists.row_offsets, lists.columns)
    return np.append(np.ones(n_dense, bool), counts.counts() >= least)


def spread_of(store: CandidateStore) -> Vector:
    """How much each dense feature varies within lists (root mean square); 1 if it does not.

    Summed sentence by sentence, so how the lists are cut changes no bit.
    """
    sums, n_candidates = [], 0
    for _, lists in store.stream(MOST_MB):
        lengths, begins = np.diff(lists.offsets), lists.offsets[:-1]
        means = np.add.reduceat(lists.dense, begins) / lengths[:, None]
        squares = (lists.dense - np.repeat(means, lengths, axis=0)) ** 2
        sums.append(np.add.reduceat(squares, begins))
        n_candidates += len(lists)
    spread = np.sqrt(np.concatenate(sums).sum(axis=0) / n_candidates)
    return np.where(spread > 0, spread, 1.0)

"""Passes by several learners, wherever an engine runs its tasks; their weights are mixed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from calque.parallel import Engine, Shared
from calque.tune.mixture import Mixture
from calque.tune.problem import Vector
from calque.tune.relevant.passes import CoreLoss, CoreUpdate, Passes, first_squares
from calque.tune.shard import Shard, dealt, rows_of, shard_of
from calque.tune.working_copy import WorkingCopy


class Maker(Protocol):
    """Makes losses and update rules of the core; it can be pickled, which these cannot."""

    def loss(self) -> CoreLoss:
        """What is wrong with weights."""

    def rule(self) -> CoreUpdate:
        """How they move."""


class How(NamedTuple):
    """How all learners learn."""

    maker: Maker
    n_dense: int
    shrink: tuple[float, float]
    average: bool


class Lesson(NamedTuple):
    """What a learner is given for a pass: of weights and squares those that it knows."""

    shard: Shared[Shard]
    order: NDArray[np.int64]
    gains: Vector
    n_truths: NDArray[np.int64]
    weights: Vector
    squares: Vector | None


class Learned(NamedTuple):
    """What a learner makes of it."""

    weights: Vector
    squares: Vector | None
    mean: Vector | None
    """Of the weights over the pass, where it is asked for."""


@dataclass(frozen=True, eq=False)
class _Learner:
    """The sentences of a learner, and the weights that it knows, by their number here."""

    shard: Shared[Shard]
    first: int
    last: int
    rows: slice
    own: NDArray[np.int64]


class MixedPasses:
    """Weights that learn from lists of differences; in a pass, learners share the sentences.

    Each goes over its own from the same weights, in the order that they have among all; the weights
    become the mean of theirs. How many learners there are decides what is learned, where they work
    does not. With a single learner this is `Passes`.
    """

    def __init__(
        self, copy: WorkingCopy, weights: Vector, how: How, n: int, engine: Engine
    ) -> None:
        """Deal the sentences out to `n` learners; begin with these weights."""
        self._copy = copy
        self._weights = weights
        self._how = how
        self._engine = engine
        self._squares = first_squares(how.maker.rule(), len(weights))
        self._sum = np.zeros(len(weights)) if how.average else None
        self._n_passes = 0
        dense, self._learners = np.arange(how.n_dense), list[_Learner]()
        for first, last in dealt(copy.n_sentences, n):
            shard, sparse, _ = shard_of(copy, first, last)
            own = np.concatenate([dense, len(dense) + sparse.astype(np.int64)])
            rows = rows_of(copy, first, last)
            self._learners.append(_Learner(engine.share(shard), first, last, rows, own))

    def learn(self, order: NDArray[np.int64], gains: Vector, n_truths: NDArray[np.int64]) -> None:
        """Move the weights by a pass of every learner over its sentences in this order."""
        weights = Mixture(self._weights)
        squares = None if self._squares is None else Mixture(self._squares)
        mean = None if self._sum is None else Mixture(self._weights)
        lessons = (self._lesson(learner, order, gains, n_truths) for learner in self._learners)
        results = self._engine.ordered_map(partial(_learn, self._how), lessons)
        for learner, learned in zip(self._learners, results, strict=True):
            weights.add(learner.own, learned.weights)
            if squares is not None and learned.squares is not None:
                squares.add(learner.own, learned.squares)
            if mean is not None and learned.mean is not None:
                mean.add(learner.own, learned.mean)
        self._weights = weights.result()
        if squares is not None:
            self._squares = squares.result()
        if mean is not None and self._sum is not None:
            self._sum += mean.result()
        self._n_passes += 1

    def _lesson(
        self,
        learner: _Learner,
        order: NDArray[np.int64],
        gains: Vector,
        n_truths: NDArray[np.int64],
    ) -> Lesson:
        first, last, own = learner.first, learner.last, learner.own
        return Lesson(
            learner.shard,
            order[(order >= first) & (order < last)] - first,
            gains[learner.rows],
            n_truths[first:last],
            self._weights[own],
            None if self._squares is None else self._squares[own],
        )

    @property
    def result(self) -> Vector:
        """The mean of the weights over all passes, or the last where none is kept."""
        if self._sum is None or not self._n_passes:
            return self._weights.copy()
        return self._sum / self._n_passes

    def best(self, weights: Vector, threads: int) -> NDArray[np.int64]:
        """The first candidate of highest score of every sentence."""
        return self._copy.lists.best(weights, threads)


def _learn(how: How, lesson: Lesson) -> Learned:
    """The task of an engine: the pass of a learner."""
    squares = None if lesson.squares is None else lesson.squares.copy()
    passes = Passes(
        lesson.shard.get().lists,
        lesson.weights.copy(),  # what was sent may be read only
        how.n_dense,
        how.maker.loss(),
        how.maker.rule(),
        shrink=how.shrink,
        average=how.average,
        squares=squares,
    )
    passes.learn(lesson.order, lesson.gains, lesson.n_truths)
    return Learned(passes.weights, squares, passes.result if how.average else None)

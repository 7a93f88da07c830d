from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from calque._core import LineSearch
from calque.config import RoundOptions, option
from calque.tune.intervals import choose
from calque.tune.pool_trainer import PoolTrainer
from calque.tune.problem import Problem, Vector

MOST_PASSES = 20
LEAST_GAIN = 1e-3
"""A pass over all directions that gains less, in points of the metric, is the last."""
NEAR, NEAR_ZERO = 0.1, 0.02
"""How far a restart near the best point strays, relative to it and to the scale of features."""
ANYWHERE = 8
"""Every eighth restart starts at a random point; the others near the best optimum so far, because
good optima cluster, unless the start is bad."""
N_TURNED = 3
"""How many weights a random direction changes: as good as all, and fewer columns to read."""


@dataclass(frozen=True)
class MertOptions(RoundOptions):
    """Minimum error rate training: exact line searches on the metric itself (Och 2003)."""

    restarts: int = option(
        40, "number of random starting points, in addition to the best weights so far", least=0
    )
    random_directions: int = option(
        10, "number of random directions tried per pass, in addition to the axes", least=0
    )
    interval: Literal["middle", "average"] = option(
        "middle",
        "how an interval is judged: by its own score (middle), or by the mean of its score"
        " and its neighbours' (average)",
    )
    neighbours: int = option(
        2,
        "with interval=average, number of neighbouring intervals on each side that are included",
        least=1,
    )
    runs: int = option(1, "number of runs whose weights are averaged", least=1)


class Mert(PoolTrainer):
    """Minimum error rate training (Och 2003): line searches on the metric itself.

    From the weights so far, then from points near the best end so far and now and then from
    anywhere, passes over the axes and some random directions move to the best interval of each
    line, until a pass brings nothing. The best end is the result; `runs` of them are averaged. Only
    dense features are tuned; the part of sparse ones in every score stays.
    """

    method = "mert"
    can_repeat = False
    tunes_sparse = False
    Options = MertOptions
    options: MertOptions

    def update(self, problem: Problem, weights: Vector) -> Vector:
        """The best point of all restarts, or the mean over runs."""
        climb = _Climb(problem, self.options, weights)
        ends = [self._run(climb, problem, weights) for _ in range(self.options.runs)]
        return problem.scaled(np.mean(ends, axis=0))

    def _run(self, climb: _Climb, problem: Problem, weights: Vector) -> Vector:
        best, best_score = weights, problem.sign * problem.score(weights)
        for restart in range(self.options.restarts + 1):
            start = climb.random_start(best, near=restart % ANYWHERE > 0) if restart else weights
            end = problem.scaled(climb.to_the_top(start))
            score = problem.sign * problem.score(end)
            if score > best_score:
                best, best_score = end, score
        return best


class _Climb:
    """Line searches on the candidates of one problem."""

    def __init__(self, problem: Problem, options: MertOptions, weights: Vector) -> None:
        lists = problem.lists
        self._n_dense = lists.n_dense
        self._sparse = weights[lists.n_dense :]
        self._problem = problem
        self._options = options
        self._neighbours = options.neighbours if options.interval == "average" else 0
        columns = lists.dense
        if self._sparse.any():
            # What sparse features add to scores is one more feature, which does not move.
            total = lists.scores(np.concatenate([np.zeros(lists.n_dense), self._sparse]))
            columns = np.column_stack([columns, total])
        arrays = lists.offsets, columns, lists.statistics
        self._search = LineSearch(*arrays, threads=problem.threads)
        dense = problem.free & (np.arange(lists.n_features) < lists.n_dense)
        self._axes = np.flatnonzero(dense)
        # A step of one over the spread of a feature matters equally everywhere.
        self._scale = np.zeros(len(dense))
        self._scale[self._axes] = 1 / lists.spread()[self._axes]
        self._moves = dense

    def random_start(self, weights: Vector, near: bool) -> Vector:
        """A point near the weights, or anywhere."""
        rng, n = self._problem.rng, len(weights)
        size = np.abs(weights[self._moves]).sum() / max(self._scale.sum(), 1e-300)
        if near:
            strayed = weights * (1 + NEAR * rng.standard_normal(n))
            strayed += NEAR_ZERO * size * self._scale * rng.standard_normal(n)
        else:
            strayed = size * self._scale * rng.uniform(-1, 1, n)
        return np.where(self._moves, strayed, weights)

    def to_the_top(self, weights: Vector) -> Vector:
        """Where passes over all directions end."""
        weights, before = weights.copy(), self._start(weights)
        for _ in range(MOST_PASSES):
            n_directions = len(self._axes) + self._options.random_directions
            for direction in self._problem.rng.permutation(n_directions):
                weights = self._move(weights, int(direction))
            now = self._start(weights)
            if now - before < LEAST_GAIN:
                break
            before = now
        return weights

    def _start(self, weights: Vector) -> float:
        """The value of the weights, from which searches go on without the rounding up to here."""
        self._search.start(self._columns(weights))
        return self._problem.sign * float(self._problem.metric.score(self._search.statistics()))

    def _move(self, weights: Vector, direction: int) -> Vector:
        """The weights after one line search."""
        problem, step = self._problem, np.zeros(len(weights))
        if direction < len(self._axes):
            step[self._axes[direction]] = 1.0
        else:
            turned = problem.rng.permutation(self._axes)[:N_TURNED]
            step[turned] = self._scale[turned] * problem.rng.standard_normal(len(turned))
        breakpoints, statistics = self._search.along(self._columns(step))
        values = problem.sign * problem.metric.score(statistics)
        gamma = choose(breakpoints, values, self._neighbours).gamma
        if gamma == 0:
            return weights
        self._search.move(gamma)
        return weights + gamma * step

    def _columns(self, weights: Vector) -> Vector:
        """The weights of the columns that are searched: the sparse ones share one, their scale."""
        dense, sparse = weights[: self._n_dense], weights[self._n_dense :]
        if not self._sparse.any():
            return dense
        return np.append(dense, sparse @ self._sparse / (self._sparse @ self._sparse))

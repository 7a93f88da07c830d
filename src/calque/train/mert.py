from __future__ import annotations

from typing import Any

import numpy as np

from calque._core import LineSearch
from calque.config import MertOptions
from calque.train.intervals import choose
from calque.train.trainer import Problem, Trainer, Vector

MOST_PASSES = 20
LEAST_GAIN = 1e-3
"""A pass over all directions that gains less, in points of the metric, is the last."""
NEAR, NEAR_ZERO = 0.2, 0.05
"""How far a restart near the best point strays, relative to it and to the scale of features."""


class Mert(Trainer):
    """Minimum error rate training (Och 2003): line searches on the metric itself.

    From the weights so far, from random points and from points near the best end so far, passes
    over the axes and some random directions move to the best interval of each line, until a pass
    brings nothing. The best end point is the result; `runs` of them are averaged. Only dense
    features are tuned; the part of sparse ones in every score stays.
    """

    method = "mert"
    iterates = False
    tunes_sparse = False
    options: MertOptions

    def __init__(self, *, seed: int = 1, **options: Any) -> None:
        """Take the options of `MertOptions` by name."""
        super().__init__(MertOptions, seed, options)

    def update(self, problem: Problem, weights: Vector) -> Vector:
        """The best point of all restarts, or the mean over runs."""
        climb = _Climb(problem, self.options)
        found = [self._run(climb, problem, weights) for _ in range(self.options.runs)]
        return problem.scaled(np.mean(found, axis=0))

    def _run(self, climb: _Climb, problem: Problem, weights: Vector) -> Vector:
        best, best_score = weights, problem.sign * problem.score(weights)
        for restart in range(self.options.restarts + 1):
            start = climb.random_start(best, near=restart % 2 == 1) if restart else weights
            end = problem.scaled(climb.to_the_top(start))
            score = problem.sign * problem.score(end)
            if score > best_score:
                best, best_score = end, score
        return best


class _Climb:
    """Line searches on the candidates of one problem."""

    def __init__(self, problem: Problem, options: MertOptions) -> None:
        lists = problem.lists
        self._problem = problem
        self._options = options
        self._neighbours = options.neighbours if options.interval == "average" else 0
        arrays = lists.offsets, lists.dense, lists.statistics
        self._search = LineSearch(*arrays, threads=problem.threads)
        dense = problem.free & (np.arange(len(lists.names)) < lists.n_dense)
        self._axes = np.flatnonzero(dense)
        # A step of one over the spread of a feature matters equally everywhere. What sparse
        # features add to scores is there, but does not move.
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
        self._search.start(weights)
        return self._problem.sign * float(self._problem.metric.score(self._search.statistics()))

    def _move(self, weights: Vector, direction: int) -> Vector:
        """The weights after one line search."""
        problem = self._problem
        if direction < len(self._axes):
            step = np.zeros(len(weights))
            step[self._axes[direction]] = 1.0
        else:
            step = self._scale * problem.rng.standard_normal(len(weights))
        breakpoints, statistics = self._search.along(step)
        values = problem.sign * problem.metric.score(statistics)
        gamma = choose(breakpoints, values, self._neighbours).gamma
        if gamma == 0:
            return weights
        self._search.move(gamma)
        return weights + gamma * step

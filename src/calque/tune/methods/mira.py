from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calque._core import BundledLists, mira_pass
from calque.config import RoundOptions, option
from calque.hyps import Lists
from calque.text.mapped import forget
from calque.tune.gain import background_gains
from calque.tune.pool_trainer import PoolTrainer
from calque.tune.problem import Problem, Vector

AT_ONCE = 64
"""Sentences whose features are compared together."""
MOST_RANGE = 1.0
"""How far the best and the worst score of a list may lie apart on average at the start."""


@dataclass(frozen=True)
class MiraOptions(RoundOptions):
    """Batch k-best MIRA: hope and fear, with a margin of their metric (Cherry & Foster 2012)."""

    passes: int = option(30, "passes over the lists per round", least=1)
    step: float = option(0.01, "largest step of an update (C in the paper)", least=0)
    background_decay: float = option(
        0.999,
        "factor by which the background corpus decays from one sentence to the next",
        least=0,
        most=1,
        was="decay",
    )


class Mira(PoolTrainer):
    """Batch k-best MIRA (Cherry & Foster 2012).

    Sentence by sentence, in random order, the weights move just enough for the hope (good score,
    good metric) to beat the fear (good score, bad metric) by their difference in the metric. That
    difference is what a candidate adds to a background corpus of recent choices, renewed after
    every pass. The result is the mean of the weights over all sentences of all passes. Dense
    features are taken in units of their spread within lists, so that a step means the same to
    each whatever it is measured in, and the start is scaled down where its scores would drown the
    metric: hope and fear would be the same.
    """

    method = "mira"
    can_repeat = True
    Options = MiraOptions
    options: MiraOptions

    def update(self, problem: Problem, weights: Vector) -> Vector:
        """The averaged weights after all passes."""
        lists, options, before = problem.lists, self.options, weights
        if problem.is_first:
            weights = _tamed(problem, weights)
        frozen = (~problem.free).astype(np.uint8)
        units = np.ones(len(weights))
        units[: lists.n_dense] = lists.spread()
        dense = np.ascontiguousarray(lists.dense / units[: lists.n_dense])
        bundles = bundled(lists, problem.threads)
        weights, lag = weights * units, np.zeros(len(weights))
        background = lists.statistics[lists.best(weights / units)].sum(axis=0)
        n_seen = 0
        remains = options.background_decay ** np.arange(lists.n_sentences)[::-1]
        for _ in range(options.passes):
            arrays = lists.statistics, lists.offsets, background
            gains = background_gains(problem.metric, *arrays)
            chosen = mira_pass(
                bundles,
                dense,
                problem.rng.permutation(lists.n_sentences),
                gains,
                frozen,
                options.step,
                n_seen,
                weights,
                lag,
            )
            n_seen += lists.n_sentences
            kept = options.background_decay**lists.n_sentences
            background = kept * background + (remains[:, None] * lists.statistics[chosen]).sum(0)
        moved = (weights - lag / n_seen) / units
        return np.where(problem.free, moved, before)


def bundled(lists: Lists, threads: int) -> BundledLists:
    """The sparse features of the lists; those that go together within a sentence are one."""
    bundles = BundledLists(len(lists.keys))
    for first in range(0, lists.n_sentences, AT_ONCE):
        last = min(first + AT_ONCE, lists.n_sentences)
        rows = lists.row_offsets, lists.columns, lists.values
        bundles.append(lists.offsets, *rows, first, last, threads)
        forget(lists.columns, lists.values)
    return bundles


def _tamed(problem: Problem, weights: Vector) -> Vector:
    """The weights, scaled down where scores within lists differ by more than `MOST_RANGE`."""
    scores, begins = problem.lists.scores(weights), problem.lists.offsets[:-1]
    ranges = np.maximum.reduceat(scores, begins) - np.minimum.reduceat(scores, begins)
    factor = min(1.0, MOST_RANGE / max(float(ranges.mean()), 1e-300))
    return np.where(problem.free, factor * weights, weights)

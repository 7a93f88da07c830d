from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calque._core import LineSearch
from calque.config import RoundOptions, option
from calque.errors import CalqueError, OptionError
from calque.hyps import Lists
from calque.metrics.bleu import BLEU_STATISTICS
from calque.metrics.bleu_plus_one import bleu_plus_one
from calque.tune.gain import background_gains
from calque.tune.intervals import choose
from calque.tune.logistic import logistic_regression
from calque.tune.pool_trainer import PoolTrainer
from calque.tune.problem import Problem, Vector

Pairs = NDArray[np.int64]
MOST_FLAGS = 1 << 20


@dataclass(frozen=True)
class ProOptions(RoundOptions):
    """Pairwise ranking optimisation: logistic regression on pairs (Hopkins & May 2011)."""

    rounds: int = option(15, "maximum number of rounds of decoding and tuning", least=1)
    repeats: int = option(
        3, "how many times per round pairs are sampled and the weights are updated", least=1
    )
    pairs_sampled: int = option(
        5000, "number of pairs sampled per sentence", least=1, was="sampled"
    )
    pairs_kept: int = option(50, "number of pairs kept per sentence", least=1, was="kept")
    pair_choice: Literal["largest", "random"] = option(
        "largest",
        "keep the pairs with the largest difference (largest), or any that differ enough (random)",
        was="choice",
    )
    least_difference: float = option(
        0.05, "pairs closer than this in sentence score (0 to 1) are dropped", least=0, most=1
    )
    most_difference: float = option(
        1.0,
        "pairs further apart than this in sentence score (0 to 1) are dropped, because they"
        " distort the update",
        least=0,
    )
    most_length_difference: int = option(
        10,
        "pairs further apart than this in length, in words, are dropped; 0 drops none",
        least=0,
        was="most_words",
    )
    candidate_score: Literal["auto", "bleu+1", "corpus"] = option(
        "auto",
        "how a candidate is judged: by its BLEU+1 (bleu+1), by what it adds to the score of"
        " a small corpus of similar output (corpus), or by BLEU+1 if the metric is BLEU and"
        " otherwise as with corpus (auto)",
        was="gain",
    )
    background_sentences: int = option(
        10,
        "number of sentences in the small corpus of candidate_score=corpus",
        least=1,
        was="background",
    )
    smooth_brevity: bool = option(
        True,
        "also smooth the brevity penalty of BLEU+1; this keeps the output from becoming"
        " shorter and shorter",
    )
    regularization: float = option(
        1e-4, "weight of the squared norm of the weights in the objective, per pair", least=0
    )
    mixture: Literal["searched", "fixed"] = option(
        "searched",
        "how far to move from the old weights towards the new ones: as far as is best for"
        " the metric on the candidates (searched), or by the share `interpolation` (fixed)",
    )
    interpolation: float = option(
        0.5, "share of the new weights, with mixture=fixed", least=0, most=1
    )


class Pro(PoolTrainer):
    """Pairwise ranking optimisation (Hopkins & May 2011).

    Pairs of candidates of clearly different worth are sampled, a logistic regression learns which
    of two is better, and the old weights move towards its weights, by default as far as an exact
    line search on the metric says. Pairs of extreme difference in length or worth are left out:
    learning from them makes the output ever longer (Nakov et al. 2013).
    """

    method = "pro"
    can_repeat = True
    Options = ProOptions
    options: ProOptions

    def update(self, problem: Problem, weights: Vector) -> Vector:
        """The weights after so many moves towards those that rank sampled pairs best."""
        for _ in range(self.options.repeats):
            weights = self._moved(problem, weights)
        return weights

    def _moved(self, problem: Problem, weights: Vector) -> Vector:
        lists, options = problem.lists, self.options
        pairs = self.sample(lists, self._gains(problem, weights), problem.rng)
        if not len(pairs):
            raise CalqueError(
                "pro: no two candidates of a sentence differ by"
                f" {options.least_difference} or more: lower least_difference"
            )
        learned = logistic_regression(lists, pairs, problem.free, options.regularization)
        new = problem.scaled(np.where(problem.free, learned, weights))
        old = problem.scaled(weights)
        share = (
            options.interpolation if options.mixture == "fixed" else _searched(problem, old, new)
        )
        return problem.scaled(old + share * (new - old))

    def _gains(self, problem: Problem, weights: Vector) -> NDArray[np.float64]:
        """What every candidate is worth."""
        lists, metric = problem.lists, problem.metric
        counts_bleu = metric.statistics_names == BLEU_STATISTICS
        if self.options.candidate_score == "bleu+1" and not counts_bleu:
            raise OptionError(f"candidate_score=bleu+1 requires the metric bleu, not {metric.name}")
        if self.options.candidate_score != "corpus" and counts_bleu:
            return bleu_plus_one(lists.statistics, smooth_brevity=self.options.smooth_brevity)
        own = lists.statistics[lists.best(weights)].mean(axis=0)
        background = own * self.options.background_sentences
        return background_gains(metric, lists.statistics, lists.offsets, background)

    def sample(self, lists: Lists, gains: NDArray[np.float64], rng: np.random.Generator) -> Pairs:
        """Rows of better and worse candidates of the same sentence."""
        options = self.options
        pairs = []
        for first, last in zip(lists.offsets[:-1], lists.offsets[1:], strict=True):
            better, worse = first + _distinct_pairs(int(last - first), options.pairs_sampled, rng)
            gap = gains[better] - gains[worse]
            better, worse = np.where(gap > 0, (better, worse), (worse, better))
            gap = np.abs(gap)
            fit = (gap >= options.least_difference) & (gap <= options.most_difference) & (gap > 0)
            if options.most_length_difference:
                fit &= (
                    np.abs(lists.n_words[better] - lists.n_words[worse])
                    <= options.most_length_difference
                )
            kept = np.flatnonzero(fit)
            if options.pair_choice == "largest":
                kept = kept[np.argsort(-gap[kept], kind="stable")[: options.pairs_kept]]
            elif len(kept) > options.pairs_kept:
                kept = np.sort(rng.choice(kept, options.pairs_kept, replace=False))
            pairs.append(np.stack([better[kept], worse[kept]], axis=1))
        return np.concatenate(pairs)


def _searched(problem: Problem, old: Vector, new: Vector) -> float:
    """How far from the old weights towards the new, and beyond, the metric is best."""
    lists = problem.lists
    columns = np.stack([lists.scores(old), lists.scores(new - old)], axis=1)
    search = LineSearch(lists.offsets, columns, lists.statistics, threads=problem.threads)
    search.start(np.array([1.0, 0.0]))
    breakpoints, statistics = search.along(np.array([0.0, 1.0]))
    return choose(breakpoints, problem.sign * problem.metric.score(statistics)).gamma


def _distinct_pairs(n: int, n_drawn: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Pairs out of n, each once whatever its order, of so many that were drawn; two rows."""
    drawn = rng.integers(0, n, (2, n_drawn))
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    keys = low * n + high
    if n * n <= MOST_FLAGS:  # faster than sorting
        flags = np.zeros(n * n, bool)
        flags[keys] = True
        keys = np.flatnonzero(flags)
    else:
        keys = np.unique(keys)
    return np.stack([keys // n, keys % n])

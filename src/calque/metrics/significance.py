"""Whether one system is better than another, or only luckier with its sentences and runs.

A system is one or more runs (of an optimiser, say), each an array of statistics with a row per
sentence. Two questions are asked of every difference:

- Paired approximate randomisation (Noreen 1989; stratified for several runs as in Clark et al.
  2011): how large would it be if nothing told the systems apart? Sentence by sentence, the outputs
  of all runs of both systems are dealt out anew.
- Paired bootstrap (Koehn 2004): how would it vary with another test set and with other runs?
  Sentences are drawn with replacement, the same for all systems; what the runs of a system differ
  by beyond that is drawn from Student's distribution.

With one run per system these are the usual tests. With several, dealing out outputs cannot know
that a run may be better as a whole: it asks about these runs, the bootstrap about the systems.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque.config import CompareOptions
from calque.metrics.metric import Metric, Statistics

PRODUCTS_PER_CHUNK = 1 << 18
"""Trials times sentences times statistics that are multiplied at once.

What is larger OpenBLAS gives to threads, and matrices as narrow as ours only wait for them.
"""

ROUNDING = 1e-9
"""Differences this close, relative to the larger score, are equal: sums in another order."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Interval:
    """Where a value lies with the confidence that was asked for."""

    low: float
    high: float


@dataclass(frozen=True)
class SystemScore:
    """The score of a system, and how it varies."""

    value: float
    """Mean over the runs."""
    interval: Interval
    sd_sentences: float
    """Standard deviation of one run's score over test sets like this one, by the bootstrap; mean
    over the runs. MultEval calls it s_sel (Clark et al. 2011)."""
    sd_runs: float | None
    """Standard deviation of one run's score around their mean; `None` for a single run."""
    runs: tuple[float, ...]


@dataclass(frozen=True)
class Difference:
    """The score of a system less that of the baseline; p-values are two-sided."""

    value: float
    interval: Interval
    p_bootstrap: float
    p_randomization: float


@dataclass(frozen=True)
class Comparison:
    """What one metric says of several systems."""

    systems: tuple[SystemScore, ...]
    differences: tuple[Difference, ...]
    """Of the second and every further system to the first, the baseline."""


def compare(
    metric: Metric,
    systems: Sequence[Sequence[Statistics]],
    options: CompareOptions | None = None,
) -> Comparison:
    """The scores of systems, and their differences to the first of them.

    `systems[i][r]` are the statistics of run r of system i; all have the same number of rows.
    """
    options = options or CompareOptions()
    scores = [_scores(metric, runs) for runs in systems]
    resampled = bootstrap(metric, systems, options)
    against_baseline = tuple(
        _system(own, draws, options.level) for own, draws in zip(scores, resampled, strict=True)
    )
    differences = []
    for i in range(1, len(systems)):
        value = float(scores[i].mean() - scores[0].mean())
        draws = resampled[i].with_runs - resampled[0].with_runs
        differences.append(
            Difference(
                value,
                _interval(draws, options.level),
                _share_beyond(draws - draws.mean(), value, against_baseline[0].value),
                randomization(metric, systems[0], systems[i], options),
            )
        )
    return Comparison(against_baseline, tuple(differences))


@dataclass(frozen=True)
class Resampled:
    """What the scores of one system do in resamples of the sentences."""

    sd_of_a_run: float
    """Standard deviation over the resamples, of each run alone; mean over runs."""
    with_runs: Array
    """The mean over runs in every resample, and what other runs would differ by added to it."""


def bootstrap(
    metric: Metric, systems: Sequence[Sequence[Statistics]], options: CompareOptions
) -> list[Resampled]:
    """The scores of the systems on the same `options.trials` resamples of the sentences."""
    random = np.random.default_rng([options.seed, 0])
    n_sentences = len(systems[0][0])
    columns = np.hstack([run for runs in systems for run in runs])
    sums = [
        _times_drawn(random, size, n_sentences) @ columns
        for size in _chunks(options.trials, columns.shape)
    ]
    totals = np.vstack(sums)
    resampled, begin = [], 0
    for runs in systems:
        width = runs[0].shape[1]
        end = begin + len(runs) * width
        scores = metric.score(totals[:, begin:end].reshape(options.trials, len(runs), width))
        others = _run_noise(random, scores, _scores(metric, runs))
        sd = float(scores.std(axis=0).mean())
        resampled.append(Resampled(sd, scores.mean(axis=1) + others))
        begin = end
    return resampled


def randomization(
    metric: Metric,
    baseline: Sequence[Statistics],
    system: Sequence[Statistics],
    options: CompareOptions,
) -> float:
    """The two-sided p-value (c + 1) / (trials + 1) of stratified approximate randomisation.

    c counts the trials that deal out a difference at least as large as the one observed.
    """
    random = np.random.default_rng([options.seed, 1])
    outputs = np.stack([*baseline, *system])
    totals = outputs.sum(axis=1)
    scores = metric.score(totals)
    observed = scores[len(baseline) :].mean() - scores[: len(baseline)].mean()
    # Where all outputs are equal there is nothing to deal out.
    outputs = outputs[:, (outputs != outputs[:1]).any(axis=(0, 2))]
    differences = outputs[:-1] - outputs[-1]
    dealt = []
    for size in _chunks(options.trials, outputs.shape[1:]):
        place = _permutations(random, len(outputs), size, outputs.shape[1])
        # One output comes to each place: the last one, unless it is replaced by another.
        sums = np.repeat(totals[-1:, None], len(outputs), axis=0).repeat(size, axis=1)
        for j in range(len(outputs) - 1):
            for own, difference in zip(place, differences, strict=False):
                sums[j] += (own == j).astype(np.float64) @ difference
        sums[-1] = totals.sum(axis=0) - sums[:-1].sum(axis=0)
        places = metric.score(sums)
        dealt.append(places[len(baseline) :].mean(axis=0) - places[: len(baseline)].mean(axis=0))
    return _share_beyond(np.concatenate(dealt), float(observed), float(scores.max()))


def _scores(metric: Metric, runs: Sequence[Statistics]) -> Array:
    return metric.score(np.stack([run.sum(axis=0) for run in runs]))


def _system(runs: Array, draws: Resampled, level: float) -> SystemScore:
    return SystemScore(
        float(runs.mean()),
        _interval(draws.with_runs, level),
        draws.sd_of_a_run,
        float(runs.std(ddof=1)) if len(runs) > 1 else None,
        tuple(float(run) for run in runs),
    )


def _run_noise(random: np.random.Generator, resampled: Array, observed: Array) -> Array:
    """What the mean over other runs might differ by, drawn once for every resample.

    Runs vary on a given test set (`observed`) because some are better as a whole and because each
    is lucky with other sentences. The second part shows in how they vary against each other over
    the resamples (n_trials, n_runs), and is in the resampled means already; only the first is drawn
    here. So few runs tell a variance badly: hence Student's distribution, not the normal.
    """
    n_trials, n_runs = resampled.shape
    if n_runs == 1:
        return np.zeros(n_trials)
    apart = resampled - resampled.mean(axis=1, keepdims=True)
    luck = apart.var(axis=0).sum() / (n_runs - 1)
    variance = max(0.0, float(observed.var(ddof=1) - luck))
    drawn: Array = math.sqrt(variance / n_runs) * random.standard_t(n_runs - 1, n_trials)
    return drawn


def _interval(draws: Array, level: float) -> Interval:
    low, high = np.quantile(draws, [level / 2, 1 - level / 2])
    return Interval(float(low), float(high))


def _share_beyond(draws: Array, observed: float, scale: float) -> float:
    """(c + 1) / (n + 1), where c of the n draws are at least as far from zero as `observed`."""
    slack = ROUNDING * max(abs(scale), abs(observed))
    c = np.count_nonzero(np.abs(draws) >= abs(observed) - slack)
    return float((c + 1) / (len(draws) + 1))


def _chunks(n_trials: int, shape: tuple[int, ...]) -> Iterator[int]:
    """Sizes that add up to `n_trials`, small enough to multiply with an array of this shape."""
    most = max(1, PRODUCTS_PER_CHUNK // max(1, math.prod(shape)))
    for begin in range(0, n_trials, most):
        yield min(most, n_trials - begin)


def _times_drawn(random: np.random.Generator, n_trials: int, n_sentences: int) -> Array:
    """How often each sentence is in each resample: (n_trials, n_sentences)."""
    drawn = random.integers(n_sentences, size=(n_trials, n_sentences))
    drawn += np.arange(0, n_trials * n_sentences, n_sentences)[:, None]
    times = np.bincount(drawn.ravel(), minlength=n_trials * n_sentences)
    return times.reshape(n_trials, n_sentences).astype(np.float64)


def _permutations(
    random: np.random.Generator, n_outputs: int, n_trials: int, n_sentences: int
) -> NDArray[np.uint8 | np.uint16]:
    """The place of every output, a permutation for each trial and sentence.

    Shape (n_outputs, n_trials, n_sentences). A place is the rank of a random number, counted by
    comparisons, which is faster than sorting as long as outputs are few.
    """
    keys = random.random((n_outputs, n_trials, n_sentences), dtype=np.float32)
    places = np.zeros(keys.shape, np.uint8 if n_outputs < 256 else np.uint16)
    for i in range(n_outputs):
        for j in range(i):
            later = keys[j] <= keys[i]
            places[i] += later
            places[j] += ~later
    return places

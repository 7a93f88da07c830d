"""Tests of significance against enumeration, formulas and simulations of the null."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest, Result

from calque.config import CompareOptions
from calque.data import CorpusFiles
from calque.metrics import make_metric
from calque.metrics.metric import Metric, PreparedReferences, Statistics
from calque.metrics.runs import statistics_of_runs
from calque.metrics.significance import bootstrap, compare, randomization
from calque.text import read_lines


class Ratio(Metric):
    """The first statistic over the second: a mean where the second counts sentences."""

    name: ClassVar[str] = "ratio"
    higher_is_better = True
    statistics_names = ("value", "count")
    signature = "ratio"

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        raise NotImplementedError

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        return statistics[..., 0] / statistics[..., 1]


RATIO = Ratio()


def values(numbers: NDArray[np.float64]) -> Statistics:
    return np.stack([numbers, np.ones(len(numbers))], axis=1)


def outputs(random: np.random.Generator, n_runs: int, n: int) -> list[Statistics]:
    """Runs of one system: hits of words in sentences of unequal lengths."""
    lengths = random.integers(5, 30, n)
    rates = random.beta(6, 4, n)
    return [
        np.stack([random.binomial(lengths, rates), lengths], axis=1).astype(np.float64)
        for _ in range(n_runs)
    ]


def exact_p(baseline: list[Statistics], system: list[Statistics]) -> float:
    """The share of all ways to deal out the outputs that give so large a difference."""
    pooled = np.stack([*baseline, *system])
    n_runs, n = len(baseline), pooled.shape[1]

    def difference(dealt: NDArray[np.float64]) -> float:
        scores = [run[:, 0].sum() / run[:, 1].sum() for run in dealt]
        return float(np.mean(scores[n_runs:]) - np.mean(scores[:n_runs]))

    observed = abs(difference(pooled))
    found = [
        abs(difference(np.stack([pooled[list(order), i] for i, order in enumerate(way)], axis=1)))
        for way in itertools.product(itertools.permutations(range(len(pooled))), repeat=n)
    ]
    return float(np.mean([chance >= observed - 1e-9 for chance in found]))


@given(st.integers(0, 10_000))
@settings(max_examples=10, deadline=None)
def test_randomisation_approaches_the_enumeration_of_all_swaps(seed: int) -> None:
    a, b = outputs(np.random.default_rng(seed), 2, 7)
    found = randomization(RATIO, [a], [b], CompareOptions(trials=4000, seed=seed))
    assert found == pytest.approx(exact_p([a], [b]), abs=0.04)


def test_runs_are_dealt_out_in_all_ways() -> None:
    for seed, (n_baseline, n_system) in enumerate([(2, 1), (1, 2), (2, 1)]):
        runs = outputs(np.random.default_rng(seed), 3, 4)
        a, b = runs[:n_baseline], runs[n_baseline : n_baseline + n_system]
        found = randomization(RATIO, a, b, CompareOptions(trials=4000))
        assert found == pytest.approx(exact_p(a, b), abs=0.04)


def test_the_bootstrap_of_a_mean_agrees_with_its_formula() -> None:
    random = np.random.default_rng(3)
    a, b = random.normal(10, 2, 400), random.normal(10.2, 2, 400)
    found = compare(RATIO, [[values(a)], [values(b)]], CompareOptions(trials=8000))
    for numbers, system in zip((a, b), found.systems, strict=True):
        error = numbers.std() / math.sqrt(len(numbers))
        assert system.value == pytest.approx(numbers.mean())
        assert system.sd_sentences == pytest.approx(error, rel=0.05)
        assert system.interval.low == pytest.approx(numbers.mean() - 1.96 * error, abs=0.1 * error)
        assert system.interval.high == pytest.approx(numbers.mean() + 1.96 * error, abs=0.1 * error)
    difference = found.differences[0]
    error = (b - a).std() / math.sqrt(len(a))  # of pairs: not the sum of both variances
    z = (b - a).mean() / error
    assert difference.value == pytest.approx((b - a).mean())
    assert difference.interval.low == pytest.approx((z - 1.96) * error, abs=0.1 * error)
    assert difference.interval.high == pytest.approx((z + 1.96) * error, abs=0.1 * error)
    assert difference.p_bootstrap == pytest.approx(math.erfc(abs(z) / math.sqrt(2)), abs=0.015)
    assert difference.p_randomization == pytest.approx(difference.p_bootstrap, abs=0.02)


N_WORLDS = 400
# A binomial of 400 worlds at 5 % leaves 7..35 once in twenty thousand.
NEAR_5_PERCENT = range(7, 36)


@pytest.mark.parametrize("n_runs", [1, 3])
def test_under_the_null_one_test_in_twenty_rejects(n_runs: int) -> None:
    random = np.random.default_rng(n_runs)
    n_bootstrap = n_randomization = 0
    for world in range(N_WORLDS):
        runs = outputs(random, 2 * n_runs, 100)
        options = CompareOptions(trials=199, seed=world)
        found = compare(RATIO, [runs[:n_runs], runs[n_runs:]], options).differences[0]
        n_bootstrap += found.p_bootstrap <= 0.05
        n_randomization += found.p_randomization <= 0.05
    assert n_randomization in NEAR_5_PERCENT
    if n_runs == 1:
        assert n_bootstrap in NEAR_5_PERCENT
    else:  # it also allows for runs that differ as a whole, of which there are none here
        assert n_bootstrap < NEAR_5_PERCENT.stop


def test_runs_that_are_better_as_a_whole_do_not_make_a_system_better() -> None:
    random = np.random.default_rng(5)
    n_bootstrap = n_randomization = 0
    for world in range(N_WORLDS):
        sentences = random.normal(0, 1, 100)
        runs = [
            values(sentences + random.normal(0, 1, 100) + random.normal(0, 0.3)) for _ in range(6)
        ]
        options = CompareOptions(trials=199, seed=world)
        found = compare(RATIO, [runs[:3], runs[3:]], options).differences[0]
        n_bootstrap += found.p_bootstrap <= 0.05
        n_randomization += found.p_randomization <= 0.05
    assert n_bootstrap < NEAR_5_PERCENT.stop
    assert n_randomization > 0.3 * N_WORLDS  # why it does not decide where there are several runs


@pytest.mark.parametrize("n_runs", [1, 3])
def test_a_real_difference_is_found(n_runs: int) -> None:
    random = np.random.default_rng(7)
    runs = outputs(random, 2 * n_runs, 300)
    for run in runs[n_runs:]:
        run[:, 0] += random.random(300) < 0.7
    found = compare(RATIO, [runs[:n_runs], runs[n_runs:]], CompareOptions(trials=1000))
    difference = found.differences[0]
    assert difference.p_bootstrap < 0.01
    assert difference.p_randomization < 0.01
    assert 0 < difference.interval.low < difference.value < difference.interval.high


def test_the_deviation_over_sentences_is_that_of_one_run_not_of_their_mean() -> None:
    random = np.random.default_rng(10)
    runs = [random.normal(50, 10, 400) for _ in range(4)]  # independent: their mean varies half
    (found,) = compare(RATIO, [[values(run) for run in runs]], CompareOptions(trials=4000)).systems
    of_one = np.mean([run.std() / 20 for run in runs])
    assert found.sd_sentences == pytest.approx(of_one, rel=0.05)


def test_the_variance_of_runs_is_told_apart_from_that_of_sentences() -> None:
    random = np.random.default_rng(9)
    sentences = random.normal(50, 10, 400)
    runs = [values(sentences + level) for level in (-1.0, 0.0, 1.0)]
    (found,) = compare(RATIO, [runs], CompareOptions(trials=4000)).systems
    assert found.sd_runs == pytest.approx(1)
    assert found.sd_sentences == pytest.approx(sentences.std() / 20, rel=0.05)
    assert found.runs == pytest.approx(sentences.mean() + np.array([-1, 0, 1]))
    (single,) = compare(RATIO, [runs[:1]], CompareOptions(trials=4000)).systems
    assert single.sd_runs is None
    wide, narrow = (system.interval.high - system.interval.low for system in (found, single))
    assert wide > 1.5 * narrow


def test_equal_systems_do_not_differ() -> None:
    (run,) = outputs(np.random.default_rng(1), 1, 20)
    difference = compare(RATIO, [[run], [run]], CompareOptions(trials=50)).differences[0]
    assert (difference.value, difference.p_bootstrap, difference.p_randomization) == (0, 1, 1)


def test_a_seed_gives_the_same_numbers_and_another_seed_others() -> None:
    systems = [[run] for run in outputs(np.random.default_rng(2), 3, 50)]
    once, again, other = (
        compare(RATIO, systems, CompareOptions(trials=300, seed=seed)) for seed in (4, 4, 5)
    )
    assert once == again
    assert once != other


def test_systems_are_resampled_together() -> None:
    (run,) = outputs(np.random.default_rng(3), 1, 50)
    first, second = bootstrap(RATIO, [[run], [run]], CompareOptions(trials=100))
    assert first.sd_of_a_run == second.sd_of_a_run


def test_p_values_and_intervals_agree_with_those_of_sacrebleu(corpus: CorpusFiles) -> None:
    first, second, *references = (list(read_lines(path)) for path in corpus.test_references)
    metric = make_metric("bleu", tokenize="none")
    runs = statistics_of_runs(metric, references, [first, second])
    found = compare(metric, [[run] for run in runs], CompareOptions(trials=4000))
    (difference,) = found.differences
    # Of resamples, theirs counts those that go too far to one side only.
    theirs = [_sacrebleu(kind, first, second, references) for kind in ("ar", "bs")]
    expected = [difference.p_randomization, difference.p_bootstrap / 2]
    assert [result.p_value for result in theirs] == pytest.approx(expected, abs=0.05)
    assert theirs[1].score == pytest.approx(found.systems[1].value)
    half = (found.systems[1].interval.high - found.systems[1].interval.low) / 2
    assert theirs[1].ci == pytest.approx(half, rel=0.15)


def _sacrebleu(
    kind: str, first: list[str], second: list[str], references: list[list[str]]
) -> Result:
    test = PairedTest(
        [("first", first), ("second", second)],
        {"bleu": BLEU(tokenize="none", force=True)},
        references,
        test_type=kind,
        n_samples=1000,
    )
    result = test()[1]["BLEU"][1]
    assert isinstance(result, Result)
    return result

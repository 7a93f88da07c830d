"""The exact line search against enumeration, for every metric."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tuning_lists import pooled, random_lists

from calque._core import LineSearch
from calque.hyps import Lists
from calque.metrics.metric import Metric
from calque.metrics.registry import METRIC_NAMES, make_metric, settings_of
from calque.tune.intervals import choose

METRICS = [name for name in METRIC_NAMES if name != "external"]


def metric_of(name: str) -> Metric:
    return make_metric(name, **({"tokenize": "none"} if "tokenize" in settings_of(name) else {}))


def crossings(lists: Lists, scores: list[float], slopes: list[float]) -> list[float]:
    """Every point at which two candidates of one sentence score the same."""
    found = set()
    for begin, end in pairwise(lists.offsets.tolist()):
        for i in range(begin, end):
            for j in range(i):
                if j >= begin and slopes[i] != slopes[j]:
                    found.add((scores[j] - scores[i]) / (slopes[i] - slopes[j]))
    return sorted(found)


def score_at(
    gamma: float, lists: Lists, scores: list[float], slopes: list[float], metric: Metric
) -> float:
    """The corpus score where each sentence takes its first best candidate."""
    total = np.zeros(lists.statistics.shape[1])
    for begin, end in pairwise(lists.offsets.tolist()):
        best = max(range(begin, end), key=lambda i: (scores[i] + gamma * slopes[i], -i))
        total += lists.statistics[best]
    return float(metric.score(total))


@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6), on_axis=st.booleans())
def test_every_interval_has_the_score_that_enumeration_finds(
    name: str, seed: int, on_axis: bool
) -> None:
    rng = np.random.default_rng(seed)
    metric = metric_of(name)
    lists = pooled(*random_lists(rng, 4, 5, 3), metric)
    search = LineSearch(lists.offsets, lists.dense, lists.statistics, threads=2)
    weights = rng.normal(size=3)
    direction = np.eye(3)[1] if on_axis else rng.normal(size=3)
    search.start(weights)
    breakpoints, statistics = search.along(direction)
    scores, slopes = lists.scores(weights), lists.scores(direction)
    assert (np.diff(breakpoints) > 0).all()
    assert len(statistics) == len(breakpoints) + 1
    found = metric.score(statistics)
    a, b = scores.tolist(), slopes.tolist()
    points = crossings(lists, a, b)
    middles = [(x + y) / 2 for x, y in pairwise(points) if y - x > 1e-9]
    for gamma in [points[0] - 1, *middles, points[-1] + 1]:
        interval = int(np.searchsorted(breakpoints, gamma))
        expected = score_at(gamma, lists, a, b, metric)
        assert found[interval] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_the_chosen_point_is_the_best_of_the_line(seed: int) -> None:
    rng = np.random.default_rng(seed)
    metric = metric_of("bleu")
    lists = pooled(*random_lists(rng, 4, 6, 2), metric)
    search = LineSearch(lists.offsets, lists.dense, lists.statistics, threads=1)
    weights, direction = rng.normal(size=2), rng.normal(size=2)
    search.start(weights)
    breakpoints, statistics = search.along(direction)
    chosen = choose(breakpoints, metric.score(statistics))
    a, b = lists.scores(weights).tolist(), lists.scores(direction).tolist()
    points = crossings(lists, a, b)
    inner = [(x + y) / 2 for x, y in pairwise(points) if y - x > 1e-6]
    best = max(score_at(x, lists, a, b, metric) for x in [points[0] - 1, *inner, points[-1] + 1, 0])
    assert score_at(chosen.gamma, lists, a, b, metric) == pytest.approx(best)


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(1)
    lists = pooled(*random_lists(rng, 200, 8, 3), metric_of("bleu"))
    weights, direction = rng.normal(size=3), rng.normal(size=3)
    found = []
    for threads in (1, 3):
        search = LineSearch(lists.offsets, lists.dense, lists.statistics, threads=threads)
        search.start(weights)
        search.along(direction)
        search.move(0.5)
        found.append((search.statistics(), *search.along(direction)))
    assert all((a == b).all() for a, b in zip(*found, strict=True))


@pytest.mark.parametrize("name", METRICS)
def test_a_moved_point_chooses_as_the_weights_do_where_it_has_come_to(name: str) -> None:
    rng = np.random.default_rng(1)
    lists = pooled(*random_lists(rng, 50, 8, 5), metric_of(name))
    search = LineSearch(lists.offsets, lists.dense, lists.statistics, threads=2)
    weights, direction = rng.normal(size=5), rng.normal(size=5)
    search.start(weights)
    search.along(direction)
    search.move(-0.7)
    expected = lists.statistics[lists.best(weights - 0.7 * direction)].sum(axis=0)
    assert search.statistics() == pytest.approx(expected)


def test_the_first_of_equal_candidates_is_chosen() -> None:
    features = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.2, 0.2]])
    search = LineSearch(np.array([0, 5]), features, np.arange(5.0)[:, None], threads=1)
    for weights in ([1.0, 0.0], [0.0, 1.0]):
        search.start(np.array(weights))
        breakpoints, statistics = search.along(np.array([1.0, -1.0]))
        assert statistics[:, 0].tolist() == [1.0, 0.0]
        assert breakpoints.tolist() == [(weights[1] - weights[0]) / 2]


def test_a_change_to_a_candidate_of_equal_statistics_is_no_breakpoint() -> None:
    features = np.array([[0.0], [1.0], [2.0], [3.0]])
    biases = np.column_stack([features, -(features**2)])
    statistics = np.array([[1.0], [2.0], [2.0], [3.0]])
    search = LineSearch(np.array([0, 4]), biases, statistics, threads=1)
    search.start(np.array([0.0, 1.0]))
    breakpoints, found = search.along(np.array([1.0, 0.0]))
    assert breakpoints.tolist() == [1.0, 5.0]
    assert found[:, 0].tolist() == [1.0, 2.0, 3.0]


def test_neighbours_make_a_lonely_peak_lose_to_a_plateau() -> None:
    breakpoints = np.arange(1.0, 8.0)
    scores = np.array([0.0, 0.0, 10.0, 0.0, 8.0, 8.0, 8.0, 0.0])
    assert choose(breakpoints, scores).gamma == 2.5
    assert choose(breakpoints, scores, neighbours=1).gamma == 5.5


def test_the_start_is_kept_where_nothing_is_better() -> None:
    assert choose(np.array([-1.0, 1.0]), np.array([1.0, 1.0, 0.5])).gamma == 0
    assert choose(np.array([]), np.array([1.0])).gamma == 0

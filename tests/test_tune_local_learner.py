"""Learning from events: eq. 9 against finite differences, the kernel against a slow reference."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from calque.errors import CalqueError
from calque.features.events import LEFT, NEUTRAL, RIGHT
from calque.tune.local.sets import SIDES, EventSets

DENSE, BLOCKS, PAIRS = 5, 12, 7
Vector = NDArray[np.float64]


def random_sets(seed: int, n_sets: int = 8, n_events: int = 20) -> EventSets:
    """Sets of one to five candidates, the first of them neutral."""
    rng = np.random.default_rng(seed)
    choices: list[list[int]] = []
    for i in range(n_sets):
        sides = [NEUTRAL] if i < 3 else [LEFT, RIGHT]
        all_choices = [SIDES * block + side for block in range(BLOCKS) for side in sides]
        n = int(rng.integers(1, 6))
        choices.append(sorted(rng.choice(all_choices, n, replace=False).tolist()))
    flat = [choice for of_event in choices for choice in of_event]
    pairs = [-1 if choice % SIDES == NEUTRAL else int(rng.integers(-1, PAIRS)) for choice in flat]
    sets = rng.integers(0, n_sets, n_events)
    return EventSets(
        np.cumsum([0, *map(len, choices)]).astype(np.int64),
        np.array(flat, np.int32),
        rng.normal(-3, 2, len(flat)).astype(np.float32),
        rng.normal(-5, 3, len(flat)).astype(np.float32),
        np.array(pairs, np.int32),
        sets.astype(np.int32),
        np.array([rng.integers(0, len(choices[s])) for s in sets], np.int32),
    )


def random_values(seed: int) -> NDArray[np.float32]:
    return np.random.default_rng(seed + 1000).normal(-2, 1, (BLOCKS, 4)).astype(np.float32)


def matrix(sets: EventSets, event: int, values: NDArray[np.float32]) -> Vector:
    """A row per candidate of an event: dense of either side, dense of neutral, pairs."""
    begin, end = sets.offsets[sets.sets[event] : sets.sets[event] + 2]
    rows = np.zeros((end - begin, 2 * DENSE + PAIRS))
    for row, at in zip(rows, range(begin, end), strict=True):
        block, side = divmod(int(sets.choices[at]), SIDES)
        unigram, right, left, lexical = values[block]
        orientation = {RIGHT: right, LEFT: left, NEUTRAL: 0}[side]
        first = DENSE if side == NEUTRAL else 0
        row[first : first + DENSE] = unigram, orientation, sets.first[at], sets.rest[at], lexical
        if sets.pairs[at] >= 0:
            row[2 * DENSE + sets.pairs[at]] = 1
    return rows


def loss(x: Vector, truth: int, weights: Vector) -> float:
    scores = x @ weights
    return math.log(np.exp(scores).sum()) - float(scores[truth])


def slow_pass(
    sets: EventSets,
    values: NDArray[np.float32],
    order: list[int],
    rule: str,
    rates: Vector,
    weights: Vector,
) -> tuple[Vector, float, int]:
    weights, total, n_alone = weights.copy(), 0.0, 0
    for event in order:
        x, truth = matrix(sets, event, values), int(sets.truths[event])
        n_alone += len(x) == 1
        total += loss(x, truth, weights)
        scores = x @ weights
        if rule == "sgd":
            p = np.exp(scores) / np.exp(scores).sum()
            weights += rates * sum(p[j] * (x[truth] - x[j]) for j in range(len(x)))
        elif len(x) > 1:
            margins = [math.inf if j == truth else scores[truth] - scores[j] for j in range(len(x))]
            j = int(np.argmin(margins))
            if margins[j] <= 0:
                weights += rates * (x[truth] - x[j])
    return weights, total, n_alone


def core_pass(
    sets: EventSets,
    values: NDArray[np.float32],
    order: list[int],
    rule: str,
    rates: Vector,
    fixed: NDArray[np.uint8],
    weights: Vector,
) -> tuple[Vector, float, int]:
    dense, pairs = weights[: 2 * DENSE].copy(), weights[2 * DENSE :].copy()
    problem = sets.problem(values, PAIRS)
    total, n_alone = problem.learn(
        np.array(order, np.int64),
        rule,
        rates[: 2 * DENSE].copy(),
        float(rates[2 * DENSE :].max()),
        fixed,
        dense,
        pairs,
    )
    return np.concatenate([dense, pairs]), total, n_alone


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["sgd", "perceptron"]))
def test_a_pass_moves_weights_as_the_slow_reference_does(
    seed: int, rule: Literal["sgd", "perceptron"]
) -> None:
    sets, values = random_sets(seed), random_values(seed)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(sets)).tolist()
    weights = rng.normal(0, 0.3, 2 * DENSE + PAIRS)
    rates = np.where(rng.random(2 * DENSE + PAIRS) < 0.3, 0.0, 0.05)
    fixed = (rng.random(PAIRS) < 0.3).astype(np.uint8)
    rates[2 * DENSE :] = np.where(fixed, 0, 0.02)
    found = core_pass(sets, values, order, rule, rates, fixed, weights)
    expected = slow_pass(sets, values, order, rule, rates, weights)
    assert found[0] == pytest.approx(expected[0], rel=1e-5, abs=1e-7)
    assert found[1] == pytest.approx(expected[1], rel=1e-5, abs=1e-7)
    assert found[2] == expected[2]
    assert np.array_equal(found[0][rates == 0], weights[rates == 0])


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000))
def test_a_step_goes_down_the_gradient_of_the_loss(seed: int) -> None:
    sets, values = random_sets(seed, n_events=1), random_values(seed)
    weights = np.random.default_rng(seed).normal(0, 0.3, 2 * DENSE + PAIRS)
    free = np.zeros(PAIRS, np.uint8)
    one = np.ones(2 * DENSE + PAIRS)
    moved = core_pass(sets, values, [0], "sgd", one, free, weights)[0] - weights
    problem = sets.problem(values, PAIRS)

    def core_loss(at: Vector) -> float:
        dense, pairs = at[: 2 * DENSE].copy(), at[2 * DENSE :].copy()
        return float(problem.losses(np.zeros(1, np.int64), dense, pairs, 1)[0])

    h = 1e-5
    for i in range(len(weights)):
        step = np.zeros(len(weights))
        step[i] = h
        slope = (core_loss(weights + step) - core_loss(weights - step)) / (2 * h)
        assert moved[i] == pytest.approx(-slope, rel=1e-4, abs=1e-6)


def test_losses_are_those_of_the_definition_whatever_the_threads() -> None:
    sets, values = random_sets(3, n_sets=50, n_events=20_000), random_values(3)
    weights = np.random.default_rng(3).normal(0, 0.3, 2 * DENSE + PAIRS)
    dense, pairs = weights[: 2 * DENSE].copy(), weights[2 * DENSE :].copy()
    problem, events = sets.problem(values, PAIRS), np.arange(0, len(sets), 2)
    one, four = (problem.losses(events, dense, pairs, threads) for threads in (1, 4))
    assert np.array_equal(one, four)
    for event in range(0, 400, 2):
        truth = int(sets.truths[event])
        expected = loss(matrix(sets, event, values), truth, weights)
        assert one[event // 2] == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_large_scores_do_not_overflow() -> None:
    sets, values = random_sets(4), random_values(4)
    weights = np.full(2 * DENSE + PAIRS, 1e4)
    order, fixed = list(range(len(sets))), np.zeros(PAIRS, np.uint8)
    rates = np.full(2 * DENSE + PAIRS, 1e-3)
    moved, total, _ = core_pass(sets, values, order, "sgd", rates, fixed, weights)
    assert np.isfinite(moved).all()
    assert np.isfinite(total)


def test_the_mean_loss_falls_over_passes_where_there_is_something_to_learn() -> None:
    sets, values = random_sets(5, n_sets=60, n_events=400), random_values(5)
    hidden = np.random.default_rng(5).normal(0, 1, 2 * DENSE + PAIRS)
    best = [int(np.argmax(matrix(sets, i, values) @ hidden)) for i in range(len(sets))]
    sets = replace(sets, truths=np.array(best, np.int32))
    weights = np.zeros(2 * DENSE + PAIRS)
    rates, fixed = np.full(2 * DENSE + PAIRS, 1e-3), np.zeros(PAIRS, np.uint8)
    rng, losses = np.random.default_rng(5), []
    for _ in range(5):
        order = rng.permutation(len(sets)).tolist()
        weights, total, _ = core_pass(sets, values, order, "sgd", rates, fixed, weights)
        losses.append(total)
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.7 * losses[0]


def test_arrays_that_do_not_belong_together_are_refused() -> None:
    sets, values = random_sets(6), random_values(6)
    good = sets.to_arrays()

    def changed(name: str, value: Any) -> dict[str, Any]:
        array = good[name].copy()
        array[-1] = value
        return {**good, name: array}

    for name, value, message in (
        ("offsets", 1000, "candidates"),
        ("choices", SIDES * BLOCKS, "candidates"),
        ("choices", 3, "a candidate lies on no side"),
        ("pairs", PAIRS, "pairs are out of range"),
        ("sets", -1, "sets of events"),
        ("truths", 50, "true candidates lie outside their sets"),
    ):
        with pytest.raises(CalqueError, match=message):
            EventSets.from_arrays(changed(name, value)).problem(values, PAIRS)
    problem = sets.problem(values, PAIRS)
    with pytest.raises(CalqueError, match="events"):
        problem.losses(np.array([99]), np.zeros(2 * DENSE), np.zeros(PAIRS), 1)
    with pytest.raises(CalqueError, match="dense weights"):
        problem.losses(np.array([0]), np.zeros(DENSE), np.zeros(PAIRS), 1)

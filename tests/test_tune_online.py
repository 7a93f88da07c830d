"""Losses and update rules: each against its formula, together against the kernel of MIRA."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tuning_lists import add, random_lists, with_sparse

from calque._core import AdaGradUpdate, SgdUpdate, mira_pass, move_columns
from calque.hyps import CandidatePool, Lists
from calque.tune.losses.hope_fear import HopeFearLoss
from calque.tune.losses.loss import Loss
from calque.tune.losses.perceptron import PerceptronLoss
from calque.tune.methods.mira import bundled
from calque.tune.online import Mean
from calque.tune.problem import Vector
from calque.tune.sentence import Direction, Sentence
from calque.tune.updates.adagrad import AdaGrad
from calque.tune.updates.passive_aggressive import PassiveAggressive
from calque.tune.updates.sgd import Sgd
from calque.tune.updates.update import Update


def some_lists(rng: np.random.Generator) -> Lists:
    nbest, references = random_lists(rng, 5, 4, 2)
    nbest = with_sparse(nbest, rng.random(len(nbest)) < 0.4)
    pool = CandidatePool(len(references), ["f0", "f1"])
    add(pool, nbest, lambda texts, sentences: np.zeros((len(texts), 1)))
    return pool.lists()


def rows_of(lists: Lists) -> Vector:
    """Every candidate as a full vector."""
    rows = np.zeros((len(lists), lists.n_features))
    rows[:, : lists.n_dense] = lists.dense
    for at in range(len(lists)):
        for i in range(lists.row_offsets[at], lists.row_offsets[at + 1]):
            rows[at, lists.n_dense + lists.columns[i]] = lists.values[i]
    return rows


def learned(
    lists: Lists, gains: Vector, order: list[int], loss: Loss, rule: Update, weights: Vector
) -> tuple[Vector, Vector]:
    """The last weights and the mean."""
    free = np.ones(lists.n_features, bool)
    free[1] = False
    weights, mean = weights.copy(), Mean(len(weights))
    for number in order:
        some = slice(lists.offsets[number], lists.offsets[number + 1])
        direction = loss.direction(Sentence(lists, number, gains[some]), weights, free)
        if direction is not None:
            before = weights[direction.features]
            rule.move(weights, direction)
            mean.add(direction.features, weights[direction.features] - before)
        mean.n_seen += 1
    return weights, mean.of(weights)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_hope_and_fear_with_passive_aggressive_steps_are_mira(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lists = some_lists(rng)
    gains, order = rng.random(len(lists)).round(2), rng.integers(0, 5, 12)
    weights, lag = rng.normal(size=lists.n_features), np.zeros(lists.n_features)
    found = learned(lists, gains, order.tolist(), HopeFearLoss(), PassiveAggressive(0.1), weights)
    frozen = np.array([0, 1] + [0] * (lists.n_features - 2), np.uint8)
    mira_pass(bundled(lists, 1), lists.dense, order, gains, frozen, 0.1, 0, weights, lag)
    assert np.allclose(found[0], weights)
    assert np.allclose(found[1], weights - lag / len(order))


@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_the_perceptron_goes_from_its_choice_to_the_best(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lists = some_lists(rng)
    rows, gains, weights = rows_of(lists), rng.random(len(lists)).round(1), rng.normal(size=3)
    weights = np.resize(weights, lists.n_features)
    expected = weights.copy()
    for number in range(5):
        some = np.arange(lists.offsets[number], lists.offsets[number + 1])
        scores = rows[some] @ expected
        chosen, best = some[np.argmax(scores)], some[np.lexsort((scores, gains[some]))[-1]]
        if gains[best] > gains[chosen]:
            expected += 0.5 * np.where(np.arange(len(expected)) == 1, 0, rows[best] - rows[chosen])
    found, _ = learned(lists, gains, list(range(5)), PerceptronLoss(), Sgd(0.5), weights)
    assert np.allclose(found, expected)


def test_steps_of_adagrad_shrink_feature_by_feature() -> None:
    rule, weights = AdaGrad(0.1, 3), np.zeros(3)
    for value in (3.0, 4.0):
        rule.move(weights, Direction(np.array([1]), np.array([value]), 1.0))
    rule.move(weights, Direction(np.array([2]), np.array([-4.0]), 1.0))
    assert weights.tolist() == pytest.approx([0.0, 0.1 * (1 + 4 / 5), -0.1])


def test_a_step_is_as_long_as_the_loss_asks_and_no_longer_than_allowed() -> None:
    for loss, expected in ((1.0, 0.04), (100.0, 0.5)):
        weights = np.zeros(2)
        direction = Direction(np.array([0, 1]), np.array([3.0, 4.0]), loss)
        PassiveAggressive(0.5).move(weights, direction)
        assert weights.tolist() == pytest.approx([3 * expected, 4 * expected])


@pytest.mark.parametrize("adaptive", [False, True])
def test_columns_move_as_in_numpy_whatever_the_threads(adaptive: bool) -> None:
    rng = np.random.default_rng(1)
    weights, lag, squares = rng.random((3, 20_000))
    columns = rng.permutation(20_000)[:15_000].astype(np.int32)
    values = rng.normal(size=15_000)
    change, expected_squares = 0.5 * values, squares.copy()
    if adaptive:
        expected_squares[columns] += values**2
        change /= np.sqrt(expected_squares[columns])
    expected, expected_lag = weights.copy(), lag.copy()
    expected[columns] += change
    expected_lag[columns] += 7 * change
    rule = AdaGradUpdate(9.0, 0.5) if adaptive else SgdUpdate(9.0, 0.5)
    results = []
    for threads in (1, 3):
        arrays = weights.copy(), lag.copy(), squares.copy()
        moved = move_columns(rule, columns, values, 7, *arrays, threads=threads)
        for array, wanted in zip(arrays, (expected, expected_lag, expected_squares), strict=True):
            assert np.allclose(array, wanted, rtol=1e-14)
        assert (moved == arrays[0][columns].astype(np.float32)).all()
        results.append(b"".join(array.tobytes() for array in arrays))
    assert results[0] == results[1]

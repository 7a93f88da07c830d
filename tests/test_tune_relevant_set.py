"""Losses, kernel and working copy of relevant-set learning, each against its formula."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from calque import _core
from calque.decode import CandidateLists
from calque.decode.derivation_features import SparseRows
from calque.hyps import CandidatePool, Lists
from calque.metrics.registry import make_metric
from calque.parallel import Here
from calque.tune.gain import background_gains, sentence_gains
from calque.tune.losses.costmargin import CostmarginLoss
from calque.tune.losses.loss import Loss
from calque.tune.losses.perceptron import PerceptronLoss
from calque.tune.problem import Vector
from calque.tune.relevant.mixed_passes import How, MixedPasses
from calque.tune.relevant.whole_passes import WholePasses
from calque.tune.sentence import Sentence
from calque.tune.updates.adagrad import AdaGrad
from calque.tune.updates.gradient import GradientSgd
from calque.tune.updates.passive_aggressive import PassiveAggressive
from calque.tune.updates.sgd import Sgd
from calque.tune.updates.update import Update
from calque.tune.working_copy import WorkingCopy, seen_often

SELECT = ("loss", "linear", "literal")


def lists_of(rows: list[list[dict[str, float] | Any]], dense_names: tuple[str, ...]) -> Lists:
    """Lists of candidates given by their features; names that are no dense ones are numbers."""
    pool = CandidatePool(len(rows), dense_names)
    flat = [candidate for candidates in rows for candidate in candidates]
    sparse = [{k: v for k, v in features.items() if k not in dense_names} for features in flat]
    entries = [(int(key), value) for features in sparse for key, value in sorted(features.items())]
    given = CandidateLists(
        np.array([len(candidates) for candidates in rows], np.int64),
        [str(at) for at in range(len(flat))],
        np.array(
            [[features.get(name, 0.0) for name in dense_names] for features in flat], float
        ).reshape(len(flat), len(dense_names)),
        np.zeros(len(flat)),
        SparseRows(
            np.concatenate([[0], np.cumsum([len(features) for features in sparse])]).astype(
                np.int64
            ),
            np.array([key for key, _ in entries], np.uint64),
            np.array([value for _, value in entries], np.float32),
        ),
    )
    pool.add(given, np.zeros((len(flat), 1)))
    return pool.lists()


def matrix(lists: Lists, clip: bool = False) -> Vector:
    """Every candidate as a full vector."""
    rows = np.zeros((len(lists), lists.n_features))
    rows[:, : lists.n_dense] = lists.dense
    for at in range(len(lists)):
        for i in range(lists.row_offsets[at], lists.row_offsets[at + 1]):
            rows[at, lists.n_dense + lists.columns[i]] = 1 if clip else lists.values[i]
    return rows


def random_problem(rng: np.random.Generator, counts: bool) -> Lists:
    """Sentences whose candidates share some features, all or most of them."""
    rows = []
    for _ in range(6):
        own = rng.choice(12, 6, replace=False)
        candidates = []
        for _ in range(int(rng.integers(1, 6))):
            some = own[rng.random(6) < 0.7]
            value = rng.integers(1, 3, 6) if counts else rng.normal(size=6).round(2) + 0.001
            sparse = {str(key): float(v) for key, v in zip(some, value, strict=False)}
            sparse[str(own[0])] = 1.0
            dense = {"f0": float(rng.integers(-2, 3)), "f1": round(float(rng.normal()), 2)}
            candidates.append({**dense, **sparse})
        rows.append(candidates)
    return lists_of(rows, ("f0", "f1"))


def core_loss(loss: Loss) -> Any:
    if isinstance(loss, CostmarginLoss):
        select = getattr(_core.CostmarginLoss.Select, loss.select)
        return _core.CostmarginLoss(select, loss.margin_factor, loss.all_truths, loss.near)
    assert isinstance(loss, PerceptronLoss)
    return _core.PerceptronLoss(loss.all_truths, loss.near)


LOSSES = [
    *(CostmarginLoss(*chosen) for chosen in product(SELECT, (True, False), (True, False))),
    PerceptronLoss(),
    PerceptronLoss(all_truths=True),
    CostmarginLoss(near=2),
    PerceptronLoss(near=2),
]
RULES: dict[str, tuple[Callable[[Vector], Update], Any]] = {
    "sgd": (Sgd, _core.SgdUpdate(0.3017, 0.2093)),
    "adagrad": (lambda rates: AdaGrad(rates, len(rates)), _core.AdaGradUpdate(0.3017, 0.2093)),
    "pa": (lambda rates: PassiveAggressive(0.4), _core.PassiveAggressiveUpdate(0.4)),
}


def slow(
    lists: Lists,
    order: list[int],
    gains: Vector,
    n_truths: NDArray[np.int64],
    loss: Loss,
    rule: Update,
    shrink: Vector,
    free: NDArray[np.bool_],
    weights: Vector,
) -> tuple[Vector, Vector]:
    """The last weights, and the mean over all sentences, step by step."""
    weights, history = weights.copy(), []
    for number in order:
        weights[free] *= shrink[free]
        some = slice(lists.offsets[number], lists.offsets[number + 1])
        sentence = Sentence(lists, number, gains[some], int(n_truths[number]))
        direction = loss.direction(sentence, weights, free)
        if direction is not None:
            rule.move(weights, direction)
        history.append(weights.copy())
    return weights, np.mean(history, axis=0)


@given(
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(LOSSES),
    rule=st.sampled_from(sorted(RULES)),
    counts=st.booleans(),
    shrinks=st.booleans(),
    from_zero=st.booleans(),
)
# A direction of which nothing but rounding is left.
@example(seed=294207, loss=LOSSES[2], rule="adagrad", counts=False, shrinks=False, from_zero=False)
@settings(max_examples=300, deadline=None)
def test_the_kernel_learns_as_the_slow_losses_and_rules_do(
    seed: int, loss: Loss, rule: str, counts: bool, shrinks: bool, from_zero: bool
) -> None:
    rng = np.random.default_rng(seed)
    lists = random_problem(rng, counts)
    gains = rng.random(len(lists)).round(1)  # with ties
    n_truths = rng.integers(0, np.diff(lists.offsets) + 1)
    order = rng.integers(0, 6, 15)
    n, n_dense = lists.n_features, lists.n_dense
    # Weights of many digits: scores that are equal but for rounding would fall out either way.
    start = np.zeros(n) if from_zero else rng.normal(size=n)
    free = rng.random(n) < 0.8
    free[0] = True
    start[~free] = rng.normal(size=(~free).sum())
    rates = np.where(np.arange(n) < n_dense, 0.3017, 0.2093)
    factors = (0.9, 0.95) if shrinks else (1.0, 1.0)
    shrink = np.where(np.arange(n) < n_dense, *factors)
    make, fast = RULES[rule]
    expected, mean = slow(
        lists, order.tolist(), gains, n_truths, loss, make(rates), shrink, free, start
    )

    dense = free[:n_dense]
    weights = np.concatenate([start[:n_dense][dense], start[n_dense:]])
    moving = np.concatenate([np.ones(dense.sum(), bool), free[n_dense:]])
    lag, squares, times = np.zeros(len(weights)), np.zeros(len(weights)), np.zeros(2)
    compared = WorkingCopy([lists], free, start, np.ones(n_dense), threads=2).lists
    for part in (order[:7], order[7:]):
        compared.learn(
            part, gains, n_truths, core_loss(loss), fast, *factors, weights, times, lag, squares
        )
    found = np.concatenate([start[:n_dense], weights[dense.sum() :]])
    found[:n_dense][dense] = weights[: dense.sum()]
    if shrinks:  # of weights that no score of these lists needs nothing is asked
        found[n_dense:][~free[n_dense:]] = start[n_dense:][~free[n_dense:]]
    assert found == pytest.approx(expected, abs=1e-9)
    scale = np.where(np.arange(len(weights)) < dense.sum(), *times)
    averaged = (weights * scale - lag) / len(order)
    everything = np.concatenate([mean[:n_dense][dense], mean[n_dense:]])
    assert averaged[moving] == pytest.approx(everything[moving], abs=1e-9)


@dataclass(frozen=True)
class Makes:
    """What the passes of several learners are told to make."""

    made: tuple[Any, Any]

    def loss(self) -> Any:
        """The loss of the core."""
        return self.made[0]

    def rule(self) -> Any:
        """The update rule of the core."""
        return self.made[1]


@given(
    seed=st.integers(0, 10**6),
    loss=st.sampled_from(LOSSES),
    rule=st.sampled_from(sorted(RULES)),
    n=st.integers(1, 7),
)
@settings(max_examples=100, deadline=None)
def test_learners_take_the_mean_over_those_that_know_a_feature(
    seed: int, loss: Loss, rule: str, n: int
) -> None:
    rng = np.random.default_rng(seed)
    lists = random_problem(rng, True)
    gains = rng.random(len(lists)).round(1)
    n_truths = rng.integers(0, np.diff(lists.offsets) + 1)
    n_dense, free = lists.n_dense, np.ones(lists.n_features, bool)
    start = rng.normal(size=lists.n_features).round(1)
    order = rng.permutation(6)
    copy = WorkingCopy([lists], free, start, np.ones(n_dense))
    rates = np.where(np.arange(lists.n_features) < n_dense, 0.3017, 0.2093)
    make, fast = RULES[rule]
    how = How(Makes((core_loss(loss), fast)), n_dense, (1.0, 1.0), average=True)
    passes = MixedPasses(copy, start.copy(), how, n, Here(1))
    passes.learn(order, gains, n_truths)

    change, knowing = np.zeros(len(start)), np.zeros(len(start))
    for part in _parts(n):
        own = order[np.isin(order, part)].tolist()
        _, mean = slow(
            lists, own, gains, n_truths, loss, make(rates), np.ones(len(start)), free, start
        )
        known = np.arange(len(start)) < n_dense
        for sentence in part:
            some = slice(copy.feature_offsets[sentence], copy.feature_offsets[sentence + 1])
            known[n_dense + copy.features[some]] = True
        change[known] += (mean - start)[known]
        knowing[known] += 1
    assert passes.result == pytest.approx(start + change / np.maximum(knowing, 1), abs=1e-9)


def _parts(n: int) -> list[NDArray[np.int64]]:
    """The six sentences in parts whose ends are as far apart as whole numbers can be."""
    cuts = sorted({at * 6 // n for at in range(n + 1)})
    return [np.arange(first, last) for first, last in pairwise(cuts)]


@given(seed=st.integers(0, 10**6), loss=st.sampled_from(LOSSES), counts=st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_whole_pass_moves_along_the_sum_of_all_directions(
    seed: int, loss: Loss, counts: bool
) -> None:
    rng = np.random.default_rng(seed)
    lists = random_problem(rng, counts)
    gains = rng.random(len(lists)).round(1)
    n_truths = rng.integers(0, np.diff(lists.offsets) + 1)
    n, free = lists.n_features, np.ones(lists.n_features, bool)
    weights = rng.normal(size=n).round(1)
    copy = WorkingCopy([lists], free, weights, np.ones(lists.n_dense))
    passes = WholePasses(
        copy.lists,
        weights.copy(),
        lists.n_dense,
        core_loss(loss),
        GradientSgd(1, 1, 0),
        penalty=0.1,
    )
    passes.learn(np.arange(6), gains, n_truths)
    expected = weights - 2 * 0.1 * 6 * weights
    for number in range(6):
        some = slice(lists.offsets[number], lists.offsets[number + 1])
        sentence = Sentence(lists, number, gains[some], int(n_truths[number]))
        direction = loss.direction(sentence, weights, free)
        if direction is not None:
            expected[direction.features] += direction.values
    assert passes.result == pytest.approx(expected, abs=1e-9)


@given(seed=st.integers(0, 10**6), counts=st.booleans(), clip=st.booleans())
@settings(max_examples=100, deadline=None)
def test_the_working_copy_has_all_differences_and_nothing_that_cancels(
    seed: int, counts: bool, clip: bool
) -> None:
    rng = np.random.default_rng(seed)
    lists = random_problem(rng, counts)
    kept = (rng.random(len(lists.keys)) < 0.8).astype(np.uint8)
    rows = lists.offsets, lists.row_offsets, lists.columns, lists.values
    parts = [_core.differences(*rows, first, first + 3, kept, clip, False, 2) for first in (0, 3)]
    n_features, features, n_entries, places, values, *masked = (
        np.concatenate(some) for some in zip(*(part[:-1] for part in parts), strict=True)
    )
    assert not any(map(len, masked))
    assert all(part[-1] == 0 for part in parts)
    assert values.dtype == (np.int16 if counts else np.float64)
    full = matrix(lists, clip)[:, lists.n_dense :] * kept
    feature_ends, entry_ends = np.cumsum(n_features), np.cumsum(n_entries)
    n_stored = 0
    for number in range(lists.n_sentences):
        some = full[lists.offsets[number] : lists.offsets[number + 1]]
        own = features[feature_ends[number] - n_features[number] : feature_ends[number]]
        differing = np.flatnonzero((some != some[0]).any(axis=0))
        assert own.tolist() == differing.tolist()
        found = np.zeros_like(some)
        for at in range(len(some)):
            row = lists.offsets[number] + at
            entries = slice(entry_ends[row] - n_entries[row], entry_ends[row])
            found[at, own[places[entries]]] = values[entries]
            n_stored += n_entries[row]
        assert found - found[0] == pytest.approx(some - some[0])
    assert n_stored <= np.count_nonzero(full)


def test_features_on_few_candidates_are_not_learned() -> None:
    lists = lists_of([[{"7": 1.0, "8": 1.0}, {"8": 2.0}], [{"9": 1.0}, {"8": 1.0}]], ())
    by_key = dict(zip(lists.keys.tolist(), seen_often(lists, 2).tolist(), strict=True))
    assert by_key == {7: False, 8: True, 9: False}
    assert seen_often(lists, 1).all()
    assert not seen_often(lists, 4).any()


HAND = [
    {"f0": 1.0, "f1": 0.0, "1": 1.0},
    {"f0": 0.0, "f1": 1.0},
    {"f0": 2.0, "f1": 2.0, "2": 3.0},
    {"f0": -1.0, "f1": 0.5, "1": 1.0},
]
GAINS = np.array([0.9, 0.4, 0.2, 0.9])
AT = np.array([0.5, -0.25, 0.1, 0.2])


def moved(loss: Loss, n_truths: int = 0, at: Vector = AT) -> tuple[Vector, float]:
    """The direction of a loss on the hand-made sentence as a full vector, and its loss."""
    lists = lists_of([HAND], ("f0", "f1"))
    direction = loss.direction(Sentence(lists, 0, GAINS, n_truths), at, np.ones(4, bool))
    full = np.zeros(4)
    if direction is None:
        return full, 0.0
    full[direction.features] = direction.values
    return full, direction.loss


def test_costmargin_is_the_formula_on_a_hand_made_sentence() -> None:
    rows = matrix(lists_of([HAND], ("f0", "f1")))
    scores = rows @ AT  # 0.6, -0.25, 1.1, -0.525
    assert scores.tolist() == pytest.approx([0.6, -0.25, 1.1, -0.525])
    # The truth is candidate 0: as good as 3, and of higher score. Of the others only 1 and 2 are
    # worse: psi = 0.5 * 0.15^2 and 0.7 * 1.5^2.
    expected = 0.7 * 1.5 * (rows[0] - rows[2])
    direction, loss = moved(CostmarginLoss())
    assert direction == pytest.approx(expected)
    assert loss == pytest.approx(0.7 * 1.5**2)
    assert moved(CostmarginLoss("linear"))[0] == pytest.approx(expected)
    assert moved(CostmarginLoss("literal"))[0] == pytest.approx(0.5 * 0.15 * (rows[0] - rows[1]))
    assert moved(CostmarginLoss(margin_factor=False))[0] == pytest.approx(0.7 * (rows[0] - rows[2]))


def test_costmargin_averages_over_truths() -> None:
    rows = matrix(lists_of([HAND], ("f0", "f1")))
    best, _ = moved(CostmarginLoss(), n_truths=2)
    assert best == pytest.approx(0.7 * 1.5 * (rows[0] - rows[2]))
    both, loss = moved(CostmarginLoss(all_truths=True), n_truths=2)
    second = 0.2 * 2.35 * (rows[1] - rows[2])
    assert both == pytest.approx((0.7 * 1.5 * (rows[0] - rows[2]) + second) / 2)
    assert loss == pytest.approx((0.7 * 1.5**2 + 0.2 * 2.35**2) / 2)


def test_nothing_moves_where_no_alternative_is_worse_or_the_margin_is_met() -> None:
    met = np.array([0.0, -5.0, 0.0, -10.0])  # all alternatives lie far behind
    for select in ("loss", "linear"):
        assert not moved(CostmarginLoss(select), at=met)[0].any()
        assert moved(CostmarginLoss(select, margin_factor=False), at=met)[0].any()
    for loss in (CostmarginLoss(), PerceptronLoss()):
        lists = lists_of([HAND], ("f0", "f1"))
        for equal in (np.full(4, 0.5), np.array([0.1, 0.2, 0.3, 0.4])):
            sentence = Sentence(lists, 0, equal, n_truths=0 if equal[0] == 0.5 else 1)
            assert loss.direction(sentence, AT, np.ones(4, bool)) is None


def test_the_perceptron_is_the_formula_on_a_hand_made_sentence() -> None:
    rows = matrix(lists_of([HAND], ("f0", "f1")))
    direction, loss = moved(PerceptronLoss())
    assert direction == pytest.approx(rows[0] - rows[2])
    assert loss == pytest.approx(0.5)
    assert not moved(PerceptronLoss(), n_truths=3)[0].any(), "the choice is a truth"
    all_two, _ = moved(PerceptronLoss(all_truths=True), n_truths=2)
    assert all_two == pytest.approx((rows[0] + rows[1]) / 2 - rows[2])
    from_nothing, _ = moved(PerceptronLoss(), at=np.zeros(4))
    assert from_nothing == pytest.approx(rows[0] - rows[2]), "of equal scores the worst"


@given(seed=st.integers(0, 10**6))
@settings(max_examples=50, deadline=None)
def test_the_direction_of_costmargin_is_its_gradient(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lists = random_problem(rng, counts=False)
    rows, gains = matrix(lists), rng.random(len(lists))
    weights, free = 0.3 * rng.normal(size=lists.n_features), np.ones(lists.n_features, bool)
    for number in range(lists.n_sentences):
        some = slice(int(lists.offsets[number]), int(lists.offsets[number + 1]))
        own, worth = rows[some], gains[some]
        best = int(np.argmax(worth))

        def psi(w: Vector, own: Vector = own, worth: Vector = worth, best: int = best) -> float:
            scores = own @ w
            margins = np.maximum(0, 1 - (scores[best] - scores))
            return float(((worth[best] - worth) * margins**2).max())

        direction = CostmarginLoss().direction(Sentence(lists, number, worth), weights, free)
        gradient = np.zeros(lists.n_features)
        if direction is not None:
            gradient[direction.features] = -2 * direction.values
            assert direction.loss == pytest.approx(psi(weights))
        for feature in range(lists.n_features):
            step = np.zeros(lists.n_features)
            step[feature] = 1e-6
            slope = (psi(weights + step) - psi(weights - step)) / 2e-6
            assert slope == pytest.approx(gradient[feature], abs=1e-4)


def test_candidates_are_worth_their_own_score() -> None:
    bleu = make_metric("bleu", tokenize="none")
    statistics = bleu.prepare([["a b c d e", "a b"]]).statistics(
        ["a b c d e", "a b x", "", "b"], np.array([0, 0, 0, 1])
    )
    plain = sentence_gains(bleu, statistics, brevity_penalty=False)
    # unigrams 2/3, bigrams (1 + 1) / (2 + 1), trigrams (0 + 1) / (1 + 1), fourgrams 1/1
    assert plain.tolist() == pytest.approx([1.0, (2 / 3 * 2 / 3 / 2) ** 0.25, 0.0, 1.0])
    short = sentence_gains(bleu, statistics, brevity_penalty=True)
    assert short[1] == pytest.approx(plain[1] * np.exp(1 - 5 / 3))
    assert short[3] == pytest.approx(np.exp(-1))
    for name in ("mwer", "reverse-mwer"):
        metric = make_metric(name, tokenize="none")
        references = metric.prepare([["a b", "a b"]])
        some = references.statistics(["a x", "c d e f"], np.array([0, 1]))
        assert sentence_gains(metric, some, True).tolist() == pytest.approx([0.5, -1.0])


def test_gains_are_the_same_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    matches = np.sort(rng.integers(0, 9, (50, 4)))[:, ::-1]
    lengths = rng.integers(9, 14, (50, 2))
    ngrams = np.maximum(lengths[:, :1] - np.arange(4), 0)
    statistics = np.concatenate([lengths, matches, ngrams], axis=1).astype(np.float64)
    bleu, offsets = make_metric("bleu"), np.arange(0, 51, 5)
    background = statistics[offsets[:-1]].sum(axis=0)

    def gains() -> list[Vector]:
        return [
            background_gains(bleu, statistics, offsets, background),
            sentence_gains(bleu, statistics, brevity_penalty=True),
        ]

    whole = gains()
    monkeypatch.setattr("calque.tune.gain.ROWS", 7)
    for some, expected in zip(gains(), whole, strict=True):
        np.testing.assert_array_equal(some, expected)

"""Expected BLEU over lists: value and derivatives against finite differences and a slow form."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from test_tune_relevant_set import lists_of, matrix, random_problem
from tuning_lists import planted, pooled, random_lists

from calque import _core
from calque.errors import CalqueError, OptionError
from calque.hyps import Lists
from calque.metrics.registry import make_metric
from calque.parallel import Here, engine_of
from calque.tune.judge import Judge
from calque.tune.problem import Vector
from calque.tune.sentence import Direction
from calque.tune.updates.adagrad import AdaGrad
from calque.tune.updates.sgd import Sgd
from calque.tune.working_copy import WorkingCopy
from calque.tune.xbleu import on_engine
from calque.tune.xbleu.mixing import Learners, Steps
from calque.tune.xbleu.objective import ExpectedWorth
from calque.tune.xbleu.worths import worths_of


def slow(
    rows: Vector, offsets: NDArray[np.int64], worths: Vector, scale: float, weights: Vector
) -> tuple[float, Vector]:
    """The sum of the expected worths and its derivatives, as the paper prints them (in scores)."""
    total, gradient = 0.0, np.zeros(len(weights))
    for begin, end in pairwise(offsets.tolist()):
        scores = scale * rows[begin:end] @ weights
        posterior = np.exp(scores - scores.max())
        posterior /= posterior.sum()
        mean = posterior @ worths[begin:end]
        total += mean
        gradient += scale * (posterior * (worths[begin:end] - mean)) @ rows[begin:end]
    return total, gradient


def copy_of(lists: Lists, moving: NDArray[np.bool_], start: Vector, **options: Any) -> WorkingCopy:
    return WorkingCopy([lists], moving, start, np.ones(lists.n_dense), **options)


def inner(lists: Lists, moving: NDArray[np.bool_], vector: Vector) -> Vector:
    """What of a vector a working copy knows: moving dense features, all sparse ones."""
    n_dense = lists.n_dense
    return np.concatenate([vector[:n_dense][moving[:n_dense]], vector[n_dense:]])


@given(
    seed=st.integers(0, 10**6),
    counts=st.booleans(),
    masks=st.booleans(),
    scale=st.sampled_from([1.0, 0.3, 4.0]),
    threads=st.sampled_from([1, 3]),
)
@settings(max_examples=200, deadline=None)
def test_value_and_derivatives_are_those_of_the_slow_form(
    seed: int, counts: bool, masks: bool, scale: float, threads: int
) -> None:
    rng = np.random.default_rng(seed)
    lists = random_problem(rng, counts)
    worths = rng.random(len(lists)).round(1)
    start = rng.normal(size=lists.n_features)
    moving = rng.random(lists.n_features) < 0.8
    copy = copy_of(lists, moving, start, masks=masks)
    gradient = np.zeros(len(inner(lists, moving, start)))
    own = inner(lists, moving, start)
    total = _core.expected_worth(copy.lists, worths, scale, own, threads, gradient)
    expected, derivatives = slow(matrix(lists), lists.offsets, worths, scale, start)
    assert total == pytest.approx(expected)
    assert total == _core.expected_worth(copy.lists, worths, scale, own, 1)
    mine = inner(lists, moving, np.where(moving, derivatives, 0.0))
    kept = inner(lists, moving, moving.astype(float)) > 0
    assert gradient[kept] == pytest.approx(mine[kept], abs=1e-12)


def many_lists(seed: int = 5, n_sentences: int = 2100) -> Lists:
    """More sentences than are added up together."""
    rng = np.random.default_rng(seed)
    rows = [
        [
            {str(key): 1.0 for key in rng.choice(20, 4, replace=False)}
            for _ in range(int(rng.integers(1, 7)))
        ]
        for _ in range(n_sentences)
    ]
    return lists_of(rows, ())


@pytest.mark.parametrize("masks", [False, True])
def test_threads_parts_and_files_change_no_bit(masks: bool) -> None:
    lists = many_lists()
    rng = np.random.default_rng(1)
    worths, weights = rng.random(len(lists)), rng.normal(size=lists.n_features)
    moving = np.ones(lists.n_features, bool)
    found = []
    whole = copy_of(lists, moving, weights, masks=masks)
    on_disk = copy_of(lists, moving, weights, on_disk=True, masks=masks)
    parts = [part_of(lists, 0, 700), part_of(lists, 700, 2100)]
    cut = WorkingCopy(parts, moving, weights, np.ones(0), masks=masks)
    assert whole.has_masks == masks
    for copy, threads in ((whole, 1), (whole, 2), (whole, 5), (on_disk, 2), (cut, 3)):
        gradient = np.zeros(len(weights))
        total = _core.expected_worth(copy.lists, worths, 1.0, weights, threads, gradient)
        found.append((total, gradient.tobytes()))
    assert len(set(found)) == 1


@pytest.mark.parametrize("place", [None, "processes"])
def test_a_pass_in_shards_has_the_bits_of_the_core(
    place: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(on_engine, "SENTENCES", 400)
    lists, rng = many_lists(), np.random.default_rng(1)
    lists = replace(lists, dense=rng.normal(size=(len(lists), 2)))
    worths, weights = rng.random(len(lists)), rng.normal(size=lists.n_features)
    copy = copy_of(lists, np.ones(lists.n_features, bool), weights, masks=True)
    here, there = np.ones(len(weights)), np.ones(len(weights))
    with engine_of(place, 2) as engine:
        shards = on_engine.EnginePass(copy, worths, 0.7, engine)
        total = _core.expected_worth(copy.lists, worths, 0.7, weights, 2, here)
        assert shards(weights, there) == total == shards(weights)
    assert there.tobytes() == here.tobytes()
    assert not (there == 1).any()


def part_of(lists: Lists, first: int, last: int) -> Lists:
    """Some sentences of lists."""
    begin, end = lists.offsets[first], lists.offsets[last]
    entries = slice(lists.row_offsets[begin], lists.row_offsets[end])
    return replace(
        lists,
        offsets=lists.offsets[first : last + 1] - begin,
        dense=lists.dense[begin:end],
        row_offsets=lists.row_offsets[begin : end + 1] - lists.row_offsets[begin],
        columns=lists.columns[entries],
        values=lists.values[entries],
        statistics=lists.statistics[begin:end],
        n_words=lists.n_words[begin:end],
    )


def test_what_rounding_leaves_of_nothing_is_nothing() -> None:
    """Rules that look at signs would take a whole step after it."""
    rows: list[Any] = [
        [{"7": 1.0}, {"8": 1.0}, {"9": 1.0}],  # all worth the same
        [{"7": 1.0, "8": 2.0}, {"7": 2.0, "8": 1.0}, {"9": 3.0}, {"9": 1.0}],  # 7, 8 cancel
    ]
    for counts in (True, False):
        lists = lists_of(
            rows if counts else [[{**candidate, "5": 0.5} for candidate in r] for r in rows], ()
        )
        worths = np.array([0.3, 0.3, 0.3, 0.1 + 0.2, 0.3, 0.9, 0.1])
        copy = copy_of(lists, np.ones(lists.n_features, bool), np.zeros(lists.n_features))
        gradient = np.zeros(lists.n_features)
        _core.expected_worth(copy.lists, worths, 1.0, np.zeros(lists.n_features), 1, gradient)
        by_key = dict(zip(lists.keys.tolist(), gradient.tolist(), strict=True))
        assert abs(by_key[7] - by_key[8]) < 1e-15
        assert by_key[9] != 0
        only = copy_of(part_of(lists, 0, 1), np.ones(lists.n_features, bool), gradient)
        gradient[:] = 0
        weights = np.random.default_rng(1).normal(size=lists.n_features)
        _core.expected_worth(only.lists, worths[:3], 1.0, weights, 1, gradient)
        assert not gradient.any()


def objective_of(lists: Lists, worths: Vector, **options: Any) -> ExpectedWorth:
    moving = np.ones(lists.n_features, bool)
    copy = copy_of(lists, moving, np.zeros(lists.n_features), masks=True)
    penalised = np.arange(lists.n_features) >= lists.n_dense
    return ExpectedWorth(
        copy.lists, worths, lists.n_sentences, moving=moving, penalised=penalised, **options
    )


@pytest.mark.parametrize("scale", [1.0, 0.4])
@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize(
    "variant",
    [
        {},
        {"clip_bp": True},
        {"clip_counts": False},
        {"smoothing": 1.0},
        {"clip_bp": True, "clip_counts": False, "smoothing": 0.0},
    ],
    ids=str,
)
def test_the_gradient_is_the_slope_of_the_objective(
    scale: float, l2: float, counts: bool, variant: dict[str, Any], tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    nbest, references = random_lists(rng, 6, 5, 2)
    (tmp_path / "r").write_text("".join(line + "\n" for line in references))
    metric = make_metric("bleu", tokenize="none")
    texts = pooled(nbest, references, metric)
    settings = {"clip_bp": False, "clip_counts": True, "smoothing": 5.0, **variant}
    worths = worths_of(Judge([tmp_path / "r"], metric), **settings)(0, texts)
    scores = make_metric("expected-bleu", tokenize="none", **settings).prepare([references])
    sentences = np.repeat(np.arange(6), np.diff(texts.offsets))
    assert worths * 100 == pytest.approx(scores.statistics(list(texts.texts), sentences)[:, 0])
    features = random_features(rng, texts.offsets, counts)
    objective = objective_of(features, worths, scale=scale, l2=l2)
    weights = rng.normal(size=features.n_features)
    value, gradient = objective.gradient(weights)
    assert value == objective.value(weights)
    step = 1e-6
    for at in range(len(weights)):
        moved = weights + step * (np.arange(len(weights)) == at)
        back = weights - step * (np.arange(len(weights)) == at)
        slope = (objective.value(moved).objective - objective.value(back).objective) / (2 * step)
        assert gradient[at] == pytest.approx(slope, rel=1e-5, abs=1e-8)


def random_features(rng: np.random.Generator, offsets: NDArray[np.int64], counts: bool) -> Lists:
    """Lists of as many candidates per sentence, with features of their own."""
    rows = [
        [
            {
                "f0": float(rng.normal()),
                **{
                    str(key): float(rng.integers(1, 3) if counts else rng.normal())
                    for key in rng.choice(8, 3, replace=False)
                },
            }
            for _ in range(n)
        ]
        for n in np.diff(offsets).tolist()
    ]
    return lists_of(rows, ("f0",))


def test_weights_that_may_not_move_have_no_gradient() -> None:
    lists = random_problem(np.random.default_rng(4), True)
    objective = objective_of(lists, np.random.default_rng(5).random(len(lists)), l2=0.1)
    objective.moving = np.arange(lists.n_features) % 2 == 0
    _, gradient = objective.gradient(np.ones(lists.n_features))
    assert not gradient[1::2].any()
    assert gradient[::2].any()


def test_lists_without_any_match_are_refused() -> None:
    lists = random_problem(np.random.default_rng(4), True)
    with pytest.raises(CalqueError, match="expected worth of a candidate is 0"):
        objective_of(lists, np.zeros(len(lists))).value(np.zeros(lists.n_features))


def test_variants_of_sentence_bleu_are_refused_for_other_metrics(tmp_path: Path) -> None:
    _, references = planted(tmp_path, 1, [1.0])
    judge = Judge([references], make_metric("ter"))
    with pytest.raises(OptionError, match="about sentence BLEU, not ter"):
        worths_of(judge, clip_bp=False, clip_counts=True, smoothing=5.0)


@pytest.mark.parametrize("rule", ["sgd", "adagrad"])
@pytest.mark.parametrize("batch", [1, 4, 100])
@pytest.mark.parametrize("l1", [0.0, 0.01])
def test_small_steps_are_those_of_the_slow_form(rule: str, batch: int, l1: float) -> None:
    rng = np.random.default_rng(batch)
    lists = random_problem(rng, True)
    n, n_dense = lists.n_features, lists.n_dense
    worths, order = rng.random(len(lists)), rng.permutation(lists.n_sentences)
    weights = rng.normal(size=n)
    moving, penalised = rng.random(n) < 0.8, np.arange(n) >= n_dense
    rates = np.where(np.arange(n) < n_dense, 0.3, 0.2)
    penalties = np.where(penalised, l1, 0.0)
    expected, l2, scale, factor = weights.copy(), 0.1, 0.7, 2.5
    slow_rule = Sgd(rates, l1=penalties) if rule == "sgd" else AdaGrad(rates, n, l1=penalties)
    rows, total = matrix(lists), 0.0
    for first in range(0, len(order), batch):
        gradient, before = np.zeros(n), expected.copy()
        some = order[first : first + batch]
        for at in some:
            own = lists.offsets[at : at + 2]
            worth, along = slow(rows, own, worths, scale, before)
            total += worth
            gradient += along
        gradient *= factor / len(some)
        touched = np.flatnonzero((np.abs(gradient) > 1e-12) & moving)
        values = gradient[touched] - 2 * l2 * (before * penalised)[touched]
        slow_rule.move(expected, Direction(touched, values, 0.0))
    found = weights.copy()
    core = _core.SgdStep(0.3, 0.2, l1) if rule == "sgd" else _core.AdaGradStep(0.3, 0.2, l1)
    copy = copy_of(lists, np.ones(n, bool), weights, masks=True)
    masks = moving.astype(np.uint8), penalised.astype(np.uint8)
    seen = _core.small_steps(
        copy.lists, worths, scale, order, batch, factor, l2, *masks, core, found, np.zeros(n)
    )
    assert seen == pytest.approx(total)
    assert found == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("rule", [_core.SgdStep, _core.AdaGradStep])
def test_learners_start_from_the_same_weights_and_give_the_mean_of_theirs(rule: Any) -> None:
    """Each passes over its own sentences; a weight is the mean over those that know its feature."""
    rng = np.random.default_rng(4)
    lists, n_learners = random_problem(rng, True), 3
    n, n_sentences, n_dense = lists.n_features, lists.n_sentences, lists.n_dense
    worths, weights, memory = rng.random(len(lists)), rng.normal(size=n), rng.random(n)
    copy = copy_of(lists, np.ones(n, bool), weights)
    moving, penalised = (rng.random(n) < 0.8).astype(np.uint8), np.ones(n, np.uint8)
    squares = memory.copy() if rule is _core.AdaGradStep else None
    found, rates = weights.copy(), (0.3, 0.2, 0.0)
    steps = Steps(found, squares, moving, penalised, rule, rates, 2, 2.5, 0.1)
    learners = Learners(copy, worths, 0.7, n_learners, Here(1))
    total = learners.learn(steps, np.random.default_rng(9))
    orders, cuts = np.random.default_rng(9), [n_sentences * k // n_learners for k in range(4)]
    ends, kept = list[Vector](), list[Vector]()
    knows, expected = list[NDArray[np.bool_]](), 0.0
    for first, last in pairwise(cuts):
        own, own_memory = weights.copy(), memory.copy()
        order = first + orders.permutation(last - first)
        expected += _core.small_steps(
            copy.lists, worths, 0.7, order, 2, 2.5, 0.1, moving, penalised, rule(*rates), own,
            own_memory,
        )  # fmt: skip
        features = copy.features[copy.feature_offsets[first] : copy.feature_offsets[last]]
        known = np.isin(np.arange(n), n_dense + features) | (np.arange(n) < n_dense)
        ends, kept, knows = [*ends, own], [*kept, own_memory], [*knows, known]
    assert total == pytest.approx(expected)
    for mixed, before, of_each in ((found, weights, ends), (squares, memory, kept)):
        if mixed is not None:
            shares = np.array(knows) / np.maximum(np.sum(knows, axis=0), 1)
            assert mixed == pytest.approx(before + (shares * (np.array(of_each) - before)).sum(0))
            assert (mixed != before).any()


def test_weights_of_many_chunks_are_penalised_alike_on_any_threads() -> None:
    rng, n = np.random.default_rng(8), 200_000
    weights, gradient = rng.normal(size=(2, n))
    moving, penalised = (rng.random((2, n)) < 0.6).astype(np.uint8)
    totals, gradients = set(), []
    for threads in (1, 3):
        totals.add(_core.penalised_squares(weights, penalised, threads))
        finished = gradient.copy()
        _core.finish_gradient(finished, 2.5, 0.3, weights, moving, penalised, threads)
        gradients.append(finished)
    assert len(totals) == 1
    assert totals.pop() == pytest.approx(weights[penalised > 0] @ weights[penalised > 0])
    expected = np.where(moving, 2.5 * gradient - 0.6 * weights * penalised, 0)
    assert gradients[0] == pytest.approx(expected)
    assert np.array_equal(*gradients)

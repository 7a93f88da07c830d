"""The objective over a store: features of few sentences stay, and are not even in the copy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from border_calls import int32, int64
from hypothesis import given, settings
from hypothesis import strategies as st
from test_tune_expected_bleu import many_lists, part_of, slow
from test_tune_relevant_set import matrix, random_problem

from calque import _core
from calque.decode import CandidateLists
from calque.decode.derivation_features import SparseRows
from calque.errors import CalqueError
from calque.hyps import CandidatePool, Lists
from calque.tune.problem import Vector
from calque.tune.xbleu.landscape import Landscape, Terms


def sentences_with(lists: Lists, differing: bool) -> Any:
    """Of how many sentences some candidates, or with `differing` not all alike, have a feature."""
    rows = matrix(lists)[:, lists.n_dense :]
    counts = np.zeros(rows.shape[1], int)
    for begin, end in zip(lists.offsets, lists.offsets[1:], strict=False):
        some = rows[begin:end]
        counts += (some != some[0]).any(axis=0) if differing else some.any(axis=0)
    return counts


def test_sentences_with_a_feature_are_counted_part_by_part() -> None:
    lists = many_lists(n_sentences=90)
    counts = _core.SentenceCounts(len(lists.keys))
    for first, last in ((0, 40), (40, 41), (41, 90)):
        some = part_of(lists, first, last)
        counts.add(some.offsets, some.row_offsets, some.columns)
    assert counts.counts().tolist() == sentences_with(lists, differing=False).tolist()


def test_more_than_255_sentences_are_not_told_apart() -> None:
    counts = _core.SentenceCounts(2)
    for _ in range(300):
        counts.add(int64(0, 2), int64(0, 1, 2), int32(1, 1))
    assert counts.counts().tolist() == [0, 255]


@pytest.mark.parametrize(
    "wrong",
    [
        (int64(), int64(0), int32()),
        (int64(0, 2), int64(0, 1), int32(0)),
        (int64(0, 1), int64(0, 2), int32(0)),
        (int64(0, 1), int64(0, 1), int32(3)),
        (int64(0, 1), int64(0, 1), int32(-1)),
    ],
)
def test_lists_that_do_not_fit_together_are_not_counted(wrong: tuple[Any, Any, Any]) -> None:
    with pytest.raises(CalqueError):
        _core.SentenceCounts(3).add(*wrong)


def pool_of(lists: Lists) -> CandidatePool:
    """A pool of these candidates, whose features have the same columns."""
    pool = CandidatePool(lists.n_sentences, lists.dense_names)
    pool.reserve_keys(lists.keys)
    rows = SparseRows(lists.row_offsets, lists.keys[lists.columns], lists.values.astype(float))
    texts = [str(at) for at in range(len(lists))]
    lengths = np.diff(lists.offsets)
    given = CandidateLists(lengths, texts, lists.dense, np.zeros(len(lists)), rows)
    assert pool.add(given, lists.statistics) == len(lists)
    return pool


def landscape_of(lists: Lists, worths: Vector, start: Vector, **terms: Any) -> Landscape:
    return Landscape(
        pool_of(lists).store,
        Terms(lambda first, some: worths, 0.8, 0.0, **terms),
        np.ones(lists.n_features, bool),
        start,
        np.ones(lists.n_dense),
        threads=1,
    )


@given(
    seed=st.integers(0, 10**6),
    counts=st.booleans(),
    least=st.integers(1, 5),
    rare_stay=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_what_is_learned_has_the_slope_of_the_slow_form(
    seed: int, counts: bool, least: int, rare_stay: bool
) -> None:
    rng = np.random.default_rng(seed)
    lists = random_problem(rng, counts)
    worths, start = rng.random(len(lists)), rng.normal(size=lists.n_features)
    here = landscape_of(lists, worths, start, least_sentences=least, rare_stay=rare_stay)
    differing = sentences_with(lists, differing=True)
    is_learned = np.append(np.ones(lists.n_dense, bool), differing >= least)
    assert (here.objective.moving == is_learned).all()
    weights = np.where(is_learned, rng.normal(size=lists.n_features), start)
    value, gradient = here.objective.gradient(weights)
    total, slopes = slow(matrix(lists), lists.offsets, worths, 0.8, weights)
    assert value.expected == pytest.approx(total / lists.n_sentences)
    assert gradient == pytest.approx(np.where(is_learned, slopes / total, 0), abs=1e-12)


def test_features_of_few_sentences_are_not_copied_unless_they_move() -> None:
    rng = np.random.default_rng(2)
    lists = random_problem(rng, True)
    worths, start = rng.random(len(lists)), rng.normal(size=lists.n_features)
    often = sentences_with(lists, differing=False) >= 4
    is_rare = np.append(np.zeros(lists.n_dense, bool), ~often)
    staying, moving = (
        landscape_of(lists, worths, start, least_sentences=4, rare_stay=stay)
        for stay in (True, False)
    )
    assert set(staying.copy.features.tolist()) <= set(np.flatnonzero(often).tolist())
    assert set(moving.copy.features.tolist()) - set(staying.copy.features.tolist())
    moved = start + is_rare
    assert staying.objective.value(moved) == staying.objective.value(start)
    total, _ = slow(matrix(lists), lists.offsets, worths, 0.8, moved)
    assert moving.objective.value(moved).expected == pytest.approx(total / lists.n_sentences)
    assert moving.objective.value(moved).expected != moving.objective.value(start).expected

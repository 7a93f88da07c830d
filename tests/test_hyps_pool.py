"""Pools: equal candidates are one, the order is that of arrival, and disk changes nothing."""

from __future__ import annotations

import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from calque.decode import CandidateLists
from calque.decode.derivation_features import SparseRows
from calque.features import SparseWeights, Weights
from calque.hyps import CandidatePool, Lists

ROW = st.tuples(
    st.integers(0, 2),
    st.sampled_from("ab"),
    st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 2.0])),
    st.dictionaries(st.sampled_from([7, 2**64 - 1, 3]), st.sampled_from([0.0, 1.0, 2.5])),
)
ROUNDS = st.lists(st.lists(ROW, min_size=1, max_size=12), min_size=1, max_size=3)
Row = tuple[int, str, tuple[float, float], dict[int, float]]


def candidates(rows: list[Row]) -> CandidateLists:
    rows = sorted(rows, key=lambda row: row[0])
    return CandidateLists(
        np.bincount([row[0] for row in rows], minlength=3).astype(np.int64),
        [row[1] for row in rows],
        np.array([row[2] for row in rows]),
        np.zeros(len(rows)),
        SparseRows(
            np.cumsum([0, *(len(row[3]) for row in rows)], dtype=np.int64),
            np.array([key for row in rows for key in row[3]], np.uint64),
            np.array([value for row in rows for value in row[3].values()], np.float64),
        ),
    )


def content(lists: Lists) -> list[Row]:
    found = []
    for sentence in range(lists.n_sentences):
        for at in range(lists.offsets[sentence], lists.offsets[sentence + 1]):
            some = slice(lists.row_offsets[at], lists.row_offsets[at + 1])
            keys = lists.keys[lists.columns[some]].tolist()
            sparse = dict(zip(keys, lists.values[some].tolist(), strict=True))
            x, y = lists.dense[at].tolist()
            found.append((sentence, lists.texts[at], (x, y), sparse))
            assert lists.statistics[at].tolist() == [ord(lists.texts[at])]
            assert lists.n_words[at] == 1
    return found


def measure(texts: list[str], sentences: NDArray[np.int64]) -> NDArray[np.float64]:
    assert len(sentences) == len(texts)
    return np.array([[float(ord(text))] for text in texts]).reshape(-1, 1)


def same(one: Lists, other: Lists) -> bool:
    names = ("keys", "offsets", "dense", "row_offsets", "columns", "values", "n_words")
    equal = all(
        getattr(one, name).dtype == getattr(other, name).dtype
        and np.array_equal(getattr(one, name), getattr(other, name))
        for name in (*names, "statistics")
    )
    return equal and list(one.texts) == list(other.texts)


@given(rounds=ROUNDS)
def test_a_pool_holds_each_candidate_once_in_order_of_arrival(rounds: list[list[Row]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pool, copy = CandidatePool(3, ["x", "y"], folder=folder), CandidatePool(3, ["x", "y"])
        expected: list[Row] = []
        for number, rows in enumerate(rounds):
            before = len(expected)
            for sentence, text, dense, sparse in sorted(rows, key=lambda row: row[0]):
                candidate = sentence, text, dense, {key: v for key, v in sparse.items() if v}
                if candidate not in expected:
                    expected.append(candidate)
            n_new = pool.add(candidates(rows), measure, name=str(number))
            assert n_new == len(expected) - before
        for path in sorted(folder.glob("*.npz")):
            copy.load(path)
        by_sentence = sorted(expected, key=lambda candidate: candidate[0])
        assert content(pool.lists()) == by_sentence
        assert same(pool.lists(), copy.lists())
        assert copy.add(candidates(rounds[-1]), measure) == 0


def test_what_a_candidate_has_twice_is_added_up() -> None:
    keys = np.array([7, 3, 7, 3, 3, 9, 9], np.uint64)
    counts = np.array([1.0, 1.0, 2.0, 1.0, 1.0, 2.0, -2.0])
    rows = SparseRows(np.array([0, 3, 4, 4, 7], np.int64), keys, counts)
    lists = CandidateLists(
        np.array([2, 2], np.int64), list("abcd"), np.zeros((4, 2)), np.zeros(4), rows
    )
    pool = CandidatePool(2, ["x", "y"])
    assert pool.add(lists, measure) == 4
    found = [(text, sparse) for _, text, _, sparse in content(pool.lists())]
    assert found == [("a", {3: 1.0, 7: 3.0}), ("b", {3: 1.0}), ("c", {}), ("d", {3: 1.0})]
    assert len(pool.lists().columns) == 4


@given(rounds=ROUNDS)
def test_what_is_in_files_is_the_same_bits_as_what_is_in_memory(rounds: list[list[Row]]) -> None:
    memory, files = CandidatePool(3, ["x", "y"]), CandidatePool(3, ["x", "y"])
    files.store._limit = 0  # less than any candidate takes
    for rows in rounds:
        assert memory.add(candidates(rows), measure) == files.add(candidates(rows), measure)
    assert memory.store.is_in_memory
    assert not files.store.is_in_memory
    assert same(memory.lists(), files.lists())
    streamed = [row for first, lists in files.store.stream() for row in shifted(lists, first)]
    assert streamed == content(memory.lists())


def shifted(lists: Lists, first: int) -> list[Row]:
    return [(row[0] + first, *row[1:]) for row in content(lists)]


@given(sentences=st.lists(st.integers(1, 4), min_size=1, max_size=6), limit=st.integers(1, 4000))
def test_a_stream_reads_every_sentence_once_and_no_more_at_a_time_than_it_must(
    sentences: list[int], limit: int
) -> None:
    n = sum(sentences)
    pool = CandidatePool(n, ["x", "y"])
    pool.store._limit = limit
    for number in range(2):
        first = 0
        for size in sentences:
            rows: list[Row] = [(0, "ab"[number], (float(i), 0.0), {i: 1.0}) for i in range(size)]
            lists = candidates(rows)
            each = CandidateLists(
                np.ones(size, np.int64), lists.texts, lists.dense, lists.scores, lists.sparse
            )
            pool.add(each, measure, first=first)
            first += size
    found = list(pool.store.stream())
    assert [first for first, _ in found] == sorted({first for first, _ in found})
    assert sum(lists.n_sentences for _, lists in found) == n
    assert all((np.diff(lists.offsets) == 2).all() for _, lists in found)
    together = [row for first, lists in found for row in shifted(lists, first)]
    assert together == content(pool.lists())
    smallest = 3 * max(outline.n_bytes for outline in pool.store._outlines)
    if limit < smallest:
        assert len(found) == len(sentences), "every part fills the memory alone"


def test_the_spread_within_lists_is_the_same_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 9, 200)
    n = int(lengths.sum())
    features = np.column_stack([rng.normal(size=(n, 3)), np.ones(n)])
    pool = CandidatePool(200, ["x", "y", "z", "one"])
    rows = SparseRows(np.zeros(n + 1, np.int64), np.empty(0, np.uint64), np.empty(0))
    texts = [str(at) for at in range(n)]
    pool.add(CandidateLists(lengths, texts, features, np.zeros(n), rows), np.zeros((n, 1)))
    begins = np.cumsum([0, *lengths])
    around = np.concatenate(
        [
            features[begin:end] - np.add.reduce(features[begin:end]) / max(end - begin, 1)
            for begin, end in pairwise(begins.tolist())
        ]
    )
    expected = [*np.sqrt((around[:, :3] ** 2).mean(axis=0)), 1.0]
    spreads = []
    for n_sentences in (1, 7, 200):
        monkeypatch.setattr("calque.hyps.lists.SENTENCES", n_sentences)
        spreads.append(pool.lists().spread())
        np.testing.assert_allclose(spreads[-1], expected, rtol=1e-12)
        np.testing.assert_array_equal(spreads[-1], spreads[0])


@given(rows=st.lists(ROW, min_size=1), weights=st.lists(st.integers(-3, 3), min_size=5, max_size=5))
def test_scores_are_weighted_sums(rows: list[Row], weights: list[int]) -> None:
    pool = CandidatePool(3, ["x", "y"])
    pool.add(candidates(rows), measure)
    keys = np.array([7, 2**64 - 1, 3], np.uint64)
    sparse = SparseWeights.from_arrays(keys, np.array(weights[2:], np.float32))
    named = Weights({"x": weights[0], "y": weights[1]}, sparse)
    scores = pool.lists().scores(pool.vector(named))
    expected = [
        dense[0] * named["x"]
        + dense[1] * named["y"]
        + sum(named.sparse[key] * value for key, value in counts.items())
        for _, _, dense, counts in content(pool.lists())
    ]
    assert np.allclose(scores, expected)
    again = pool.weights(pool.vector(named))
    present = {key for row in content(pool.lists()) for key in row[3] if named.sparse[key]}
    assert set(again.sparse.to_arrays()["keys"].tolist()) == present
    assert dict(again) == dict(named)


def test_equal_rows_score_equally_wherever_they_stand() -> None:
    rng = np.random.default_rng(1)
    n, width = 3000, 50
    keys = np.sort(rng.choice(10**6, width, replace=False)).astype(np.uint64)
    values = np.tile(rng.normal(size=width), n)
    lists = CandidateLists(
        np.array([n], np.int64),
        [str(i) for i in range(n)],
        np.zeros((n, 1)),
        np.zeros(n),
        SparseRows(np.arange(n + 1) * width, np.tile(keys, n), values),
    )
    pool = CandidatePool(1, ["x"])
    pool.add(lists, np.zeros((n, 1)))
    vector = np.concatenate([[0.0], rng.normal(size=width) * 1e6])
    assert len(set(pool.lists().scores(vector).tolist())) == 1


@given(rounds=ROUNDS)
def test_only_new_candidates_are_measured_and_the_pool_is_the_same(rounds: list[list[Row]]) -> None:
    given_rows, measured = (CandidatePool(3, ["x", "y"]) for _ in range(2))
    asked = 0

    def counted(texts: list[str], sentences: NDArray[np.int64]) -> NDArray[np.float64]:
        nonlocal asked
        asked += len(texts)
        return measure(texts, sentences)

    for rows in rounds:
        lists = candidates(rows)
        every = measure(lists.texts, np.zeros(len(lists.texts), np.int64))
        assert given_rows.add(lists, every) == measured.add(lists, counted)
    assert asked == len(measured)
    assert content(measured.lists()) == content(given_rows.lists())

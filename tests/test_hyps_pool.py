"""Pools: equal candidates are one, the order is that of arrival, and disk changes nothing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calque.hyps import CandidatePool, NBest

ROW = st.tuples(
    st.integers(0, 2),
    st.sampled_from("ab"),
    st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 2.0])),
    st.dictionaries(st.sampled_from(["s", "t", "u"]), st.sampled_from([0.0, 1.0])),
)
ROUNDS = st.lists(st.lists(ROW, min_size=1, max_size=12), min_size=1, max_size=3)
Row = tuple[int, str, tuple[float, float], dict[str, float]]


def nbest(rows: list[Row]) -> NBest:
    rows = sorted(rows, key=lambda row: row[0])
    names = ("x", "y", *sorted({name for row in rows for name in row[3]}))
    entries = [[("x", r[2][0]), ("y", r[2][1]), *r[3].items()] for r in rows]
    return NBest(
        names,
        np.array([row[0] for row in rows], np.int64),
        [row[1] for row in rows],
        np.cumsum([0, *map(len, entries)]).astype(np.int64),
        np.array([names.index(name) for some in entries for name, _ in some], np.int32),
        np.array([value for some in entries for _, value in some], np.float64),
    )


def content(pool: CandidatePool) -> list[tuple[int, str, tuple[float, ...], dict[str, float]]]:
    lists = pool.lists()
    found = []
    for sentence in range(lists.n_sentences):
        for at in range(lists.offsets[sentence], lists.offsets[sentence + 1]):
            some = slice(lists.row_offsets[at], lists.row_offsets[at + 1])
            names = [lists.names[lists.n_dense + column] for column in lists.columns[some]]
            sparse = dict(zip(names, lists.values[some].tolist(), strict=True))
            found.append((sentence, lists.texts[at], tuple(lists.dense[at].tolist()), sparse))
            assert lists.statistics[at].tolist() == [ord(lists.texts[at])]
    return found


def statistics(lists: NBest) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.array([[float(ord(text))] for text in lists.texts])


@given(rounds=ROUNDS)
def test_a_pool_holds_each_candidate_once_in_order_of_arrival(
    rounds: list[list[Row]], tmp_path_factory: object
) -> None:
    pool, copy = (CandidatePool(3, ["x", "y"]) for _ in range(2))
    expected: list[tuple[int, str, tuple[float, ...], dict[str, float]]] = []
    for number, rows in enumerate(rounds):
        before = len(expected)
        for sentence, text, dense, sparse in sorted(rows, key=lambda row: row[0]):
            one = sentence, text, dense, {name: v for name, v in sparse.items() if v}
            if one not in expected:
                expected.append(one)
        lists = nbest(rows)
        assert pool.add(lists, statistics(lists)) == len(expected) - before
        path = Path(tmp_path_factory.getbasetemp()) / f"{number}.npz"  # type: ignore[attr-defined]
        path.write_bytes(pool.last_batch())
        copy.load_batch(path)
    by_sentence = sorted(expected, key=lambda one: one[0])
    assert content(pool) == by_sentence
    assert content(copy) == by_sentence
    assert copy.names == pool.names
    last = nbest(rounds[-1])
    assert copy.add(last, statistics(last)) == 0


@given(rows=st.lists(ROW, min_size=1), weights=st.lists(st.integers(-3, 3), min_size=5, max_size=5))
def test_scores_are_weighted_sums(rows: list[Row], weights: list[int]) -> None:
    pool = CandidatePool(3, ["x", "y"])
    lists = nbest(rows)
    pool.add(lists, statistics(lists))
    by_name = dict(zip(("x", "y", "s", "t", "u"), map(float, weights), strict=True))
    scores = pool.lists().scores(np.array([by_name[name] for name in pool.names]))
    expected = [
        dense[0] * by_name["x"]
        + dense[1] * by_name["y"]
        + sum(by_name[name] * value for name, value in sparse.items())
        for _, _, dense, sparse in content(pool)
    ]
    assert np.allclose(scores, expected)


@given(rounds=ROUNDS)
def test_only_new_candidates_are_measured_and_the_pool_is_the_same(
    rounds: list[list[Row]],
) -> None:
    given_rows, measured = (CandidatePool(3, ["x", "y"]) for _ in range(2))
    asked = 0

    def measure(
        texts: list[str], sentences: np.ndarray[tuple[int], np.dtype[np.int64]]
    ) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
        nonlocal asked
        asked += len(texts)
        assert len(sentences) == len(texts)
        return np.array([[float(ord(text))] for text in texts]).reshape(-1, 1)

    for rows in rounds:
        lists = nbest(rows)
        assert given_rows.add(lists, statistics(lists)) == measured.add(lists, measure)
    assert asked == len(measured)
    assert content(measured) == content(given_rows)

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.text import Sentences, find_overlap

ROWS = st.lists(st.lists(st.integers(-1, 3), max_size=8), max_size=12)


def substrings(row: list[int], max_words: int) -> set[tuple[int, ...]]:
    n = len(row)
    return {tuple(row[i:j]) for i in range(n) for j in range(i + 1, min(i + max_words, n) + 1)}


def slow_overlap(
    rows: list[list[int]], test: list[list[int]], max_words: int, times: int
) -> list[bool]:
    wanted = set().union(*(substrings(row, max_words) for row in test))
    n_kept = dict.fromkeys(wanted, 0)
    keep = []
    for row in rows:
        shared = substrings(row, max_words) & wanted
        keep.append(any(times == 0 or n_kept[phrase] < times for phrase in shared))
        for phrase in shared if keep[-1] else ():
            n_kept[phrase] += 1
    return keep


@given(ROWS, ROWS, st.integers(1, 12), st.integers(0, 3))
def test_overlap_agrees_with_sets_of_tuples(
    rows: list[list[int]], test: list[list[int]], max_words: int, times: int
) -> None:
    found = find_overlap(Sentences.from_lists(rows), Sentences.from_lists(test), max_words, times)
    assert found.tolist() == slow_overlap(rows, test, max_words, times)


@pytest.mark.parametrize("times", [0, 1, 5])
def test_overlap_agrees_on_a_corpus_with_many_substrings(times: int) -> None:
    random = np.random.default_rng(1)
    rows, test = (
        [random.zipf(1.3, random.integers(30)).clip(max=500).tolist() for _ in range(n)]
        for n in (500, 100)
    )
    found = find_overlap(Sentences.from_lists(rows), Sentences.from_lists(test), 12, times)
    assert found.tolist() == slow_overlap(rows, test, 12, times)


def test_nothing_overlaps_with_nothing() -> None:
    empty = Sentences.from_lists([])
    assert find_overlap(empty, empty).tolist() == []
    assert find_overlap(Sentences.from_lists([[1], []]), empty).tolist() == [False, False]

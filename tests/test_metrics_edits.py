"""Error rates against a recursion of a few lines and values worked by hand."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.metrics import make_metric

words = st.lists(st.sampled_from("abcd"), max_size=7).map(tuple)


@cache
def levenshtein(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    if not a or not b:
        return len(a) + len(b)
    replaced = levenshtein(a[1:], b[1:]) + (a[0] != b[0])
    return min(replaced, levenshtein(a[1:], b) + 1, levenshtein(a, b[1:]) + 1)


def bag(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    return max(len(a), len(b)) - (Counter(a) & Counter(b)).total()


@pytest.mark.parametrize("name", ["mwer", "per"])
@given(words, st.lists(words.filter(len), min_size=1, max_size=3))
@settings(deadline=None)
def test_the_reference_with_the_lowest_rate_counts(
    name: str, hypothesis: tuple[str, ...], references: list[tuple[str, ...]]
) -> None:
    edits = levenshtein if name == "mwer" else bag
    expected = min(edits(hypothesis, r) / len(r) for r in references)
    metric = make_metric(name, tokenize="none")
    prepared = metric.prepare([[" ".join(r)] for r in references])
    (row,) = prepared.statistics([" ".join(hypothesis)])
    assert row[0] / row[1] == pytest.approx(expected)
    assert float(metric.score(row)) == pytest.approx(100 * expected)
    if name == "mwer":
        assert float(make_metric("reverse-mwer").score(row)) == pytest.approx(100 - 100 * expected)


@given(st.lists(st.tuples(words, st.lists(words.filter(len), min_size=2, max_size=2)), min_size=1))
def test_averages_are_means_over_sentences(
    sentences: list[tuple[tuple[str, ...], list[tuple[str, ...]]]],
) -> None:
    rates = [min(levenshtein(h, r) / len(r) for r in some) for h, some in sentences]
    texts = [[" ".join(some[k]) for _, some in sentences] for k in (0, 1)]
    lines = [" ".join(h) for h, _ in sentences]
    for name, expected in (
        ("avg-mwer", 100 * np.mean(rates)),
        ("avg-reverse-mwer", 100 - 100 * np.mean(rates)),
    ):
        metric = make_metric(name, tokenize="none")
        statistics = metric.prepare(texts).statistics(lines)
        assert float(metric.score(statistics.sum(axis=0))) == pytest.approx(expected)
        each = 100 * np.array(rates)
        wanted = each if name == "avg-mwer" else 100 - each
        np.testing.assert_allclose(metric.score(statistics), wanted, atol=1e-9)
        assert metric.higher_is_better == (name == "avg-reverse-mwer")


@pytest.mark.parametrize(
    ("name", "hypothesis", "references", "row", "score"),
    [
        ("mwer", "a x c", ["a b c", "a b c d e f"], [1, 3], 100 / 3),
        ("mwer", "", ["a b"], [2, 2], 100),
        ("mwer", "a b", ["", "c"], [2, 1], 200),  # nothing is a worse reference than any word
        ("mwer", "", ["", "c"], [0, 0], 0),
        ("mwer", "a", [""], [1, 0], 100),
        ("reverse-mwer", "a b c d", ["x"], [4, 1], -300),
        ("per", "c b a", ["a b c"], [0, 3], 0),
        ("per", "a a b", ["a b c d"], [2, 4], 50),
        ("ter", "b a c d", ["a b c d"], [1, 4], 25),  # one shift
    ],
)
def test_values_worked_by_hand(
    name: str, hypothesis: str, references: list[str], row: list[float], score: float
) -> None:
    metric = make_metric(name)
    statistics = metric.prepare([[line] for line in references]).statistics([hypothesis])
    np.testing.assert_array_equal(statistics[0], row)
    assert float(metric.score(statistics[0])) == pytest.approx(score)

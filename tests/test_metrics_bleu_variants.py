"""Sentence-level BLEU, against values worked by hand and the formulas written out."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.metrics import make_metric

# a b c x against a b c d: matches 3 2 1 0 of 4 3 2 1.
ONE = ("a b c x", ["a b c d"])
TWO_THIRDS = 2 / 3


@pytest.mark.parametrize(
    ("name", "setting", "case", "expected"),
    [
        ("avg-bleu", {}, ONE, 0.0),
        ("avg-bleu", {"smooth": True}, ONE, (3 / 4 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
        ("bleu+1", {}, ONE, (3 / 4 * 3 / 4 * 2 / 3 * 1 / 2) ** 0.25),
        # Half as long: no penalty for avg-bleu, exp(1 - 8/4) with one.
        ("avg-bleu", {}, ("a b c d", ["a b c d e f g h"]), 1.0),
        ("avg-bleu", {"bp": True}, ("a b c d", ["a b c d e f g h"]), math.exp(-1)),
        ("bleu+1", {}, ("a b c d", ["a b c d e f g h"]), math.exp(-1)),
        # p3 = (1 + 5 p0) / (2 + 5) with p0 = (2/3)^2 / (3/4); p4 = 5 (p3^2 / p2) / (1 + 5).
        (
            "expected-bleu",
            {},
            ONE,
            (
                3 / 4
                * TWO_THIRDS
                * (p3 := (1 + 5 * TWO_THIRDS**2 / (3 / 4)) / 7)
                * (5 * p3**2 / TWO_THIRDS / 6)
            )
            ** 0.25,
        ),
        # Twice as long as the reference: the factor is exp(1 - 4/8) unless it is capped.
        ("expected-bleu", {}, ("a b c d", ["a b c d"]), 1.0),
        ("expected-bleu", {"smoothing": 0}, ("a b c d a b c d", ["a b c d"]),
         math.exp(0.5) * (4 / 8 * 3 / 7 * 2 / 6 * 1 / 5) ** 0.25),
        ("expected-bleu", {"smoothing": 0, "clip_bp": True}, ("a b c d a b c d", ["a b c d"]),
         (4 / 8 * 3 / 7 * 2 / 6 * 1 / 5) ** 0.25),
        ("expected-bleu", {"smoothing": 0, "clip_counts": False, "clip_bp": True},
         ("a b c d a b c d", ["a b c d"]), (8 / 8 * 6 / 7 * 4 / 6 * 2 / 5) ** 0.25),
        # Two words: no trigrams, so p3 and p4 are the expected ones, all 1.
        ("expected-bleu", {}, ("a b", ["a b"]), 1.0),
        ("expected-bleu", {}, ("a", ["a b"]), 0.0),
        ("expected-bleu", {}, ("", ["a b"]), 0.0),
        ("expected-bleu", {}, ("", [""]), 0.0),
        ("bleu+1", {}, ("", ["a b"]), 0.0),
        ("avg-bleu", {"smooth": True}, ("", ["a"]), 0.0),
        # Counts are clipped by the reference that has a word most often.
        ("bleu+1", {}, ("a a a", ["a b c", "a a c"]), (2 / 3 * 2 / 3 * 1 / 2 * 1 / 1) ** 0.25),
    ],
)  # fmt: skip
def test_values_worked_by_hand(
    name: str, setting: dict[str, Any], case: tuple[str, list[str]], expected: float
) -> None:
    hypothesis, references = case
    metric = make_metric(name, tokenize="none", **setting)
    statistics = metric.prepare([[line] for line in references]).statistics([hypothesis])
    assert float(metric.score(statistics[0])) == pytest.approx(100 * expected)


def test_the_score_of_a_corpus_is_the_mean_of_its_sentences() -> None:
    metric = make_metric("bleu+1")
    statistics = metric.prepare([["a b c d", "e f g h"]]).statistics(["a b c d", "x"])
    np.testing.assert_allclose(statistics, [[100, 1], [0, 1]])
    assert float(metric.score(statistics.sum(axis=0))) == pytest.approx(50)


words = st.lists(st.sampled_from("abc"), max_size=8)


@given(words, st.lists(words, min_size=1, max_size=3))
def test_bleu_plus_one_is_its_formula(hypothesis: list[str], references: list[list[str]]) -> None:
    def ngrams(line: list[str], n: int) -> Counter[tuple[str, ...]]:
        return Counter(tuple(line[i : i + n]) for i in range(len(line) - n + 1))

    product = 1.0
    for n in range(1, 5):
        here = ngrams(hypothesis, n)
        there: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            there |= ngrams(reference, n)
        extra = n > 1
        total = sum(here.values()) + extra
        product *= ((here & there).total() + extra) / total if total else 0.0
    length = min((abs(len(r) - len(hypothesis)), len(r)) for r in references)[1]
    penalty = math.exp(min(0.0, 1 - length / len(hypothesis))) if hypothesis else 0.0
    metric = make_metric("bleu+1", tokenize="none")
    prepared = metric.prepare([[" ".join(r)] for r in references])
    ours = float(metric.score(prepared.statistics([" ".join(hypothesis)])[0]))
    assert ours == pytest.approx(100 * penalty * product**0.25)

"""NIST against nltk where the definitions agree, and against values worked by hand.

nltk takes, order by order, the reference with the most information for its counts and its length;
ours (as the definition says) clips by the largest count in any reference and holds the length
against the mean. With one reference they are the same.
"""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.nist_score import corpus_nist

from calque.metrics import make_metric

sentences = st.lists(st.sampled_from("abcd"), min_size=5, max_size=12)


def nist(hypotheses: list[str], references: list[list[str]]) -> float:
    metric = make_metric("nist", tokenize="none")
    return float(metric.score(metric.prepare(references).statistics(hypotheses).sum(axis=0)))


@given(st.lists(st.tuples(sentences, sentences), min_size=1, max_size=5))
@settings(deadline=None)
def test_one_reference_scores_as_in_nltk(pairs: list[tuple[list[str], list[str]]]) -> None:
    hypotheses = [hypothesis for hypothesis, _ in pairs]
    references = [[reference] for _, reference in pairs]
    ours = nist([" ".join(h) for h in hypotheses], [[" ".join(r) for _, r in pairs]])
    assert ours == pytest.approx(corpus_nist(references, hypotheses, n=5))


def test_values_worked_by_hand() -> None:
    # Reference words a a b: Info(a) = log2(3/2), Info(b) = log2 3, Info(a a) = Info(a b) = 1.
    assert nist(["a b"], [["a a b"]]) == pytest.approx(
        ((math.log2(1.5) + math.log2(3)) / 2 + 1) * 0.5  # two thirds of the length: half
    )
    # Two references: counts over both, a matches twice (in one of them), mean length 2.5.
    both = [["a a b"], ["a c"]]
    information = math.log2(5 / 3)
    assert nist(["a a a"], both) == pytest.approx(2 * information / 3 + math.log2(3 / 1) / 2)


def test_an_empty_hypothesis_scores_nothing() -> None:
    assert nist([""], [["a b"]]) == 0
    assert nist(["a"], [[""]]) == 0

"""BLEU, chrF and TER equal sacreBLEU's, corpus by corpus and sentence by sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from calque.metrics import full_signature, make_metric, score

WORDS = ["the", "The", "a", "cat", "sat", "mat", ".", ",", "don't", "(on)", "3.5", "ü", "猫が", "İ"]
LINES = st.one_of(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
    st.text(max_size=20),
    st.sampled_from(["", " ", "\t", "a\u00a0b \u2028c\u3000d\x1fe\x85f", "\u200bzero width"]),
)
PAIRS: list[tuple[str, dict[str, Any], Any]] = [
    ("bleu", {}, BLEU(force=True)),
    ("bleu", {"tokenize": "none"}, BLEU(tokenize="none", force=True)),
    (
        "bleu",
        {"tokenize": "intl", "lowercase": True},
        BLEU(tokenize="intl", lowercase=True, force=True),
    ),
    ("bleu", {"tokenize": "char"}, BLEU(tokenize="char", force=True)),
    ("bleu", {"tokenize": "zh"}, BLEU(tokenize="zh", force=True)),
    ("chrf", {}, CHRF()),
    ("chrf", {"word_order": 2}, CHRF(word_order=2)),
    (
        "chrf",
        {"char_order": 3, "word_order": 1, "beta": 1, "lowercase": True},
        CHRF(char_order=3, word_order=1, beta=1, lowercase=True),
    ),
    ("ter", {}, TER()),
    ("ter", {"case_sensitive": True}, TER(case_sensitive=True)),
]


@st.composite
def corpora(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    n_lines = draw(st.integers(1, 4))
    columns = st.lists(LINES, min_size=n_lines, max_size=n_lines)
    references = draw(st.lists(columns, min_size=1, max_size=4))
    hypotheses = draw(columns)
    if draw(st.booleans()):  # some outputs are perfect
        hypotheses[0] = references[-1][0]
    return hypotheses, references


@pytest.mark.parametrize(("name", "setting", "oracle"), PAIRS)
@given(corpus=corpora())
@settings(max_examples=60, deadline=None)
def test_corpora_and_sentences_score_as_in_sacrebleu(
    name: str, setting: dict[str, Any], oracle: Any, corpus: tuple[list[str], list[list[str]]]
) -> None:
    hypotheses, references = corpus
    metric = make_metric(name, **setting)
    statistics = metric.prepare(references).statistics(hypotheses)
    expected = oracle.corpus_score(hypotheses, references)
    assert float(metric.score(statistics.sum(axis=0))) == pytest.approx(expected.score, abs=1e-9)
    for i, line in enumerate(hypotheses):
        one = oracle.corpus_score([line], [[lines[i]] for lines in references])
        assert float(metric.score(statistics[i])) == pytest.approx(one.score, abs=1e-9)


@pytest.mark.parametrize(("name", "setting", "oracle"), PAIRS)
def test_signatures_are_those_of_sacrebleu(name: str, setting: dict[str, Any], oracle: Any) -> None:
    oracle.corpus_score(["a b"], [["a b"], ["a c"]])
    ours = full_signature(make_metric(name, **setting), 2)
    if setting.get("beta", 2) != 2:
        assert "|beta:1|" in ours
        ours = ours.replace("|beta:1", "")
    assert ours == str(oracle.get_signature())


@given(
    st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=90),
    st.randoms(use_true_random=False),
    st.integers(0, 60),
)
@settings(max_examples=25, deadline=None)
def test_long_shuffled_sentences_reach_the_limits_of_tercom(
    words: list[str], random: Any, n_more: int
) -> None:
    shuffled = [*words, *random.choices("abcxyz", k=n_more)]
    random.shuffle(shuffled)
    hypothesis, reference = " ".join(shuffled), " ".join(words)
    (ours,) = score([hypothesis], [[reference]], ["ter"])
    assert ours.value == pytest.approx(TER().corpus_score([hypothesis], [[reference]]).score)


@pytest.mark.parametrize(
    ("length", "expected"), [("closest", 4.0), ("shortest", 2.0), ("average", 11 / 3)]
)
def test_the_reference_length_follows_its_rule(length: str, expected: float) -> None:
    metric = make_metric("bleu", length=length, tokenize="none")
    prepared = metric.prepare([["a b c d"], ["a b c d e"], ["a b"]])
    statistics = prepared.statistics(["a b x y"])
    np.testing.assert_allclose(statistics[0], [4, expected, 2, 1, 0, 0, 4, 3, 2, 1])
    assert (f"|len:{length}|" in metric.signature) == (length != "closest")


def test_of_two_equally_close_references_the_shorter_counts() -> None:
    statistics = make_metric("bleu").prepare([["a b c"], ["a"]]).statistics(["a b"])
    assert statistics[0, 1] == 1


def test_score_gives_what_sacrebleu_gives_for_a_corpus() -> None:
    hypotheses = ["the cat sat on the mat .", "a dog barks", ""]
    references = [["the cat sits on a mat .", "the dog barks loudly", "nothing"]]
    bleu, chrf, ter = score(hypotheses, references, tokenize="none")
    oracle = BLEU(tokenize="none", force=True)
    assert bleu.value == pytest.approx(oracle.corpus_score(hypotheses, references).score)
    assert bleu.signature == str(oracle.get_signature())
    assert chrf.value == pytest.approx(CHRF().corpus_score(hypotheses, references).score)
    assert ter.value == pytest.approx(TER().corpus_score(hypotheses, references).score)
    assert not ter.higher_is_better

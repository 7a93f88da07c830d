"""Scores against the kenlm package, which reads the ARPA files that we write."""

from __future__ import annotations

import math
from pathlib import Path

import kenlm
import pytest
from lm_corpora import data, model_of_file

from calque.lm import LanguageModel, perplexity, read_arpa, write_arpa
from calque.text import read_lines


def check(model: LanguageModel, theirs: kenlm.Model, lines: list[str]) -> None:
    sentences = model.vocabulary.encode("".join(line + "\n" for line in lines))
    sums = model.score_sentences(sentences) / math.log(10)
    words = model.score_words(sentences)
    at = 0
    for line, total in zip(lines, sums, strict=True):
        assert total == pytest.approx(theirs.score(line), abs=1e-4)
        for log10_prob, matched, unknown in theirs.full_scores(line):
            assert words.log_probs[at] / math.log(10) == pytest.approx(log10_prob, abs=1e-4)
            assert words.unknown[at] == unknown
            assert unknown or words.matched[at] == matched
            at += 1
    assert at == len(words.log_probs)


@pytest.mark.parametrize(("corpus", "order"), [("eutrans", 3), ("multi30k", 5), ("eutrans", 6)])
def test_a_thousand_sentences_score_as_kenlm_scores_them(
    corpus: str, order: int, tmp_path: Path
) -> None:
    model = model_of_file(f"{corpus}/train.en", order)
    path = tmp_path / "model.arpa"
    write_arpa(model, path)
    theirs = kenlm.Model(str(path))
    mixed = ("eutrans/test.en", "multi30k/test.en", "multi30k/dev.de")  # the last: mostly unknown
    for name in mixed:
        check(model, theirs, list(read_lines(data(name)))[:400])
    sentences = model.vocabulary.encode(data("multi30k/test.en").read_text("utf-8"))
    report = perplexity(model, sentences)
    assert math.log10(report.value) * (report.n_words + len(sentences)) == pytest.approx(
        -sum(theirs.score(line) for line in read_lines(data("multi30k/test.en"))), rel=1e-5
    )
    assert str(report).startswith("1,000 sentences, ")


INCOMPLETE = r"""
\data\
ngram 1=5
ngram 2=9
ngram 3=6
ngram 4=1

\1-grams:
-1.5	<s>	-0.25
-0.7	</s>
-0.5	a	-0.3
-0.6	b	-0.125
-0.9	c	0.5

\2-grams:
-0.4	<s> a	-0.1
-0.3	a b	-0.2
-0.35	b c
-0.45	c c	-0.6
-0.55	a a	-0.5
-0.5	a c	-0.05
-0.4	c a	-0.07
-0.44	c b
-0.6	<s> c

\3-grams:
-0.2	<s> a b	-0.15
-0.25	a b a
-0.22	c c </s>
-0.23	a a b
-0.24	a c c
-0.26	c a a

\4-grams:
-0.1	<s> a b c

\end\
"""


def test_an_arpa_file_with_missing_ends_and_no_unknown_word_scores_as_in_kenlm(
    tmp_path: Path,
) -> None:
    path = tmp_path / "model.arpa"
    path.write_text(INCOMPLETE)
    model, theirs = read_arpa(path), kenlm.Model(str(path))
    words = ["a", "b", "c", "zzz"]
    lines = [" ".join((w, x, y, z)) for w in words for x in words for y in words for z in words]
    for line in lines:
        assert model.score(line) / math.log(10) == pytest.approx(theirs.score(line), rel=1e-5)

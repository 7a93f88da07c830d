"""METEOR against all alignments of short sentences, nltk, and values worked by hand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from nltk.stem.porter import PorterStemmer
from nltk.translate.meteor_score import meteor_score

from calque.errors import CalqueError
from calque.metrics import make_metric
from calque.metrics.porter import stem
from calque.metrics.wordnet import WordNet

ORACLE = PorterStemmer(mode=PorterStemmer.MARTIN_EXTENSIONS)
SUFFIXES = [
    *("s", "es", "ies", "sses", "ed", "ing", "eed", "ational", "tional", "enci", "anci", "izer"),
    *("bli", "alli", "entli", "eli", "ousli", "ization", "ation", "ator", "alism", "iveness"),
    *("fulness", "ousness", "aliti", "iviti", "biliti", "logi", "icate", "ative", "alize", "iciti"),
    *("ical", "ful", "ness", "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement"),
    *("ment", "ent", "ion", "sion", "tion", "ou", "ism", "ate", "iti", "ous", "ive", "ize"),
    *("y", "ll", "e"),
]


class NoSynonyms:
    """Stands in for WordNet, whose data nltk does not bring."""

    def synsets(self, word: str) -> list[object]:
        return []


def chunks(alignment: dict[int, int]) -> int:
    return sum(alignment.get(i - 1, -2) + 1 != j for i, j in alignment.items())


def alignments(hypothesis: list[str], reference: list[str]) -> Iterator[dict[int, int]]:
    places = [
        [None, *(j for j, there in enumerate(reference) if there == word)] for word in hypothesis
    ]
    for choice in itertools.product(*places):
        taken = [j for j in choice if j is not None]
        if len(set(taken)) == len(taken):
            yield {i: j for i, j in enumerate(choice) if j is not None}


def row(hypothesis: str, *references: str, **setting: object) -> list[float]:
    metric = make_metric("meteor", tokenize="none", **setting)
    statistics = metric.prepare([[line] for line in references]).statistics([hypothesis])
    return [float(value) for value in statistics[0]]


short = st.lists(st.sampled_from("aabc"), max_size=6)


@given(short, short)
@example(list("abab"), list("baab"))
@settings(max_examples=150, deadline=None)
def test_the_alignment_has_most_matches_and_then_fewest_chunks(
    hypothesis: list[str], reference: list[str]
) -> None:
    best = min((-len(a), chunks(a)) for a in alignments(hypothesis, reference))
    n_matches, n_chunks, *lengths = row(" ".join(hypothesis), " ".join(reference))
    assert (-n_matches, n_chunks) == best
    assert lengths == [len(hypothesis), len(reference)]


INFLECTED = ("walk", "walks", "walking", "walked", "cat", "cats", "cater", "catering", "the", "a")
distinct = st.lists(st.sampled_from(INFLECTED), min_size=1, unique_by=stem)


@given(distinct, st.lists(distinct, min_size=1, max_size=3), st.booleans())
@settings(deadline=None)
def test_sentences_score_as_in_nltk_where_no_word_is_repeated(
    hypothesis: list[str], references: list[list[str]], with_stems: bool
) -> None:
    """Nor two words of one stem: nltk aligns such words greedily and may count more chunks."""

    class NoStems:
        def stem(self, word: str) -> str:
            return word

    expected = meteor_score(
        references,
        hypothesis,
        stemmer=ORACLE if with_stems else NoStems(),
        wordnet=NoSynonyms(),
        alpha=0.9,
        beta=3,
        gamma=0.5,
    )
    metric = make_metric("meteor", stem=with_stems, tokenize="none")
    prepared = metric.prepare([[" ".join(line)] for line in references])
    ours = float(metric.score(prepared.statistics([" ".join(hypothesis)])[0]))
    assert ours == pytest.approx(100 * expected)


def test_values_worked_by_hand() -> None:
    # P = 3/4, R = 3/5, two chunks: the cat | mat
    assert row("the cat big mat", "the cat on a mat") == [3, 2, 4, 5]
    metric = make_metric("meteor", tokenize="none")
    f_mean = 10 * (3 / 4) * (3 / 5) / (3 / 5 + 9 * 3 / 4)
    expected = 100 * f_mean * (1 - 0.5 * (2 / 3) ** 3)
    assert float(metric.score(np.array([3.0, 2, 4, 5]))) == pytest.approx(expected)
    assert row("The Cat", "the cat") == [2, 1, 2, 2]
    assert row("The Cat", "the cat", lowercase=False) == [0, 0, 2, 2]


def test_the_best_reference_of_a_sentence_counts() -> None:
    assert row("a b c", "a x y", "a b d", "q") == [2, 1, 3, 3]
    assert row("", "a") == [0, 0, 0, 1]


def test_stems_match_after_equal_words() -> None:
    assert row("walks walked", "walking walked") == [1, 1, 2, 2]
    assert row("walks walked", "walking walked", stem=True) == [2, 1, 2, 2]
    # `walked` is taken by its equal although `walks` stands nearer.
    assert row("walks x walked", "walked y", stem=True) == [1, 1, 3, 2]


def test_a_long_sentence_of_one_word_is_one_chunk() -> None:
    assert row("a " * 150, "a " * 140) == [140, 1, 150, 140]


@given(
    st.text("abcdeilnosty", min_size=1, max_size=6),
    st.lists(st.sampled_from(SUFFIXES), max_size=2),
)
@settings(max_examples=400, deadline=None)
def test_stems_are_those_of_porter(beginning: str, suffixes: list[str]) -> None:
    word = beginning + "".join(suffixes)
    assert stem(word) == ORACLE.stem(word)


def test_stems_of_real_words_are_those_of_porter(shared_data: Path) -> None:
    words = set((shared_data / "multi30k" / "train.en").read_text(encoding="utf-8").split())
    assert len(words) > 5000
    wrong = [word for word in words if stem(word) != ORACLE.stem(word)]
    assert wrong == []


@pytest.fixture
def wordnet(tmp_path: Path) -> Path:
    """A folder in WordNet's format with a car, a dog and two ways to go."""
    licence = "  1 This stands for the licence.\n"
    index = {
        "noun": "auto n 1 2 @ ~ 1 1 02958343\ncar n 2 2 @ ~ 2 1 02958343 02959942\n"
        "mouse n 1 0 1 0 02330245\nrodent n 1 0 1 0 02330245\n",
        "verb": "go v 1 1 @ 1 1 01835496\ntravel v 1 1 @ 1 1 01835496\n",
        "adj": "big a 1 0 1 0 01382086\nlarge a 1 0 1 0 01382086\n",
        "adv": "",
    }
    for part, lines in index.items():
        (tmp_path / f"index.{part}").write_text(licence + lines)
    (tmp_path / "noun.exc").write_text("mice mouse\n")
    (tmp_path / "verb.exc").write_text("went go\n")
    return tmp_path


@pytest.mark.parametrize(
    ("hypothesis", "reference"),
    [
        ("car", "auto"),
        ("Cars", "auto"),
        ("mice", "rodents"),
        ("went", "travelled"),
        ("went", "traveling"),
        ("larger", "biggest"),
    ],
)
def test_synonyms_match_through_their_lemmas(
    hypothesis: str, reference: str, wordnet: Path
) -> None:
    matches = {"travelled": 0.0, "biggest": 0.0}.get(reference, 1.0)  # doubled letters: no rule
    assert row(hypothesis, reference) == [0, 0, 1, 1]
    assert row(hypothesis, reference, synonyms=wordnet) == [matches, matches, 1, 1]


def test_words_without_a_common_synset_do_not_match(wordnet: Path) -> None:
    assert row("car dog", "go cat", synonyms=wordnet) == [0, 0, 2, 2]
    assert row("the car went", "the auto travels", synonyms=wordnet) == [3, 1, 3, 3]


def test_a_folder_that_is_not_wordnet_is_one_clear_line(tmp_path: Path, wordnet: Path) -> None:
    with pytest.raises(CalqueError, match="no such folder, expected WordNet's files"):
        WordNet(tmp_path / "absent")
    (wordnet / "index.verb").write_text("go v one\n")
    with pytest.raises(CalqueError, match="index.verb: line 1: expected a lemma"):
        WordNet(wordnet)
    (wordnet / "index.verb").unlink()
    with pytest.raises(CalqueError, match="index.verb: no such file"):
        WordNet(wordnet)

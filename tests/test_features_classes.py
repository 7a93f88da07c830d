"""Levels of words and the language model over classes."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_features_brown import corpus_of, generated

from calque._core import hash_texts
from calque.config import ClassOptions
from calque.errors import CalqueError, LineError
from calque.features import (
    LEVELS,
    WordClasses,
    estimate_class_lm,
    learn_classes,
    read_brown,
    read_tags,
    word_type,
)
from calque.text import Vocabulary

CLASSES = WordClasses({"haus": "0110101", "klein": "10"}, {"haus": "NN"})

MASK = (1 << 64) - 1


def mix(x: int) -> int:
    """The hash of the core, in plain integers."""
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & MASK
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


@pytest.mark.parametrize(
    ("level", "word", "value"),
    [
        ("word", "haus", "haus"),
        ("char.first", "haus", "h"),
        ("char.last", "haus", "s"),
        ("char.first", "äh", "ä"),
        ("brown", "haus", "0110101"),
        ("brown6", "haus", "011010"),
        ("brown4", "haus", "0110"),
        ("brown4", "klein", "10"),
        ("brown4", "never", "<unk>"),
        ("brown", "<s>", "<s>"),
        ("char.first", "</s>", "</s>"),
        ("type", "<s>", "<s>"),
        ("type", "haus", "alphabetic"),
        ("tag", "haus", "NN"),
        ("tag", "klein", "<unk>"),
    ],
)
def test_a_word_has_a_value_at_each_level(level: str, word: str, value: str) -> None:
    assert CLASSES.value(level, word) == value


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        (".", "punctuation"),
        ("...", "punctuation"),
        ("€", "punctuation"),
        ("。", "punctuation"),
        ("12", "digits"),
        ("3.5", "digits"),
        ("1,000", "digits"),
        ("٣", "digits"),
        ("haus", "alphabetic"),
        ("t-shirt", "alphabetic"),
        ("don't", "alphabetic"),
        ("家", "other"),
        ("人々", "other"),
        ("ひと", "other"),
        ("コーヒー", "other"),
        ("ｺｰﾋｰ", "other"),
        ("Ｔシャツ", "other"),
        ("Ｔ", "alphabetic"),
        ("「", "punctuation"),
        ("사람", "alphabetic"),
        ("дом", "alphabetic"),
        ("कि", "alphabetic"),
        ("mp3", "other"),
        ("", "other"),
        ("\u200b", "other"),
    ],
)
def test_types_are_seen_in_any_script(word: str, kind: str) -> None:
    assert word_type(word) == kind


def test_unknown_words_take_the_class_that_was_learned_for_them() -> None:
    classes = WordClasses({"<unk>": "11001", "a": "0"})
    assert classes.value("brown4", "never") == "1100"
    assert classes.value("brown", "<unk>") == "11001"


def test_levels_without_data_are_absent() -> None:
    assert CLASSES.levels == LEVELS
    plain = WordClasses()
    assert plain.levels == ("word", "char.first", "char.last", "type")
    with pytest.raises(CalqueError, match="no word classes of level 'tag'; there are: word, char"):
        plain.value("tag", "haus")


def test_hashes_are_those_of_the_text() -> None:
    vocabulary = Vocabulary(["haus", "klein"])
    found = CLASSES.hashes("brown4", vocabulary)
    assert found.dtype == np.uint64
    assert found.tolist() == hash_texts(["<unk>", "<s>", "</s>", "0110", "10"]).tolist()


def reference_hash(text: str) -> int:
    """The hash of the core in plain integers: 8 bytes at a time, the last ones padded with 0."""
    data = text.encode()
    hashed = 0x9E3779B97F4A7C15 ^ len(data)
    for begin in range(0, len(data), 8):
        hashed = mix(hashed ^ int.from_bytes(data[begin : begin + 8], "little"))
    return mix(hashed)


@given(st.lists(st.text(max_size=20)))
def test_the_hash_depends_on_the_text_alone(texts: list[str]) -> None:
    assert hash_texts(texts).tolist() == [reference_hash(text) for text in texts]


def test_classes_come_back_from_their_texts_and_from_files(tmp_path: Path) -> None:
    assert WordClasses.from_texts(CLASSES.to_texts()) == CLASSES
    assert WordClasses.from_texts({}) == WordClasses()
    for text in ("haus 0110101\nklein 10\n", "0110101\thaus\t7\n10\tklein\t3\n"):
        (tmp_path / "paths").write_text(text)
        assert read_brown(tmp_path / "paths") == WordClasses(CLASSES.brown)


def test_a_word_takes_its_most_frequent_tag(tmp_path: Path) -> None:
    file = tmp_path / "tags"
    file.write_text("run VB\nthe DT\n\nrun\tNN\nrun NN\nof IN\nof RP\n")
    assert read_tags(file) == {"run": "NN", "the": "DT", "of": "IN"}
    assert CLASSES.with_tags(file).value("tag", "run") == "NN"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("haus 01\nklein\n", "line 2: expected 'word class'"),
        ("haus 01\nhaus 10\n", "line 2: the word 'haus' is given twice"),
        ("haus NN\n", "the class of 'haus' is 'NN', expected a string of bits"),
    ],
)
def test_a_bad_file_of_classes_is_one_clear_line(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "paths"
    file.write_text(text)
    with pytest.raises(CalqueError) as caught:
        read_brown(file)
    assert str(caught.value).startswith(str(file))
    assert message in str(caught.value)


def test_a_bad_file_of_tags_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "tags").write_text("haus NN\n\nein kleines haus\n")
    with pytest.raises(LineError, match="tags: line 3: expected 'word tag', found 'ein kleines ha"):
        read_tags(tmp_path / "tags")
    with pytest.raises(CalqueError, match="none"):
        read_tags(tmp_path / "none")


def test_the_model_of_classes_is_that_of_the_text_with_words_replaced() -> None:
    lines, _ = generated(200, seed=5)
    vocabulary, sentences = corpus_of(lines)
    options = ClassOptions(n_classes=6)
    classes = learn_classes(sentences, vocabulary, options)
    model = estimate_class_lm(sentences, vocabulary, classes, options)
    assert model.lm.order == 7
    assert len(model.lm.vocabulary) == 3 + 6
    assert model.class_of[:3].tolist() == [0, 1, 2]
    for line in lines[:20]:
        bits = " ".join(classes.value("brown", word) for word in line.split())
        ids = model.map(vocabulary.encode(line + "\n")).ids
        assert ids.tolist() == model.lm.vocabulary.encode(bits + "\n").ids.tolist()
        assert model.lm.score(bits) == model.lm.score(ids)


def test_the_probabilities_of_all_classes_sum_to_one() -> None:
    lines, _ = generated(100, seed=6)
    vocabulary, sentences = corpus_of(lines)
    options = ClassOptions(n_classes=5)
    classes = learn_classes(sentences, vocabulary, options)
    lm = estimate_class_lm(sentences, vocabulary, classes, options).lm
    core = lm.core
    state = core.begin()
    for word in (3, 4, 5, 3, 7, 6, 4):
        scores = [core.score(state, id)[0] for id in range(len(lm.vocabulary)) if id != 1]
        assert sum(map(math.exp, scores)) == pytest.approx(1, abs=1e-5)
        state = core.score(state, word)[1]

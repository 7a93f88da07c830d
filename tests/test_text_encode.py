"""Words to ids and back, against str.split and a Python dictionary."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque._core import WordTable
from calque.errors import CalqueError
from calque.text import RESERVED, UNKNOWN, CorpusEncoder, Sentences, Vocabulary, offsets_of

LETTERS = st.characters(exclude_categories=["Cs"], exclude_characters=" \n")
WORD = st.text("ab", min_size=1) | st.text(LETTERS, min_size=1, max_size=40)
SENTENCES = st.lists(st.lists(WORD))


def as_text(sentences: list[list[str]]) -> str:
    return "".join(" ".join(sentence) + "\n" for sentence in sentences)


@given(SENTENCES, SENTENCES)
def test_encoding_agrees_with_a_dictionary(known: list[list[str]], text: list[list[str]]) -> None:
    words = list(dict.fromkeys(w for s in known for w in s if w not in RESERVED))
    ids = {word: id for id, word in enumerate(words, len(RESERVED))}
    encoded = Vocabulary(words).encode(as_text(text))
    assert [row.tolist() for row in encoded] == [[ids.get(w, UNKNOWN) for w in s] for s in text]


@given(st.text("ab \n"))
def test_any_spacing_splits_as_str_split_does(text: str) -> None:
    encoder = CorpusEncoder()
    encoder.feed(text)
    vocabulary, sentences = encoder.finish()
    lines = text.removesuffix("\n").split("\n") if text else []
    assert [vocabulary.decode(row).split() for row in sentences] == [x.split() for x in lines]


@given(SENTENCES, st.data())
def test_the_vocabulary_falls_with_frequency_whatever_the_blocks(
    text: list[list[str]], data: st.DataObject
) -> None:
    cut = data.draw(st.integers(0, len(text)))
    encoder = CorpusEncoder()
    n_fed = encoder.feed(as_text(text[:cut])) + encoder.feed(as_text(text[cut:]))
    assert n_fed == sum(map(len, text))
    vocabulary, sentences = encoder.finish()
    counts = Counter(w for s in text for w in s if w not in RESERVED)
    assert list(vocabulary) == [*RESERVED, *(word for word, _ in counts.most_common())]
    expected = [["<unk>" if w in RESERVED else w for w in s] for s in text]
    assert [[vocabulary.word(id) for id in row] for row in sentences] == expected


@given(SENTENCES, st.data())
def test_what_is_not_kept_leaves_no_trace(text: list[list[str]], data: st.DataObject) -> None:
    keep = data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text)))
    whole, part = CorpusEncoder(), CorpusEncoder()
    whole.feed(as_text(text))
    part.feed(as_text([s for s, kept in zip(text, keep, strict=True) if kept]))
    vocabulary, sentences = whole.finish(np.array(keep, np.bool_))
    expected_vocabulary, expected = part.finish()
    assert sorted(vocabulary) == sorted(expected_vocabulary)
    assert list(map(vocabulary.decode, sentences)) == list(
        map(expected_vocabulary.decode, expected)
    )


@given(SENTENCES)
def test_a_vocabulary_survives_its_text(text: list[list[str]]) -> None:
    encoder = CorpusEncoder()
    encoder.feed(as_text(text))
    vocabulary, _ = encoder.finish()
    again = Vocabulary.from_text(vocabulary.to_text())
    assert again == vocabulary
    assert hash(again) == hash(vocabulary)


def test_a_table_of_many_words_finds_them_all() -> None:
    table = WordTable()
    words = [f"w{i}" for i in range(20_000)]
    assert [table.add(word) for word in words] == list(range(20_000))
    assert [table.find(word) for word in words] == list(range(20_000))
    assert [table.word(i) for i in range(20_000)] == words
    assert table.find("w20000") == -1
    with pytest.raises(IndexError):
        table.word(20_000)


def test_words_of_every_length_are_told_apart() -> None:
    words = ["x" * n + end for n in range(70) for end in ("", "a", "b", "\0", "é") if n or end]
    encoder = CorpusEncoder()
    encoder.feed(" ".join(words))
    vocabulary, sentences = encoder.finish()
    assert len(vocabulary) == len(RESERVED) + len(set(words))
    assert vocabulary.decode(sentences[0]).split(" ") == words


def test_a_word_listed_twice_is_one_clear_line() -> None:
    with pytest.raises(CalqueError, match=r"^the vocabulary lists the word 'a' twice$"):
        Vocabulary(["a", "b", "a"])


def test_words_that_were_not_fed_are_minus_one() -> None:
    encoder = CorpusEncoder()
    encoder.feed("a b\n")
    assert encoder.encode(["b c\n", "a\n"]).ids.tolist() == [4, -1, 3]
    assert encoder.encode([]).ids.tolist() == []


@given(st.lists(st.lists(st.integers(0, 9))), st.data())
def test_sentences_select_as_lists_do(rows: list[list[int]], data: st.DataObject) -> None:
    keep = data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    sentences = Sentences.from_lists(rows)
    assert len(sentences) == len(rows)
    assert sentences.n_words == sum(map(len, rows))
    assert sentences.lengths.tolist() == list(map(len, rows))
    selected = sentences.select(np.array(keep, np.bool_))
    assert [r.tolist() for r in selected] == [r for r, k in zip(rows, keep, strict=True) if k]
    assert offsets_of(selected.lengths).tolist() == selected.offsets.tolist()


def test_a_sentence_beyond_the_end_is_an_index_error() -> None:
    for index in (-1, 1):
        with pytest.raises(IndexError):
            Sentences.from_lists([[1]])[index]

"""Estimation against lmplz's own output, a slow reference and what probabilities must do."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lm_corpora import Listener, corpus, data, entries, model_of, model_of_file

from calque.config.lm import LmOptions
from calque.errors import CalqueError, FileError, OptionError
from calque.lm import LanguageModel, estimate, write_arpa
from calque.lm.discounts import discounts
from calque.text import END, START, UNKNOWN, Sentences, Vocabulary

Gram = tuple[int, ...]
corpora = st.lists(st.lists(st.integers(3, 8), max_size=8), min_size=1, max_size=40)


@pytest.mark.parametrize(
    ("order", "oracle"),
    [(3, "moses/lm.eutrans.o3.arpa.gz"), (5, "moses/eutrans.model/lm.arpa.gz")],
)
def test_the_model_is_the_one_that_lmplz_writes(order: int, oracle: str, tmp_path: Path) -> None:
    expected = entries(data(oracle))
    write_arpa(model_of_file("eutrans/train.en", order), tmp_path / "ours.arpa")
    ours = entries(tmp_path / "ours.arpa")
    assert ours.keys() == expected.keys()
    for words, numbers in expected.items():
        assert ours[words] == pytest.approx(numbers, abs=2e-6), words


def test_discounts_are_those_that_lmplz_prints() -> None:
    printed = 0.761504, 0.578104, 0.766254
    assert discounts([1539, 241, 150, 110]) == pytest.approx((0, *printed), abs=1e-6)


def reference(sentences: list[list[int]], n_words: int, order: int) -> Callable[[Gram, int], float]:
    """p(word after history), straight from the formulas (Chen and Goodman 1998)."""
    padded = [[START, *sentence, END] for sentence in sentences]
    plain = [
        Counter(tuple(s[i : i + n]) for s in padded for i in range(len(s) - n + 1))
        for n in range(order + 1)
    ]
    adjusted = [Counter(grams) for grams in plain]
    for n in range(1, order):
        before = Counter(gram[1:] for gram in plain[n + 1])
        adjusted[n] = Counter({g: c if g[0] == START else before[g] for g, c in plain[n].items()})
    del adjusted[1][(START,)]
    # lmplz tallies the ends of the last n-gram, as sorted from the last word, by plain counts.
    words = dict.fromkeys([UNKNOWN, START, END, *(word for s in sentences for word in s)])
    rank = {word: i for i, word in enumerate(words)}
    padding = [START] * (order - 2)
    grams = ((padding + s)[i : i + order] for s in padded for i in range(len(s) + order - 2))
    last = max(grams, key=lambda g: [rank[w] for w in reversed(g)], default=[])
    taken = [[0.0] * 4] * (order + 1)
    for n in range(1, order + 1):
        counts = dict(adjusted[n])
        if n < order and tuple(last[-n:]) in plain[n] and order > 1:
            counts[tuple(last[-n:])] = plain[n][tuple(last[-n:])]
        tally = Counter(counts.values())
        taken[n] = list(discounts([tally[i] for i in range(1, 5)]) or (0, 0.5, 1, 1.5))

    followers: dict[Gram, list[Gram]] = defaultdict(list)
    for n in range(1, order + 1):
        for gram in adjusted[n]:
            followers[gram[:-1]].append(gram)

    def probability(history: Gram, word: int) -> float:
        n = len(history) + 1
        lower = probability(history[1:], word) if history else 1 / (n_words - 1)
        of_context = [adjusted[n][gram] for gram in followers[history]]
        if not of_context:
            return lower
        count = adjusted[n][(*history, word)]
        left = sum(taken[n][min(c, 3)] for c in of_context)
        return (count - taken[n][min(count, 3)] + left * lower) / sum(of_context)

    return probability


@settings(max_examples=60, deadline=None)
@given(corpora, st.integers(1, 7), st.data())
def test_probabilities_equal_a_slow_reference(
    lists: list[list[int]], order: int, draw: st.DataObject
) -> None:
    vocabulary = Vocabulary("abcdef")
    model = estimate(Sentences.from_lists(lists), vocabulary, LmOptions(order=order))
    probability = reference(lists, len(vocabulary), order)
    some = draw.draw(st.sampled_from(lists)) if draw.draw(st.booleans()) else []
    history = some + draw.draw(st.lists(st.integers(0, 8).filter(lambda w: w not in (1, 2))))
    state, total = model.core.begin(), 0.0
    for word in history:
        state = model.core.score(state, word)[1]
    kept = tuple([START, *history][-(order - 1) :]) if order > 1 else ()
    for word in (UNKNOWN, *range(END, len(vocabulary))):
        log_prob = model.core.score(state, word)[0]
        assert math.exp(log_prob) == pytest.approx(probability(kept, word), rel=1e-4)
        total += math.exp(log_prob)
    assert total == pytest.approx(1, abs=1e-5)


def test_probabilities_of_a_real_model_sum_to_1() -> None:
    model = model_of_file("eutrans/train.en", 5)
    words = [UNKNOWN, *range(END, len(model.vocabulary))]
    random = np.random.default_rng(1)
    text = model.vocabulary.encode(data("eutrans/dev.en").read_text("utf-8"))
    for sentence in random.choice(len(text), 20):
        state = model.core.begin()
        for word in text[int(sentence)]:
            state = model.core.score(state, int(word))[1]
            total = sum(math.exp(model.core.score(state, w)[0]) for w in words)
            assert total == pytest.approx(1, abs=1e-5)


def same(a: LanguageModel, b: LanguageModel) -> bool:
    left, right = a.to_arrays(), b.to_arrays()
    return left.keys() == right.keys() and all(
        left[name].tobytes() == right[name].tobytes() for name in left
    )


def test_little_memory_gives_the_same_model(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    lines = [" ".join(map(str, random.zipf(1.3, 30) % 5000)) for _ in range(3000)]
    vocabulary, sentences = corpus("\n".join(lines) + "\n")
    options = LmOptions(order=4, memory_mb=1, temporary=str(tmp_path))
    on_disk = estimate(sentences, vocabulary, options)
    assert isinstance(on_disk.to_arrays()["table.4"], np.memmap)
    assert same(on_disk, estimate(sentences, vocabulary, LmOptions(order=4)))
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_folder_that_does_not_exist_is_one_clear_line(tmp_path: Path) -> None:
    vocabulary, sentences = corpus("a b c d e f g\n" * 2000)
    options = LmOptions(memory_mb=1, temporary=str(tmp_path / "no"))
    with pytest.raises(FileError, match=r"no: working files cannot be created here: No such file"):
        estimate(sentences, vocabulary, options)


@pytest.mark.parametrize("order", range(1, 7))
def test_one_sentence_is_enough_and_the_listener_is_warned_of_every_order(order: int) -> None:
    vocabulary, sentences = corpus("a b\n")
    listener = Listener()
    model = estimate(sentences, vocabulary, LmOptions(order=order), listener)
    assert model.order == order
    assert len(listener.warnings) == order
    assert "discounts of order 1" in listener.warnings[0]
    assert model.score("a b") > model.score("b c")


def test_empty_lines_are_sentences() -> None:
    assert model_of("a\n\n\n\n", 2).score("") > model_of("a\n\n", 2).score("")
    assert math.isfinite(model_of("\n", 3).score(""))


def test_words_that_only_the_vocabulary_has_score_as_unknown() -> None:
    vocabulary = Vocabulary(["a", "b", "never"])
    model = estimate(vocabulary.encode("a b\nb a a\n"), vocabulary, LmOptions(order=3))
    assert model.score("a never") == model.score("a other")


@pytest.mark.parametrize("order", [0, 8])
def test_an_impossible_order_is_one_clear_line(order: int) -> None:
    vocabulary, sentences = corpus("a\n")
    with pytest.raises(OptionError, match=f"order={order}: expected a whole number from 1 to 7"):
        estimate(sentences, vocabulary, LmOptions(order=order))


def test_no_sentence_and_foreign_ids_are_one_clear_line() -> None:
    vocabulary = Vocabulary(["a"])
    with pytest.raises(CalqueError, match="at least one sentence"):
        estimate(Sentences.from_lists([]), vocabulary)
    for id in (-1, START, END, 4):
        with pytest.raises(CalqueError, match=f"^sentence 2: {id} is not the id of a word"):
            estimate(Sentences.from_lists([[3], [3, id]]), vocabulary)

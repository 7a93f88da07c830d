"""Brown classes: the incremental tables against sums from scratch, moves against enumeration."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque._core import ClassExchange, class_tree
from calque.config import ClassOptions
from calque.errors import CalqueError, OptionError
from calque.features import learn_classes
from calque.text import CorpusEncoder, Sentences, Vocabulary

BOUNDARY = -1
corpora = st.lists(st.lists(st.integers(0, 7), max_size=6), min_size=1, max_size=12)


def entropy(n: float) -> float:
    return n * math.log(n) if n else 0.0


def objective(corpus: list[list[int]], class_of: list[int] | dict[int, int]) -> float:
    """The definition: sum of n ln n over class bigrams less twice that of the classes."""
    pairs, totals = Counter[tuple[int, int]](), Counter[int]()
    for sentence in corpus:
        classes = [BOUNDARY, *(class_of[word] for word in sentence), BOUNDARY]
        pairs.update(itertools.pairwise(classes))
        totals.update(classes[1:])
    return sum(map(entropy, pairs.values())) - 2 * sum(map(entropy, totals.values()))


def exchange_of(corpus: list[list[int]], n_classes: int, n_words: int = 8) -> ClassExchange:
    sentences = Sentences.from_lists(corpus)
    return ClassExchange(sentences.ids, sentences.offsets, n_words, n_classes)


@given(corpora, st.integers(1, 5))
def test_gains_are_positive_and_add_up_to_the_objective(
    corpus: list[list[int]], n_classes: int
) -> None:
    exchange = exchange_of(corpus, n_classes)
    value = objective(corpus, exchange.classes().tolist())
    assert exchange.objective() == pytest.approx(value)
    for _ in range(3):
        gains = exchange.sweep()
        assert (gains > 0).all()
        value += gains.sum()
        assert exchange.objective() == pytest.approx(value)
        assert objective(corpus, exchange.classes().tolist()) == pytest.approx(value)


@given(corpora, st.integers(2, 4))
def test_in_the_end_no_single_move_improves(corpus: list[list[int]], n_classes: int) -> None:
    exchange = exchange_of(corpus, n_classes)
    while len(exchange.sweep()):
        pass
    classes = exchange.classes().tolist()
    best = objective(corpus, classes)
    occurring = {word for sentence in corpus for word in sentence}
    for word, cls in itertools.product(occurring, range(n_classes)):
        moved = [cls if other == word else old for other, old in enumerate(classes)]
        assert objective(corpus, moved) <= best + 1e-6
    assert all((classes[word] >= 0) == (word in occurring) for word in range(8))


def test_on_a_tiny_corpus_the_best_of_all_assignments_is_found() -> None:
    corpus = [[0, 2], [1, 3], [0, 3], [1, 2], [1, 2], [0, 3]]
    best = max(objective(corpus, list(of)) for of in itertools.product(range(2), repeat=4))
    exchange = exchange_of(corpus, 2, 4)
    while len(exchange.sweep()):
        pass
    assert exchange.objective() == pytest.approx(best)
    a, b, c, d = exchange.classes().tolist()
    assert a == b != c == d


@settings(max_examples=60)
@given(corpora.filter(lambda corpus: any(corpus)), st.integers(1, 7))
def test_every_merge_is_the_cheapest_by_brute_force(
    corpus: list[list[int]], n_classes: int
) -> None:
    sentences = Sentences.from_lists(corpus)
    of = {word: word % n_classes for sentence in corpus for word in sentence}
    classes = np.array([of.get(word, -1) for word in range(8)], np.int32)
    bits, merges, losses = class_tree(sentences.ids, sentences.offsets, classes, n_classes)
    live = set(of.values())
    for (a, b), loss in zip(merges, losses.tolist(), strict=True):
        before = objective(corpus, of)
        all_losses = {
            (g, h): before - objective(corpus, {w: g if c == h else c for w, c in of.items()})
            for g, h in itertools.combinations(sorted(live), 2)
        }
        assert loss == pytest.approx(all_losses[a, b], abs=1e-8)
        assert loss == pytest.approx(min(all_losses.values()), abs=1e-8)
        of = {w: a if c == b else c for w, c in of.items()}
        live.remove(b)
    assert len(live) == 1, "all are merged"
    check_bits(bits, merges)


def check_bits(bits: list[str], merges: list[tuple[int, int]]) -> None:
    """The bit strings are the ways from the root of the tree that the merges make."""
    if not merges:
        assert [path for path in bits if path] == ["0"]
        return
    members = {cls: [cls] for pair in merges for cls in pair}
    ways = dict.fromkeys(members, "")
    for a, b in merges:
        for bit, side in (("0", a), ("1", b)):
            for cls in members[side]:
                ways[cls] = bit + ways[cls]
        members[a] += members.pop(b)
    assert bits == [ways.get(cls, "") for cls in range(len(bits))]


def generated(n_sentences: int, seed: int) -> tuple[list[str], dict[str, int]]:
    """Sentences of a bigram process over 4 classes with 12 words each, and the classes."""
    draw = random.Random(seed)
    members = {cls: [f"{'abcd'[cls]}{i}" for i in range(12)] for cls in range(4)}
    follow = {0: [1, 1, 1, 2], 1: [2, 2, 2, 3], 2: [3, 3, 0, 3], 3: [0, 0, 0, 2]}
    lines = []
    for _ in range(n_sentences):
        cls, words = 0, []
        for _ in range(draw.randint(4, 12)):
            words.append(draw.choice(members[cls]))
            cls = draw.choice(follow[cls])
        lines.append(" ".join(words))
    return lines, {word: cls for cls, words in members.items() for word in words}


def corpus_of(lines: list[str]) -> tuple[Vocabulary, Sentences]:
    encoder = CorpusEncoder()
    encoder.feed("".join(line + "\n" for line in lines))
    return encoder.finish()


def test_the_classes_that_made_the_words_are_recovered() -> None:
    shares = []
    for seed in range(8):  # exchange climbs one hill: now and then not the highest
        lines, truth = generated(600, seed)
        vocabulary, sentences = corpus_of(lines)
        found = learn_classes(sentences, vocabulary, ClassOptions(n_classes=4))
        pairs = Counter((found.value("brown", word), cls) for word, cls in truth.items())
        largest = dict[str, int]()
        for (bits, _), n in pairs.items():
            largest[bits] = max(n, largest.get(bits, 0))
        assert len(largest) == 4
        shares.append(sum(largest.values()) / len(truth))
    assert shares.count(1.0) >= 6
    assert sum(shares) / len(shares) >= 0.9


def test_prefixes_are_coarser_classes_and_rare_words_share_one() -> None:
    lines, _ = generated(300, seed=4)
    vocabulary, sentences = corpus_of([*lines, "once twice", "twice"])
    found = learn_classes(sentences, vocabulary, ClassOptions(n_classes=20, min_count=2))
    words = [word for word in vocabulary if word not in ("<unk>", "<s>", "</s>")]
    full = {found.value("brown", word) for word in words}
    assert len(full) == 20
    assert not any(a != b and b.startswith(a) for a in full for b in full), "leaves of a tree"
    assert all(found.value("brown4", word) == found.value("brown", word)[:4] for word in words)
    assert found.value("brown", "once") == found.value("brown", "never") != "<unk>"


def test_fewer_words_than_classes_are_a_class_each() -> None:
    vocabulary, sentences = corpus_of(["a b c", "c a"])
    found = learn_classes(sentences, vocabulary)
    assert len({found.value("brown", word) for word in "abc"}) == 3
    vocabulary, sentences = corpus_of(["a a"])
    assert learn_classes(sentences, vocabulary).value("brown", "a") == "0"


def test_classes_that_cannot_be_learned_are_one_clear_line() -> None:
    vocabulary, sentences = corpus_of(["a"])
    with pytest.raises(OptionError, match="n_classes=1: expected a whole number from 2"):
        learn_classes(sentences, vocabulary, ClassOptions(n_classes=1))
    empty = Sentences.from_lists([[]])
    with pytest.raises(CalqueError, match="at least one word, found none"):
        learn_classes(empty, vocabulary)
    with pytest.raises(CalqueError, match="not in the vocabulary"):
        exchange_of([[9]], 2)
    with pytest.raises(CalqueError, match="class is out of range"):
        class_tree(sentences.ids, sentences.offsets, np.full(4, 3, np.int32), 2)

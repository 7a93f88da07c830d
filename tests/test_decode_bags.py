"""Bags of blocks against every span looked up in Python, and slow references of features."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from decode_reference import as_source, tiny_model
from feature_reference import Block, Derived, names
from hypothesis import given, settings
from hypothesis import strategies as st
from test_decode_leave_one_out import WAYS, corpus, expected, spans_of
from test_features_families import CLASSES, Task, task

from calque.config import FeatureOptions, LeaveOneOutOptions
from calque.data import CorpusFiles
from calque.decode import BlockBags, Decoder, SourceText, TrainingText, Translator
from calque.decode.decoder import Bags
from calque.errors import CalqueError, OptionError
from calque.features import DenseData, FeatureSet, WordData, chosen_templates
from calque.model import Model
from calque.text import read_lines

OF_BLOCK = ("P1", "P5", "W1", "lexical", "ruleid", "phrase-pair", "wordedges")
distinct_words = st.permutations(["w0", "w1", "w2", "w3", "Xy7"]).flatmap(
    lambda words: st.integers(1, 5).map(lambda n: words[:n])
)
Spans = dict[tuple[int, int], tuple[str, ...]]
"""What a span became."""


def fired(toy: Task, bags: Bags) -> Counter[int]:
    return Counter(dict(zip(bags.sparse.keys.tolist(), bags.sparse.counts.tolist(), strict=True)))


def matching(toy: Task) -> dict[tuple[int, int], list[tuple[str, ...]]]:
    """The targets of all blocks of each span; a word that has none is copied."""
    blocks, word = toy.parts.blocks, toy.parts.vocabulary.word
    ids = toy.text.sentences.ids.tolist()
    found = {}
    for begin in range(len(ids)):
        for end in range(begin + 1, len(ids) + 1):
            phrase = blocks.find(ids[begin:end])
            if phrase >= 0:
                found[begin, end] = [
                    tuple(word(w) for w in blocks.target(row).tolist())
                    for row in blocks.blocks(phrase)
                ]
            elif end == begin + 1:
                found[begin, end] = [(toy.source[begin],)]
    return found


def drawn(toy: Task, seed: int) -> Spans:
    """What P1 tells: words of the source differ, so a source phrase is a span."""
    only = replace(toy, decoder=limited(toy, ("P1",)))
    keys = fired(only, only.decoder.bags(toy.text, seed, threads=1))
    spans = {}
    for (begin, end), targets in matching(toy).items():
        phrase = " ".join(toy.source[begin:end])
        hits = [
            target
            for target in dict.fromkeys(targets)
            if toy.decoder.features.key_of(f"P1:{phrase} ||| {' '.join(target)}") in keys
        ]
        assert len(hits) == 1, (phrase, hits)
        spans[begin, end] = hits[0]
    assert sum(keys.values()) == len(spans)
    return spans


def limited(toy: Task, families: tuple[str, ...]) -> Decoder:
    templates = toy.decoder.features.templates
    chosen = [n for n in templates if any(n == f or n.startswith(f + ".") for f in families)]
    features = toy.decoder.features.only(chosen)
    return Decoder(toy.parts.blocks, toy.parts.vocabulary, toy.parts.lm, features)


def of_many_blocks() -> Task:
    parts = tiny_model(5, n_pairs=40)
    data = WordData(parts.vocabulary, parts.vocabulary)
    templates = chosen_templates("P1")
    features = FeatureSet.compile("standard", DenseData(parts.blocks), templates, data)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm, features)
    words = ("w0", "w1", "w2", "w3")
    text = SourceText.encode([" ".join(words)], parts.vocabulary, parts.vocabulary)
    return Task(parts, decoder, words, text, ("P1",), frozenset())


@settings(max_examples=15)
@given(st.integers(0, 10_000), distinct_words, st.integers(0, 2**63))
def test_every_span_that_blocks_match_gives_one_of_them_and_its_features(
    model_seed: int, source: list[str], seed: int
) -> None:
    toy = task(model_seed, source, OF_BLOCK)
    spans = drawn(toy, seed)
    bags = limited(toy, OF_BLOCK).bags(toy.text, seed, threads=1)
    ids = toy.text.sentences.ids.tolist()
    blocks = tuple(
        Block(begin, end, target, 0, toy.parts.blocks.find(ids[begin:end]) < 0)
        for (begin, end), target in spans.items()
    )
    derived = Derived(tuple(source), blocks, CLASSES, CLASSES)
    key_of = toy.decoder.features.key_of
    wanted = Counter({key_of(name): n for name, n in names(OF_BLOCK, derived).items()})
    assert fired(toy, bags) == wanted
    assert bags.sparse.keys.tolist() == sorted(wanted)
    word = toy.parts.vocabulary.word
    texts = [word(w) if w >= 0 else source[-1 - w] for w in bags.words.tolist()]
    in_order = [w for span in sorted(spans) for w in spans[span]]
    assert texts == in_order


def test_all_blocks_of_a_span_are_drawn_equally_often_and_spans_apart() -> None:
    toy = of_many_blocks()
    n = 800
    draws = [drawn(toy, seed) for seed in range(n)]
    many = [span for span, targets in matching(toy).items() if len(targets) > 2]
    assert len(many) >= 3
    for span in many:
        targets = matching(toy)[span]
        expected = n / len(targets)
        counts = Counter(draw[span] for draw in draws)
        assert sum((counts[t] - expected) ** 2 / expected for t in targets) < 3 * len(targets) + 12
    first, second = (matching(toy)[span][0] for span in many[:2])
    shares = [
        np.mean([draw[span] == t for draw in draws])
        for span, t in zip(many[:2], (first, second), strict=True)
    ]
    both = np.mean([draw[many[0]] == first and draw[many[1]] == second for draw in draws])
    assert both == pytest.approx(shares[0] * shares[1], abs=0.04)


def test_what_is_drawn_depends_on_the_place_in_the_text_not_on_batches_or_threads() -> None:
    text = as_source([[3, 4, 5, 6]] * 40)
    decoder = limited(of_many_blocks(), ("P1",))
    whole = decoder.bags(text, 7, threads=1)
    many = decoder.bags(text, 7, threads=3)
    assert all(np.array_equal(a, b) for a, b in zip(whole.sparse, many.sparse, strict=True))
    rows = [
        tuple(whole.sparse.keys[begin:end])
        for begin, end in zip(whole.sparse.offsets, whole.sparse.offsets[1:], strict=False)
    ]
    assert len(set(rows)) > 20  # equal sentences, but at different places
    later = decoder.bags(as_source([[3, 4, 5, 6]] * 10), 7, first=30)
    assert later.sparse.keys.tolist() == [key for row in rows[30:] for key in row]
    other = decoder.bags(text, 8, threads=1)
    assert not np.array_equal(other.sparse.keys, whole.sparse.keys)


@pytest.mark.parametrize("how", [WAYS[0], WAYS[1], WAYS[3]], ids=["drop", "penalty", "one-count"])
def test_blocks_that_a_pair_forgets_are_not_drawn(how: LeaveOneOutOptions) -> None:
    toy = corpus(5, n_pairs=14, n_words=8)
    model = replace(toy.model, feature_options=FeatureOptions("standard", "P1"))
    decoder, training = Decoder.of(model), TrainingText(model, how)
    spans, pairs = spans_of(toy)
    words = [i for i, span in enumerate(spans) if len(span) == 1]
    spans, pairs = [spans[i] for i in words], [pairs[i] for i in words]
    text = as_source([list(span) for span in spans])
    left_out = training.left_out(np.array(pairs))
    found: list[set[tuple[int, ...]]] = [set() for _ in spans]
    for seed in range(60):
        bags = decoder.bags(text, seed, leave_one_out=left_out)
        bounds = bags.word_offsets.tolist()
        for i, targets in enumerate(found):
            targets.add(tuple(bags.words[bounds[i] : bounds[i + 1]].tolist()))
    n_copied = 0
    for span, pair, targets in zip(spans, pairs, found, strict=True):
        options = expected(toy, pair, span, how)
        n_copied += options is None
        assert targets == ({(-1,)} if options is None else set(options))
    assert n_copied > 0 or how.what == "counts"


@pytest.fixture(scope="module")
def translator(trained: Path) -> Translator:
    model = Model.load(trained)
    return Translator(replace(model, feature_options=FeatureOptions("standard", "all")))


def test_bags_of_lines_are_candidates_without_dense_features(
    translator: Translator, corpus: CorpusFiles
) -> None:
    lines = list(read_lines(corpus.train_source))[:300]
    lists = list(BlockBags(translator, ["P1", "W1"]).lists(lines, 1))
    assert [len(part.lengths) for part in lists] == [256, 44]
    assert all((part.lengths == 1).all() and not part.dense.any() for part in lists)
    assert all(part.dense.shape[1] == len(translator.decoder.feature_names) for part in lists)
    assert {text for part in lists for text in part.texts} == {""}
    keys = np.concatenate([part.sparse.keys for part in lists])
    both = translator.model.in_family("P1", keys) | translator.model.in_family("W1", keys)
    assert both.all()
    # What does not depend on the batch: the last sentence, alone at its place.
    alone = BlockBags(translator, ["P1", "W1"])
    again = np.concatenate([part.sparse.keys for part in alone.lists([*[""] * 299, lines[299]], 1)])
    assert again.tolist() == keys[-len(again) :].tolist()


def test_the_targets_of_a_bag_may_be_its_text(translator: Translator) -> None:
    [lists] = BlockBags(translator, ["P1"]).lists(["qqq zzz", ""], 1, concat=True)
    assert lists.texts == ["qqq zzz", ""]


@pytest.mark.parametrize(
    ("families", "problem"),
    [
        (["P2"], "'P2' looks beyond a block"),
        (["P1", "W3"], "'W3.bigram' looks beyond a block"),
        (["phrase"], "'P2' looks beyond a block"),
        (["P1", "ruleid"], "no sparse features of the family 'ruleid'"),
        (["P1", "W9"], "no family of sparse features is called 'W9'"),
        ([], "needs a family"),
    ],
)
def test_families_that_a_bag_cannot_have_are_refused(
    translator: Translator, families: list[str], problem: str
) -> None:
    with pytest.raises(CalqueError, match=problem) as refused:
        BlockBags(translator, families)
    if "beyond" in problem:
        assert isinstance(refused.value, OptionError)


def test_the_core_refuses_bags_of_features_beyond_blocks(translator: Translator) -> None:
    with pytest.raises(CalqueError, match="look beyond a block"):
        translator.decoder.bags(as_source([[3]]), 1)

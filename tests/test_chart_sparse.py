"""Sparse features of rules: the search, extraction and names agree, whatever the gaps."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from chart_reference import GAPS, Grammar, random_grammar
from gap_reference import BESIDE_GAPS, OF_GAPS, gap_names
from test_chart_exact import ALL, random_text, random_weights, words_of

from calque.config import DecodeOptions
from calque.decode import SourceText
from calque.decode.chart import ChartDecoder
from calque.decode.decoder import Decoder
from calque.errors import CalqueError
from calque.features import (
    DenseData,
    FeatureSet,
    SparseWeights,
    Template,
    Weights,
    WordClasses,
    WordData,
    chosen_templates,
)

pytestmark = pytest.mark.filterwarnings("ignore:language model")
CLASSES = WordClasses({"w0": "0010110", "w1": "0010111", "w2": "01", "w3": "110", "<unk>": "111"})
OF_SENTENCE = "phrase-pair, lexical, ruleid, P1, edge-classes, lexical-classes, context"
"""Of these no place in the sentence decides what a rule's target words add."""
FAMILIES = f"{OF_SENTENCE}, neighbours, {', '.join(OF_GAPS)}"
OWN = (
    Template("lengths", ("source.length", "target.length")),
    Template("source-only", ("source",)),
    Template("edges", ("source.left", "source.first", "source.last", "source.right")),
    *BESIDE_GAPS,
)


def decoder_of(grammar: Grammar, families: str = FAMILIES) -> ChartDecoder:
    words = WordData(grammar.vocabulary, grammar.vocabulary, CLASSES, CLASSES)
    templates = (*chosen_templates(families), *OWN)
    features = FeatureSet.compile("rules", DenseData(grammar.blocks), templates, words)
    return ChartDecoder(grammar.blocks, grammar.vocabulary, grammar.lm, features)


def options(shallow: int = 0) -> DecodeOptions:
    return DecodeOptions(
        engine="chart",
        pop_limit=0,
        options_per_span=0,
        options_in_sentence=0,
        max_targets=0,
        shallow=shallow,
    )


def with_random_sparse(
    decoder: ChartDecoder, text: SourceText, dense: Weights, seed: int
) -> Weights:
    """Weights of everything that fires in the derivations of a text."""
    plain = decoder.decode(text, dense, options(), n_best=ALL, distinct=False, threads=1)
    rows = decoder.sparse_rows([found.derivations for found in plain], text, threads=2)
    keys = np.unique(rows.keys)
    values = np.random.default_rng(seed).normal(size=len(keys)).astype(np.float32)
    return Weights(dict(dense), SparseWeights.from_arrays(keys, values))


@pytest.mark.parametrize("families", [FAMILIES, OF_SENTENCE])
@pytest.mark.parametrize("seed", range(6))
def test_scores_of_the_search_are_those_of_the_features_that_names_give(
    seed: int, families: str
) -> None:
    grammar = random_grammar(seed, n_rules=24)
    decoder = decoder_of(grammar, families)
    dense = random_weights(decoder, seed)
    _, text = random_text(grammar, seed, n_words=3 + seed % 2)
    plain = decoder.decode(text, dense, options(), n_best=ALL, distinct=False, threads=1)[0]
    weights = with_random_sparse(decoder, text, dense, seed)
    [found] = decoder.decode(text, weights, options(), n_best=ALL, distinct=False, threads=1)
    assert len(found.derivations) == len(plain.derivations)
    scores = [derivation.score for derivation in found.derivations]
    assert scores == sorted(scores, reverse=True)
    batch = decoder.decode_batch(text, weights, options(), n_best=ALL, distinct=False, threads=1)
    same = decoder.sparse_batch(batch, text, threads=1)
    again = decoder.sparse_rows([found.derivations], text, threads=1)
    assert same.keys.tolist() == again.keys.tolist()
    sparse = weights.sparse.to_arrays()
    by_key = dict(zip(sparse["keys"].tolist(), sparse["values"].tolist(), strict=True))
    for at, derivation in enumerate(found.derivations[:300]):
        its = slice(again.offsets[at], again.offsets[at + 1])
        fired = dict(zip(again.keys[its].tolist(), again.counts[its].tolist(), strict=True))
        named = Counter(
            decoder.features.key_of(name)
            for step in decoder._names(derivation, text)
            for name in step
        )
        assert fired == named
        total = np.dot(derivation.features, weights.vector(decoder.feature_names))
        total += sum(by_key[key] * count for key, count in fired.items())
        assert derivation.score == pytest.approx(total, abs=1e-3)
        rows_of_steps = decoder.explain(derivation, text, weights)
        parts = sum(use.value * use.weight for row in rows_of_steps for use in row)
        assert parts == pytest.approx(derivation.score, abs=1e-3)


@pytest.mark.parametrize("families", [FAMILIES, OF_SENTENCE])
def test_sentences_score_the_same_alone_and_behind_others(families: str) -> None:
    grammar = random_grammar(5, n_rules=40)
    decoder = decoder_of(grammar, families)
    rng = np.random.default_rng(5)
    lines = [[f"w{word}" for word in rng.integers(0, 4, 4)] for _ in range(6)]

    def text_of(some: list[list[str]]) -> SourceText:
        return SourceText.from_words(some, grammar.vocabulary, grammar.vocabulary)

    weights = with_random_sparse(decoder, text_of(lines), random_weights(decoder, 5), 5)

    def lists(some: list[list[str]]) -> list[list[tuple[float, tuple[int, ...]]]]:
        found = decoder.decode(text_of(some), weights, options(), n_best=50, threads=1)
        return [[(one.score, words_of(one)) for one in its.derivations] for its in found]

    alone = [found for line in lines for found in lists([line])]
    assert lists(lines) == alone
    assert lists(lines[::-1]) == alone[::-1]


def test_what_a_rule_with_gaps_shows_of_itself() -> None:
    grammar = random_grammar(1, n_rules=40)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, 1)
    _, text = random_text(grammar, 4, n_words=5)
    vocabulary = grammar.vocabulary
    ids = text.sentences.ids.tolist()
    words = [text.unknown.get(i) or vocabulary.word(id) for i, id in enumerate(ids)]
    [decoded] = decoder.decode(text, weights, options(), n_best=400, distinct=False, threads=1)
    n_checked = 0
    for derivation in decoded.derivations:
        for step, names in zip(derivation.steps, decoder._names(derivation, text), strict=True):
            if step.block < 0 or max(step.gaps) < 0:
                continue
            phrase = int(np.searchsorted(grammar.blocks.block_offsets, step.block, "right")) - 1
            source = grammar.blocks.source(phrase).tolist()
            sides = [
                " ".join(f"[{id}]" if id in GAPS else vocabulary.word(id) for id in side)
                for side in (source, step.target)
            ]
            own = [
                [vocabulary.word(id) for id in side if id not in GAPS]
                for side in (source, step.target)
            ]
            of_gaps = [name for name in names if name.startswith("gap-")]
            assert Counter(of_gaps) == gap_names(
                derivation.steps, step, source, words, vocabulary, CLASSES
            )
            if not own[0]:
                assert names == of_gaps
                continue
            left = words[step.begin - 1] if step.begin else "<s>"
            right = words[step.end] if step.end < len(words) else "</s>"
            assert f"source-only:{sides[0]}" in names
            assert f"edges:{left} ||| {own[0][0]} ||| {own[0][-1]} ||| {right}" in names
            expected = {f"lexical:{i} ||| {j}" for i in own[0] for j in own[1]}
            assert {name for name in names if name.startswith("lexical:")} == expected
            expected = {f"context:{i} ||| {j}" for i in words for j in own[1]}
            assert {name for name in names if name.startswith("context:")} == expected
            assert (f"ruleid:{sides[0]} ||| {sides[1]}" in names) == bool(own[1])
            assert (f"lengths:{len(own[0])} ||| {len(own[1])}" in names) == bool(own[1])
            n_checked += 1
    assert n_checked > 50


def test_a_feature_of_the_place_brings_in_a_rule_that_would_be_cut() -> None:
    """What the neighbours say counts before the limit of target sides applies."""
    grammar = random_grammar(3, n_rules=60)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, 3)
    _, text = random_text(grammar, 3, n_words=4)
    one_each = DecodeOptions(
        engine="chart", pop_limit=0, options_per_span=1, options_in_sentence=0, max_targets=0
    )
    [cut] = decoder.decode(text, weights, one_each, n_best=ALL, threads=1)
    [whole] = decoder.decode(text, weights, options(), n_best=ALL, threads=1)
    known = {words_of(derivation) for derivation in cut.derivations}
    wanted = next(
        derivation for derivation in whole.derivations if words_of(derivation) not in known
    )
    names = [n for step in decoder._names(wanted, text) for n in step if "neighbours" in n]
    keys = np.unique(np.array([decoder.features.key_of(name) for name in names], np.uint64))
    sparse = SparseWeights.from_arrays(keys, np.full(len(keys), 50, np.float32))
    [moved] = decoder.decode(text, Weights(dict(weights), sparse), one_each, threads=1)
    assert words_of(moved.derivations[0]) == words_of(wanted)


def test_features_of_gaps_are_refused_where_there_are_none() -> None:
    grammar = random_grammar(1)
    words = WordData(grammar.vocabulary, grammar.vocabulary, CLASSES, CLASSES)
    templates = chosen_templates("gap-order")
    features = FeatureSet.compile("standard", DenseData(grammar.blocks), templates, words)
    with pytest.raises(CalqueError, match="'gap-order.left' look at gaps.*engine=chart"):
        Decoder(grammar.blocks, grammar.vocabulary, grammar.lm, features)


def test_slots_of_gaps_go_with_each_other_only() -> None:
    grammar = random_grammar(1)
    words = WordData(grammar.vocabulary, grammar.vocabulary, CLASSES, CLASSES)
    mixed = (Template("mixed", ("block", "gap.order")),)
    with pytest.raises(CalqueError, match="'mixed': slots of gaps go with each other only"):
        FeatureSet.compile("rules", DenseData(grammar.blocks), mixed, words)


def test_features_of_the_order_of_blocks_are_refused() -> None:
    grammar = random_grammar(1)
    words = WordData(grammar.vocabulary, grammar.vocabulary, CLASSES, CLASSES)
    templates = chosen_templates("rule-bigram")
    features = FeatureSet.compile("rules", DenseData(grammar.blocks), templates, words)
    with pytest.raises(CalqueError, match="engine=chart"):
        ChartDecoder(grammar.blocks, grammar.vocabulary, grammar.lm, features)


def test_keys_of_whole_rules_are_those_that_fire() -> None:
    grammar = random_grammar(2)
    decoder = decoder_of(grammar)
    template = decoder.features.templates["phrase-pair"]
    keys = decoder.features.block_keys(template, grammar.blocks, 1)
    text = SourceText.from_words([["w0", "w1", "w2"]], grammar.vocabulary, grammar.vocabulary)
    weights = random_weights(decoder, 2)
    [decoded] = decoder.decode(text, weights, options(), n_best=100, distinct=False, threads=1)
    n_checked = 0
    for derivation in decoded.derivations:
        _, counts = decoder.sparse_features(derivation, text)
        fired = set(decoder.sparse_features(derivation, text)[0].tolist())
        assert len(counts) == len(fired)
        for step in derivation.steps:
            has_words = any(id not in GAPS for id in step.target)
            if step.block >= 0 and has_words and step.end - step.begin > 0:
                side = grammar.blocks.source(
                    int(np.searchsorted(grammar.blocks.block_offsets, step.block, "right")) - 1
                )
                if not set(side.tolist()) <= set(GAPS):
                    assert int(keys[step.block]) in fired
                    n_checked += 1
    assert n_checked > 20

"""With a pair left out, chart search gives what a table of rules made without the pair gives."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
from blocks_reference import Pair, to_arrays
from chart_reference import Grammar, Side, rule_table
from decode_reference import as_source
from rules_reference import count_rules
from test_chart_exact import UNPRUNED, decoder_of, words_of
from test_decode_leave_one_out import WAYS, random_links

from calque.align import Alignments
from calque.blocks import extract
from calque.config import (
    BlockOptions,
    DecodeOptions,
    FeatureOptions,
    LeaveOneOutOptions,
    LmOptions,
    RuleOptions,
)
from calque.decode import Decoder, TrainingText
from calque.features import SparseWeights, Weights
from calque.lm import estimate
from calque.model import KeptBitext, Model
from calque.text import Preprocessor, Vocabulary

BLOCKS = BlockOptions(
    max_words=3, rules=RuleOptions(max_span=4, max_symbols=3, max_target_symbols=4)
)
KINDS = ["drop", "penalty", "per word", "one-count"]


@dataclass
class Corpus:
    pairs: list[Pair]
    model: Model

    def without(self, pair: int, how: LeaveOneOutOptions) -> Grammar:
        """The rules that are left, counted in the other pairs; lexical weights stay."""
        table = self.model.blocks
        others = [other for i, other in enumerate(self.pairs) if i != pair]
        whole, rest = count_rules(self.pairs, BLOCKS), count_rules(others, BLOCKS)
        rules: dict[tuple[Side, Side], list[float]] = {}
        for phrase in range(table.n_sources):
            source = tuple(table.source(phrase).tolist())
            for row in table.blocks(phrase):
                target = tuple(table.target(row).tolist())
                scores = table.scores[row].tolist()
                n, left = whole.joint[source, target], rest.joint[source, target]
                if n == 0:  # made for a word
                    if any(source[0] in other[0] for other in others):
                        rules[source, target] = scores
                    continue
                if how.what == "one-count":
                    if left or (n > 1 and not {1, 2} & set(source)):
                        rules[source, target] = scores
                    continue
                if left:
                    scores[0] = math.log(left / rest.target[target])
                    scores[2] = math.log(left / rest.source[source])
                elif how.unseen_log_prob is None:
                    continue
                else:
                    n_words = sum(symbol > 2 for symbol in source + target)
                    unseen = how.unseen_log_prob + how.unseen_log_prob_per_word * n_words
                    scores[0] = scores[2] = unseen
                rules[source, target] = scores
        return Grammar(rule_table(rules), self.model.target_vocabulary, self.model.lm)


def corpus(seed: int, n_pairs: int = 12, n_words: int = 6) -> Corpus:
    rng = np.random.default_rng(seed)
    pairs: list[Pair] = []
    for _ in range(n_pairs):
        n, m = rng.integers(2, 6, 2).tolist()
        source, target = (rng.integers(3, 3 + n_words, size).tolist() for size in (n, m))
        pairs.append((source, target, random_links(rng, n, m)))
    source, target, links, offsets = to_arrays(pairs)
    vocabulary = Vocabulary([f"w{i}" for i in range(n_words)])
    blocks = extract(source, target, links, offsets, BLOCKS, with_gaps=True, threads=1)
    kept = KeptBitext(
        source, target, Alignments(links, offsets), np.arange(n_pairs), 3, BLOCKS.rules
    )
    model = Model(
        Preprocessor(),
        vocabulary,
        vocabulary,
        blocks,
        estimate(target, vocabulary, LmOptions(order=2)),
        Weights({}),
        DecodeOptions(engine="chart"),
        feature_options=FeatureOptions("rules"),
        bitext=kept,
    )
    names = Decoder.of(model).feature_names
    weights = Weights({name: float(rng.uniform(0.1, 1)) for name in names})
    return Corpus(pairs, replace(model, weights=weights))


@pytest.mark.parametrize("how", WAYS, ids=KINDS)
@pytest.mark.parametrize("limit", [0, 2])
@pytest.mark.parametrize("seed", range(3))
def test_lists_are_those_of_a_table_made_without_the_pair(
    seed: int, limit: int, how: LeaveOneOutOptions
) -> None:
    toy = corpus(seed, n_words=6 + 6 * seed)
    decoder, training = Decoder.of(toy.model), TrainingText(toy.model, how)
    options = replace(UNPRUNED, options_per_span=limit)
    named: dict[str, Any] = {"n_best": 300, "distinct": True, "threads": 1}
    pairs = [*range(len(toy.pairs)), -1]  # the last one's sentence is not left out
    text = as_source([toy.pairs[pair][0] for pair in pairs])
    found = decoder.decode(
        text, toy.model.weights, options, leave_one_out=training.left_out(np.array(pairs)), **named
    )
    whole = decoder.decode(text, toy.model.weights, options, **named)
    n_changed = n_copied = 0
    for pair, its, all_of_it in zip(pairs, found, whole, strict=True):
        sentence = as_source([toy.pairs[pair][0]])
        if pair < 0:
            expected = all_of_it
        else:
            slow = decoder_of(toy.without(pair, how))
            [expected] = slow.decode(sentence, toy.model.weights, options, **named)
        scores = [d.score for d in expected.derivations]
        assert [d.score for d in its.derivations] == pytest.approx(scores, abs=1e-4), pair
        if len(scores) < 300:
            assert sorted(map(words_of, its.derivations)) == sorted(
                map(words_of, expected.derivations)
            )
        for d in its.derivations[:5]:
            assert list(d.features) == pytest.approx(decoder.dense_features(d, sentence))
            dot = float(toy.model.weights.vector(decoder.feature_names) @ d.features)
            assert d.score == pytest.approx(dot, abs=1e-4)
            fired = decoder.explain(d, sentence, toy.model.weights)
            parts = sum(part.value * part.weight for step in fired for part in step)
            assert parts == pytest.approx(d.score, abs=1e-4)
        n_changed += abs(its.derivations[0].score - all_of_it.derivations[0].score) > 1e-3
        n_copied += any(word < 0 for word in words_of(its.derivations[0]))
    assert n_changed > 5
    assert n_copied > 0 or seed < 2  # many words are of one pair alone


@pytest.mark.parametrize("families", ["phrase-pair, lexical", "phrase-pair, wordedges"])
def test_sparse_weights_and_leave_one_out_choose_rules_together(families: str) -> None:
    """Features of the rule alone, and some of its neighbours."""
    toy = corpus(9, n_pairs=40, n_words=5)
    model = replace(toy.model, feature_options=FeatureOptions("rules", families))
    decoder, training = Decoder.of(model), TrainingText(model, LeaveOneOutOptions("one-count"))
    pairs = range(20)
    text = training.source(pairs)
    named: dict[str, Any] = {"n_best": 200, "distinct": False, "threads": 2}
    lists = [d.derivations for d in decoder.decode(text, model.weights, UNPRUNED, **named)]
    keys = np.unique(decoder.sparse_rows(lists, text).keys)
    values = np.random.default_rng(1).normal(0, 1, len(keys)).astype(np.float32)
    weights = Weights(dict(model.weights), SparseWeights.from_arrays(keys, values))
    named["leave_one_out"] = training.left_out(pairs)
    n_fewer = 0
    for limit in (0, 3):
        options = replace(UNPRUNED, options_per_span=limit, options_in_sentence=0)
        for at, found in enumerate(decoder.decode(text, weights, options, **named)):
            sentence = training.source(range(at, at + 1))
            for d in found.derivations[:20]:
                row = decoder.sparse_features(d, sentence)
                dense = float(weights.vector(decoder.feature_names) @ d.features)
                sparse = float(weights.sparse.lookup(row[0]) @ row[1])
                assert d.score == pytest.approx(dense + sparse, abs=1e-3)
                rare = [model.blocks.joint_counts[s.block] == 1 for s in d.steps if s.block >= 0]
                n_fewer += sum(rare)
    assert n_fewer > 0  # rules of one place elsewhere are still there


def test_results_depend_neither_on_threads_nor_on_the_sentences_before() -> None:
    toy = corpus(5, n_pairs=40, n_words=4)
    training, decoder = TrainingText(toy.model), Decoder.of(toy.model)

    def scores(pairs: range, threads: int) -> list[float]:
        batch = decoder.decode_batch(
            training.source(pairs),
            toy.model.weights,
            DecodeOptions(engine="chart", options_per_span=3),
            leave_one_out=training.left_out(pairs),
            threads=threads,
        )
        return list(batch.scores)

    every = scores(range(40), 1)
    assert scores(range(40), 4) == every
    assert [scores(range(i, i + 1), 1)[0] for i in range(40)] == every

"""Forced decoding by rules equals the enumeration of the derivations that give the reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from chart_reference import Applied, Enumeration, Grammar, features, random_grammar, words_of
from test_chart_exact import decoder_of, random_text, random_weights

from calque import _core
from calque.config import ForceOptions
from calque.decode import SourceText
from calque.features import Weights
from calque.text import Sentences

SPACES = [(10, 0), (3, 0), (10, 1), (10, 2)]


def as_reference(words: Sequence[int]) -> SourceText:
    ids = np.array(words, np.int32)
    return SourceText(Sentences.from_lists([np.maximum(ids, 0).tolist()]), ids)


def score(
    grammar: Grammar, weights: Weights, derivation: tuple[Applied, ...], ends: bool = True
) -> float:
    values = features(grammar, derivation, ends)
    return sum(weights[name] * value for name, value in values.items())


def forced(
    grammar: Grammar,
    weights: Weights,
    text: SourceText,
    reference: Sequence[int],
    space: tuple[int, int] = (10, 0),
    memory_mb: int = 100,
) -> _core.Forced:
    options = ForceOptions(max_span=space[0], shallow=space[1], min_prefix=1, memory_mb=memory_mb)
    [found] = decoder_of(grammar).force(text, as_reference(reference), weights, options, threads=1)
    return found


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("space", SPACES)
def test_a_reference_is_reachable_when_some_derivation_gives_it(
    seed: int, space: tuple[int, int]
) -> None:
    grammar = random_grammar(seed, n_rules=24)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, seed)
    source, text = random_text(grammar, seed)
    by_words: dict[tuple[int, ...], list[tuple[Applied, ...]]] = {}
    for derivation in Enumeration(grammar, source, text.copies.tolist(), *space).derivations():
        by_words.setdefault(words_of(derivation), []).append(derivation)
    rng = np.random.default_rng(seed)
    references = sorted(by_words)
    rng.shuffle(references)
    for reference in [*references[:5], (*references[0], 3)]:
        golden = by_words.get(tuple(reference), [])
        found = forced(grammar, weights, text, reference, space)
        assert not found.truncated
        assert found.reachable == bool(golden)
        assert found.n_derivations == len(golden)
        if not golden:
            continue
        best = max(score(grammar, weights, derivation) for derivation in golden)
        assert found.best.score == pytest.approx(best, abs=1e-4)
        assert [word for word, _, _ in found.best.words] == list(reference)
        assert list(found.best.features) == decoder.dense_features(found.best, text)
        dot = np.dot(found.best.features, weights.vector(decoder.feature_names))
        assert dot == pytest.approx(best, abs=1e-4)
        assert found.n_states >= 2
        assert (found.prefix_source, found.prefix_target) == (len(source), len(reference))


@pytest.mark.parametrize("seed", range(10))
def test_the_longest_reachable_prefix_pair_is_found(seed: int) -> None:
    grammar = random_grammar(seed, n_rules=24)
    decoder = decoder_of(grammar)
    weights = random_weights(decoder, seed)
    source, text = random_text(grammar, seed)
    every = list(Enumeration(grammar, source, text.copies.tolist()).prefixes())
    rng = np.random.default_rng(seed)
    for _ in range(5):
        reference = tuple(rng.integers(3, 7, rng.integers(1, 6)).tolist())
        pairs: dict[tuple[int, int], float] = {(0, 0): 0.0}
        for derivation in every:
            words = words_of(derivation)
            if words != reference[: len(words)]:
                continue
            pair = (derivation[-1].end if derivation else 0, len(words))
            value = score(grammar, weights, derivation, ends=False)
            pairs[pair] = max(value, pairs.get(pair, -np.inf))
        found = forced(grammar, weights, text, reference)
        assert found.reachable == ((len(source), len(reference)) in pairs)
        longest = max(pairs)
        assert (found.prefix_source, found.prefix_target) == longest
        if found.reachable or longest == (0, 0):
            continue
        assert [word for word, _, _ in found.best.words] == list(reference[: longest[1]])
        assert found.best.score == pytest.approx(pairs[longest], abs=1e-4)
        dot = np.dot(found.best.features, weights.vector(decoder.feature_names))
        assert dot == pytest.approx(pairs[longest], abs=1e-4)


def test_the_best_translation_can_be_forced_and_scores_the_same() -> None:
    from calque.config import DecodeOptions

    for seed in range(8):
        grammar = random_grammar(seed)
        decoder = decoder_of(grammar)
        weights = random_weights(decoder, seed)
        _, text = random_text(grammar, seed, n_words=6)
        options = DecodeOptions(engine="chart", pop_limit=0, options_per_span=0, max_targets=0)
        [decoded] = decoder.decode(text, weights, options, threads=1)
        [best] = decoded.derivations
        words = [word for word, _, _ in best.words]
        found = forced(grammar, weights, text, words, (20, 0))
        assert found.reachable
        assert found.best.score == pytest.approx(best.score, abs=1e-4)


def test_a_pair_that_needs_more_memory_or_words_than_allowed_is_told_apart() -> None:
    rules = {((3,), (3,)): [-0.1] * 4, ((1, 2), (1, 2)): [-0.1] * 4, ((1, 3), (1, 3)): [-0.1] * 4}
    from chart_reference import rule_table

    grammar = random_grammar(1)
    grammar = Grammar(rule_table(rules), grammar.vocabulary, grammar.lm)
    weights = random_weights(decoder_of(grammar), 1)
    n = 40
    text = SourceText.from_words([["w0"] * n], grammar.vocabulary, grammar.vocabulary)
    for megabytes, fits in ((1, False), (100, True)):
        found = forced(grammar, weights, text, [3] * n, (40, 0), megabytes)
        assert found.truncated is not fits
        assert found.reachable is fits
    options = ForceOptions(max_words=n - 1)
    [found] = decoder_of(grammar).force(text, as_reference([3] * n), weights, options)
    assert found.truncated
    assert not found.reachable


def test_nothing_gives_nothing() -> None:
    grammar = random_grammar(2)
    weights = random_weights(decoder_of(grammar), 2)
    text = SourceText.from_words([[]], grammar.vocabulary, grammar.vocabulary)
    found = forced(grammar, weights, text, [])
    assert found.reachable
    assert found.n_derivations == 1
    assert found.best.score == pytest.approx(
        weights["language_model"] * grammar.lm.score([]), abs=1e-5
    )
    assert not forced(grammar, weights, text, [3]).reachable

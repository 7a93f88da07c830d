"""Forced decoding equals the enumeration of the derivations that give the reference."""

from __future__ import annotations

import numpy as np
import pytest
from decode_reference import (
    Rules,
    as_source,
    derivations,
    features,
    partial_derivations,
    score,
    tiny_model,
    words_of,
)
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from test_decode_exact import random_weights, rules, seeds, sources

from calque import _core
from calque.config import ForceOptions
from calque.decode import Decoder, SourceText
from calque.text import Sentences

few = settings(max_examples=60, deadline=None)


def force(seed: int, source: list[int], reference: list[int], by: Rules) -> _core.Forced:
    parts = tiny_model(seed)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    wanted = SourceText(Sentences.from_lists([reference]), np.array(reference, np.int32))
    options = ForceOptions(
        reordering=by.mode,
        distortion_limit=by.limit,
        distortion_rule=by.distortion,
        min_prefix=1,
    )
    return decoder.force(as_source([source]), wanted, random_weights(seed), options)[0]


@few
@given(seeds, sources, rules, st.data())
def test_a_reference_is_reachable_when_some_derivation_gives_it(
    seed: int, source: list[int], by: Rules, data: st.DataObject
) -> None:
    assume(not by.strict)  # an option of decoding, not of forced decoding
    parts, weights = tiny_model(seed), random_weights(seed)
    every = list(derivations(parts, source, by))
    reference = list(words_of(data.draw(st.sampled_from(every))))
    if data.draw(st.booleans()):
        reference[data.draw(st.integers(0, len(reference) - 1))] = 3
    golden = [d for d in every if list(words_of(d)) == reference]
    forced = force(seed, source, reference, by)
    assert forced.reachable == bool(golden)
    assert forced.n_derivations == len(golden)
    if golden:
        best = max(score(weights, features(parts, d)) for d in golden)
        assert forced.best.score == pytest.approx(best, abs=1e-4)
        assert [w for step in forced.best.steps for w in step.target] == reference
        assert forced.n_states >= 2


@few
@example(3424, [3], Rules("mon"), [5, 5, 3])  # a shorter prefix scores better
@given(seeds, sources, rules, st.lists(st.integers(3, 6), min_size=1, max_size=6))
def test_the_longest_reachable_prefix_pair_is_found(
    seed: int, source: list[int], by: Rules, reference: list[int]
) -> None:
    assume(not by.strict)
    parts, weights = tiny_model(seed), random_weights(seed)
    pairs: dict[tuple[int, int], float] = {(0, 0): 0.0}
    for steps, covered in partial_derivations(parts, source, by):
        words = words_of(steps)
        is_prefix = covered == frozenset(range(len(covered)))
        if is_prefix and list(words) == reference[: len(words)]:
            pair = (len(covered), len(words))
            value = score(weights, features(parts, steps, ends=False))
            pairs[pair] = max(value, pairs.get(pair, -np.inf))
    forced = force(seed, source, reference, by)
    longest = max(pairs)
    if forced.reachable:
        assert (forced.prefix_source, forced.prefix_target) == (len(source), len(reference))
    else:
        assert (forced.prefix_source, forced.prefix_target) == longest
        if longest[0] >= 1:
            given_words = [word for step in forced.best.steps for word in step.target]
            assert given_words == reference[: longest[1]]
            assert forced.best.score == pytest.approx(pairs[longest], abs=1e-4)
            dot = random_weights(seed).vector() @ forced.best.features
            assert forced.best.score == pytest.approx(float(dot), abs=1e-4)


def test_a_pair_with_too_many_states_is_told_apart() -> None:
    parts = tiny_model(4)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    source = [3, 4, 5, 6] * 3
    wanted = as_source([[4, 5, 6]])
    options = ForceOptions(distortion_limit=-1, max_states=2)
    many = decoder.force(as_source([source]), wanted, random_weights(4), options)[0]
    assert many.truncated or not many.reachable
    short = ForceOptions(max_words=3)
    assert decoder.force(as_source([source]), wanted, random_weights(4), short)[0].truncated


def test_repeated_words_do_not_confuse_the_acceptor() -> None:
    """The index of the reference decides, not the word: w w w is not reached by w w."""
    parts = tiny_model(4)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    source = as_source([[7, 7]])  # copied: two equal words
    for n, expected in ((1, False), (2, True), (3, False)):
        copies = np.full(n, -1, np.int32)
        wanted = SourceText(Sentences.from_lists([[0] * n]), copies)
        found = decoder.force(source, wanted, random_weights(4), ForceOptions())[0]
        assert found.reachable is expected

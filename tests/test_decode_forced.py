"""Forced decoding equals the enumeration of the derivations that give the reference."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from blocks_reference import Pair, to_arrays
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
from calque.blocks import extract
from calque.config import DecodeOptions, ForceOptions, LmOptions
from calque.decode import Decoder, SourceText
from calque.lm import estimate
from calque.text import Sentences, Vocabulary

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


def repetitive(n: int) -> tuple[Decoder, SourceText, SourceText]:
    """A pair of n equal words on each side, which has very many derivations."""
    pairs: list[Pair] = [([3] * k, [4] * k, [(i, i) for i in range(k)]) for k in (1, 2, 3)]
    source, target, links, offsets = to_arrays(pairs)
    vocabulary = Vocabulary(["a", "b"])
    blocks = extract(source, target, links, offsets)
    decoder = Decoder(blocks, vocabulary, estimate(target, vocabulary, LmOptions(order=2)))
    wanted = SourceText(Sentences.from_lists([[4] * n]), np.full(n, 4, np.int32))
    return decoder, as_source([[3] * n]), wanted


def test_a_pair_that_needs_more_memory_than_allowed_is_told_apart() -> None:
    decoder, source, wanted = repetitive(16)
    for megabytes, fits in ((1, False), (1000, True)):
        options = ForceOptions(distortion_limit=4, memory_mb=megabytes)
        [found] = decoder.force(source, wanted, random_weights(4), options)
        assert found.truncated is not fits
        assert found.reachable is fits


@pytest.mark.parametrize("n", [9, 10, 12])
def test_a_pair_that_was_given_up_changes_nothing_of_the_next(n: int) -> None:
    """Long blocks reach the last stack before the memory is full."""
    pairs: list[Pair] = [([3] * k, [4] * k, [(i, i) for i in range(k)]) for k in range(1, 8)]
    source, target, links, offsets = to_arrays(pairs)
    vocabulary = Vocabulary(["a", "b"])
    blocks = extract(source, target, links, offsets)
    decoder = Decoder(blocks, vocabulary, estimate(target, vocabulary, LmOptions(order=2)))
    options = ForceOptions(distortion_limit=-1, memory_mb=1, min_prefix=1)

    def found(lengths: list[int]) -> list[tuple[bool, float, int]]:
        targets = [[4] * k for k in lengths]
        wanted = SourceText(Sentences.from_lists(targets), np.full(sum(lengths), 4, np.int32))
        text = as_source([[3] * k for k in lengths])
        forced = decoder.force(text, wanted, random_weights(4), options, threads=1)
        return [(result.truncated, result.n_derivations, result.n_states) for result in forced]

    assert found([n, 2, n, 3]) == [*found([n]), *found([2]), *found([n]), *found([3])]
    assert found([n])[0][0]


def test_a_source_that_is_too_long_is_told_apart() -> None:
    decoder, source, wanted = repetitive(4)
    for longest, fits in ((3, False), (4, True)):
        [found] = decoder.force(source, wanted, random_weights(4), ForceOptions(max_words=longest))
        assert found.truncated is not fits
        assert found.reachable is fits


@pytest.mark.parametrize("megabytes", [20, 60])
def test_a_search_stays_within_its_memory(megabytes: int) -> None:
    """In a process of its own, whose memory nothing else has touched."""
    command = [sys.executable, "-c", WATCHED, str(megabytes)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parent)
    assert done.returncode == 0, done.stderr
    small, large = json.loads(done.stdout)
    assert large - small < 1.3 * megabytes


WATCHED = """
import json, resource, sys
from calque.blocks import extract
from calque.config import DecodeOptions, ForceOptions, LmOptions
from test_decode_forced import random_weights, repetitive

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

def force(n):
    decoder, source, wanted = repetitive(n)
    options = ForceOptions(distortion_limit=6, memory_mb=int(sys.argv[1]))
    [found] = decoder.force(source, wanted, random_weights(4), options, threads=1)
    return found.truncated

assert not force(3)
before = peak()
assert force(30)
print(json.dumps([before, peak()]))
"""


def test_forced_decoding_uses_blocks_that_translation_does_not_look_at() -> None:
    """The table keeps every target of a word; the best of them are enough for translation."""
    pairs: list[Pair] = [([3], [4 + k], [(0, 0)]) for k in range(30) for _ in range(30 - k)]
    source, target, links, offsets = to_arrays(pairs)
    vocabulary = Vocabulary([f"w{k}" for k in range(31)])
    decoder = Decoder(
        extract(source, target, links, offsets),
        vocabulary,
        estimate(target, vocabulary, LmOptions(order=1)),
    )
    weights, text = random_weights(4), as_source([[3]])
    for n, seen in ((7, 7), (0, 30)):
        options = DecodeOptions(max_targets=n, options_per_span=0, stack_size=0, pop_limit=0)
        [found] = decoder.decode(text, weights, options, n_best=100)
        targets = {derivation.steps[0].target[0] for derivation in found.derivations}
        assert targets == {4 + k for k in range(seen)}  # the most frequent ones
    wanted = SourceText(Sentences.from_lists([[33]]), np.array([33], np.int32))
    [forced] = decoder.force(text, wanted, weights, ForceOptions())
    assert forced.reachable


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

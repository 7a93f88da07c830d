"""What the distortion limit bounds: the jump alone, or also the way back to the first gap."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import pytest
from decode_reference import Rules, as_source, derivations, tiny_model, words_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_decode_exact import random_weights, search_options, seeds
from test_decode_forced import force

from calque.decode import Decoder, SourceText
from calque.decode.constraints import Required
from calque.features import Weights

Span = tuple[int, int]
limits = st.integers(0, 4)


def allowed(order: tuple[Span, ...], limit: int) -> bool:
    """Whether no jump passes over more than `limit` words."""
    return all(abs(b[0] - a[1]) <= limit for a, b in pairwise([(0, 0), *order]))


def decoder_and_source(seed: int, source: list[int]) -> tuple[Decoder, SourceText]:
    parts = tiny_model(seed)
    return Decoder(parts.blocks, parts.vocabulary, parts.lm), as_source([source])


@pytest.mark.parametrize("limit", range(6))
@pytest.mark.parametrize("n_words", range(1, 8))
def test_words_are_translated_in_every_order_of_short_jumps(n_words: int, limit: int) -> None:
    decoder, source = decoder_and_source(1, [7] * n_words)  # no block: each is copied alone
    options = search_options(Rules("phrase", limit, distortion="jump"))
    found = decoder.decode(source, random_weights(1), options, n_best=6000, distinct=False)
    orders = [tuple((s.begin, s.end) for s in d.steps) for d in found[0].derivations]
    words = [(i, i + 1) for i in range(n_words)]
    assert len(set(orders)) == len(orders)
    assert set(orders) == {order for order in permutations(words) if allowed(order, limit)}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=6), limits)
def test_required_spans_are_translated_whole_in_every_order_of_short_jumps(
    lengths: list[int], limit: int
) -> None:
    ends = np.cumsum(lengths).tolist()
    units = [(end - length, end) for length, end in zip(lengths, ends, strict=True)]
    decoder, source = decoder_and_source(1, [7] * ends[-1])
    required = [[Required(*unit, ("w0",)) for unit in units if unit[1] - unit[0] > 1]]
    vocabulary = tiny_model(1).vocabulary
    asked = SourceText.encode([" ".join(["x"] * ends[-1])], vocabulary, vocabulary, required)
    source = replace(source, required=asked.required)
    options = search_options(Rules("phrase", limit, distortion="jump"))
    found = decoder.decode(source, random_weights(1), options, n_best=1000, distinct=False)
    orders = {tuple((s.begin, s.end) for s in d.steps) for d in found[0].derivations}
    assert orders == {order for order in permutations(units) if allowed(order, limit)}
    narrow = replace(options, stack_size=1, pop_limit=1)
    [one] = decoder.decode(source, random_weights(1), narrow)[0].derivations
    assert tuple((s.begin, s.end) for s in one.steps) in orders


@settings(max_examples=100, deadline=None)
@example(5, [7] * 80, 5)  # longer than the window of a coverage
@given(seeds, st.lists(st.integers(3, 7), min_size=1, max_size=40), limits)
def test_a_beam_of_one_hypothesis_never_ends_in_a_dead_end(
    seed: int, source: list[int], limit: int
) -> None:
    decoder, text = decoder_and_source(seed, source)
    weights = Weights({**random_weights(seed), "distance": -2.0})  # far jumps are welcome
    options = search_options(
        Rules("phrase", limit, distortion="jump"), stack_size=1, pop_limit=1, future_cost=False
    )
    [found] = decoder.decode(text, weights, options)[0].derivations
    order = tuple((step.begin, step.end) for step in found.steps)
    assert sorted(i for span in order for i in range(*span)) == list(range(len(source)))
    assert allowed(order, limit)


def test_words_left_free_on_the_way_lead_back_to_a_far_gap() -> None:
    # By hand, limit 3: from the end of word 3 the first gap is out of reach, word 2 is not.
    order = [1, 3, 2, 0]
    assert not allowed(tuple((i, i + 1) for i in [1, 2, 3, 0]), 3)
    assert allowed(tuple((i, i + 1) for i in order), 3)
    seed, source = 1, [7, 8, 9, 10]
    reference = [-1 - i for i in order]
    reached = {
        rule: force(seed, source, reference, Rules("phrase", 3, distortion=rule)).reachable
        for rule in ("window", "jump")
    }
    assert reached == {"window": False, "jump": True}


@settings(max_examples=30, deadline=None)
@given(seeds, st.lists(st.integers(3, 6), min_size=3, max_size=5), st.integers(1, 3))
def test_what_the_window_allows_the_jump_allows(seed: int, source: list[int], limit: int) -> None:
    parts = tiny_model(seed)
    window, jump = (
        {words_of(d) for d in derivations(parts, source, Rules("phrase", limit, distortion=rule))}
        for rule in ("window", "jump")
    )
    assert window <= jump

"""Normalised steps: the score is the log probability of each block among those of its span."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import islice

import numpy as np
import pytest
from decode_reference import Rules, Step, as_source, options
from hypothesis import assume, given, settings
from test_decode_dense import expected_score, features, prepared
from test_decode_exact import rules, search_options, seeds, sources
from test_decode_local import EXPRESSION, Asked, allowed, asked, kept_options
from test_features_families import every, families, steps_of, task
from test_features_families import sources as texts

from calque.config import DecodeOptions

few = settings(max_examples=40, deadline=None)
Steps = tuple[Step, ...]
Score = Callable[[Steps, bool], float]
"""The score before normalising, with or without the end of the sentence."""


def normalised(steps: Steps, score: Score, kept: Steps) -> float:
    """Every step's share of the exponentials of what the options of its span would add.

    All that were kept of the span count, whether or not they may follow; then comes the end.
    """
    total = score(steps, True) - score(steps, False)
    for i, step in enumerate(steps):
        before = steps[:i]
        adds = {
            other: score((*before, other), False) - score(before, False)
            for other in kept
            if (other.begin, other.end) == (step.begin, step.end)
        }
        total += adds[step] - float(np.logaddexp.reduce(list(adds.values())))
    return total


def normalising(options: DecodeOptions) -> DecodeOptions:
    return replace(options, normaliser="alternatives")


@few
@given(seeds, sources, rules, asked)
def test_the_n_best_list_is_every_derivation_by_its_probabilities(
    seed: int, source: list[int], by: Rules, what: Asked
) -> None:
    assume(by.mode != "phrase" or not what.least_left_count)
    parts, data, decoder, weights = prepared(seed, EXPRESSION)
    assert data.local_model is not None
    counts = data.local_model.counts
    kept = tuple(kept_options(parts, counts.sum(axis=1).tolist(), source, what.per_span))

    @cache
    def score(steps: Steps, ends: bool) -> float:
        values = features(parts, data, source, steps, ends=ends, first_block=what.first_block)
        return expected_score(weights, values)

    all_steps = list(islice(allowed(parts, data, source, by, what), 1000))
    assume(len(all_steps) < 1000)  # some tables have ten thousands, which take minutes
    expected = [normalised(steps, score, kept) for steps in all_steps]
    text, how = as_source([source]), normalising(what.options(by))
    [found] = decoder.decode(text, weights, how, n_best=10_000, distinct=False)
    scores = [derivation.score for derivation in found.derivations]
    assert scores == pytest.approx(sorted(expected, reverse=True), abs=1e-3)
    graph = decoder.graph(text, weights, how)
    assert max(n.score for n in graph.nodes if n.complete) == pytest.approx(scores[0], abs=1e-4)
    vector = weights.vector(decoder.feature_names)
    for derivation in found.derivations[:20]:
        sums = sum(step.log_sum for step in derivation.steps)
        dot = float(vector @ derivation.features)
        assert derivation.score == pytest.approx(dot - sums, abs=1e-3)
        explained = decoder.explain(derivation, text, weights)
        total = sum(fired.value * fired.weight for step in explained for fired in step)
        assert total == pytest.approx(derivation.score, abs=1e-3)


@few
@given(seeds, texts, rules, families)
def test_sparse_features_of_a_step_are_part_of_its_probability(
    seed: int, source: list[str], by: Rules, chosen: tuple[str, ...]
) -> None:
    toy = task(seed, source, chosen)
    all_steps = every(toy, by)
    assume(len(all_steps) < 300)
    weights = toy.weights(seed, {name for steps in all_steps for name in toy.names(steps)})
    known = tuple(options(toy.parts, toy.text.sentences.ids.tolist()))

    @cache
    def score(steps: Steps, ends: bool) -> float:
        return toy.score(weights, steps, ends=ends)

    expected = {steps: normalised(steps, score, known) for steps in all_steps}
    how = normalising(search_options(by))
    [found] = toy.decoder.decode(toy.text, weights, how, n_best=200, distinct=False)
    scores = [derivation.score for derivation in found.derivations]
    assert scores == pytest.approx(sorted(expected.values(), reverse=True)[:200], abs=1e-3)
    for derivation in found.derivations:
        assert derivation.score == pytest.approx(expected[steps_of(derivation)], abs=1e-3)

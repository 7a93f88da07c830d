"""What the local model asks of the search (Tillmann & Zhang 2005) equals the enumeration.

Which block begins a sentence how, which may follow on the left, which options of a span are kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal

import numpy as np
import pytest
from decode_reference import (
    SWAP,
    Parts,
    Rules,
    Step,
    as_source,
    derivations,
    options,
    tiny_model,
    with_ways,
    words_of,
)
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_decode_dense import expected_score, features, prepared
from test_decode_exact import rules, search_options, seeds, sources

from calque.config import DecodeOptions, ForceOptions, OracleOptions
from calque.config.dense import EventOptions
from calque.decode import Decoder, SourceText
from calque.errors import CalqueError, ModelError, OptionError
from calque.features import DenseData, FeatureSet, Weights
from calque.features.events import LEFT, NEUTRAL, RIGHT, BlockEvents
from calque.text import Sentences

few = settings(max_examples=50, deadline=None)
EXPRESSION = "local-model + block_count + previous_monotone + next_discontinuous + distance"


@dataclass(frozen=True)
class Asked:
    """What is asked of the search beside its reordering."""

    first_block: Literal["right", "neutral"] = "right"
    least_left_count: int = 0
    per_span: int = 0
    """Options kept of a span, those seen in most events; 0: all."""

    def options(self, by: Rules) -> DecodeOptions:
        return replace(
            search_options(by),
            first_block=self.first_block,
            least_left_count=self.least_left_count,
            options_by="count" if self.per_span else "score",
            options_per_span=self.per_span,
        )


asked = st.builds(
    Asked,
    st.sampled_from(["right", "neutral"]),
    st.sampled_from([0, 1, 3, 5, 100]),
    st.sampled_from([0, 1, 2, 3]),
)


def allowed(
    parts: Parts, data: DenseData, source: list[int], by: Rules, what: Asked
) -> Iterator[tuple[Step, ...]]:
    """Every derivation of kept options with enough events on the left where it goes there."""
    assert data.local_model is not None
    counts = data.local_model.counts
    kept = kept_options(parts, counts.sum(axis=1).tolist(), source, what.per_span)

    def may_be(steps: tuple[Step, ...]) -> bool:
        return all(
            step in kept and (way != SWAP or left(step) >= what.least_left_count)
            for step, _, way in with_ways(steps, what.first_block)
        )

    def left(step: Step) -> int:
        return 0 if step.block < 0 else int(counts[step.block, LEFT])

    return filter(may_be, derivations(parts, source, by))


def kept_options(parts: Parts, totals: list[int], source: list[int], per_span: int) -> set[Step]:
    kept: set[Step] = set()
    for _, span in groupby(options(parts, source), key=lambda step: (step.begin, step.end)):
        ranked = sorted(span, key=lambda step: (-totals[step.block], step.block))
        kept |= set(ranked[: per_span or None])
    return kept


@few
@given(seeds, sources, rules, asked)
def test_the_n_best_list_is_every_derivation_that_is_allowed(
    seed: int, source: list[int], by: Rules, what: Asked
) -> None:
    assume(by.mode != "phrase" or not what.least_left_count)
    parts, data, decoder, weights = prepared(seed, EXPRESSION)
    every = [
        (expected_score(weights, features(parts, data, source, d, first_block=what.first_block)), d)
        for d in allowed(parts, data, source, by, what)
    ]
    every.sort(key=lambda pair: -pair[0])
    text = as_source([source])
    [found] = decoder.decode(text, weights, what.options(by), n_best=10_000, distinct=False)
    assert [d.score for d in found.derivations] == pytest.approx([s for s, _ in every], abs=1e-4)
    blocks = {tuple((s.begin, s.end, s.block) for s in d) for _, d in every}
    assert {tuple((s.begin, s.end, s.block) for s in d.steps) for d in found.derivations} == blocks
    graph = decoder.graph(text, weights, what.options(by))
    best = max(node.score for node in graph.nodes if node.complete)
    assert found.derivations[0].score == pytest.approx(best, abs=1e-5)


@few
@given(seeds, sources, rules, st.sampled_from(["right", "neutral"]))
def test_orientations_and_features_follow_the_first_block(
    seed: int, source: list[int], by: Rules, first_block: Literal["right", "neutral"]
) -> None:
    parts, data, decoder, weights = prepared(seed, EXPRESSION)
    text, how = as_source([source]), Asked(first_block).options(by)
    [found] = decoder.decode(text, weights, how, n_best=20, distinct=False)
    vector = weights.vector(decoder.feature_names)
    edges = decoder.graph(text, weights, how).edges
    firsts = {edge.step.orientation for edge in edges if edge.begin_node == 0}
    for derivation in found.derivations:
        steps = tuple(Step(s.begin, s.end, s.block, tuple(s.target)) for s in derivation.steps)
        ways = [way for _, _, way in with_ways(steps, first_block)]
        assert [s.orientation for s in derivation.steps] == ways
        assert ways[0] in firsts
        values = features(parts, data, source, steps, first_block=first_block)
        expected = [values[name] for name in decoder.feature_names]
        assert derivation.features == pytest.approx(expected, abs=1e-4)
        assert decoder.dense_features(derivation, text) == derivation.features
        assert derivation.score == pytest.approx(float(vector @ derivation.features), abs=1e-4)
        blocks = [(s.begin, s.end, s.target) for s in derivation.steps]
        again = decoder.derive(text, blocks, weights, how)
        assert [s.orientation for s in again.steps] == ways
        assert again.score == pytest.approx(derivation.score, abs=1e-4)
        explained = decoder.explain(derivation, text, weights)
        total = sum(fired.value * fired.weight for step in explained for fired in step)
        assert total == pytest.approx(derivation.score, abs=1e-4)


@few
@given(seeds, sources, st.sampled_from(["mon", "swap"]), asked, st.data())
def test_forced_and_oracle_decoding_obey_the_same_rules(
    seed: int,
    source: list[int],
    mode: Literal["mon", "swap"],
    what: Asked,
    draw: st.DataObject,
) -> None:
    what, by = replace(what, per_span=0), Rules(mode)
    parts, data, decoder, weights = prepared(seed, EXPRESSION)
    every = list(allowed(parts, data, source, by, what))
    reference = list(words_of(draw.draw(st.sampled_from(every))))
    golden = [d for d in every if list(words_of(d)) == reference]
    wanted = SourceText(Sentences.from_lists([reference]), np.array(reference, np.int32))
    shared = what.options(by).rules()
    [forced] = decoder.force(as_source([source]), wanted, weights, ForceOptions(**shared))
    assert forced.n_derivations == len(golden)
    best = max(
        expected_score(weights, features(parts, data, source, d, first_block=what.first_block))
        for d in golden
    )
    assert forced.best.score == pytest.approx(best, abs=1e-4)
    exact = OracleOptions(**shared, stack_size=0)
    [oracle] = decoder.oracle(as_source([source]), [wanted], exact, n_best=3)
    blocks = {tuple((s.begin, s.end, s.block) for s in d) for d in every}
    for derivation in oracle.derivations:
        assert tuple((s.begin, s.end, s.block) for s in derivation.steps) in blocks
    assert oracle.derivations[0].score == pytest.approx(1.0, abs=1e-6)


@few
@given(seeds, st.lists(st.integers(3, 6), min_size=1, max_size=6), rules, st.booleans())
def test_orientations_are_the_sides_of_events(
    seed: int, source: list[int], by: Rules, boundary: bool
) -> None:
    """A derivation is a sentence pair: its steps to the right and left are events of it."""
    parts, _, decoder, weights = prepared(seed, EXPRESSION)
    how = replace(search_options(by), first_block="right" if boundary else "neutral")
    [found] = decoder.decode(as_source([source]), weights, how, n_best=5, distinct=False)
    for derivation in found.derivations:
        steps = tuple(Step(s.begin, s.end, s.block, tuple(s.target)) for s in derivation.steps)
        if any(step.block < 0 for step in steps):
            continue
        target = Sentences.from_lists([list(words_of(steps))])
        events = BlockEvents(
            parts.blocks,
            Sentences.from_lists([source]),
            target,
            EventOptions(boundary_block=boundary),
        ).collect(0, 1)
        columns = (events.previous, events.block, events.side, events.source_begin)
        known = set(zip(*(a.tolist() for a in (*columns, events.target_begin)), strict=True))
        target_begin = 0
        for i, (step, found_step) in enumerate(zip(steps, derivation.steps, strict=True)):
            side = {"R": RIGHT, "L": LEFT, "N": NEUTRAL}["RLN"[found_step.orientation]]
            place = (step.block, side, step.begin, target_begin)
            if i == 0:
                assert (-1, *place) in known
            elif side != NEUTRAL:
                assert (steps[i - 1].block, *place) in known
            target_begin += len(step.target)


@few
@given(seeds, st.lists(st.integers(3, 7), min_size=1, max_size=12), asked)
def test_a_narrow_beam_meets_no_dead_end(seed: int, source: list[int], what: Asked) -> None:
    _, _, decoder, weights = prepared(seed, EXPRESSION)
    narrow = replace(what.options(Rules("swap")), stack_size=1, pop_limit=1)
    [found] = decoder.decode(as_source([source]), weights, narrow)
    covered = [i for step in found.derivations[0].steps for i in range(step.begin, step.end)]
    assert sorted(covered) == list(range(len(source)))


@pytest.mark.parametrize("first_block", ["right", "neutral"])
def test_options_by_score_are_those_of_adjacent_steps(
    first_block: Literal["right", "neutral"],
) -> None:
    """Whatever the step, which is not known when they are chosen."""
    parts, data, decoder, _ = prepared(4, "local-model")
    local = data.local_model
    assert local is not None
    weights = Weights(dict.fromkeys(decoder.feature_names, 0.0))
    weights = Weights({**weights, "block_unigram": 1.0, "neutral_block_unigram": -5.0})
    rows, source = phrase_of_many_blocks(parts)
    ranked = sorted(rows, key=lambda row: -local.unigram.values[row])
    options = DecodeOptions(stack_size=0, pop_limit=0, options_per_span=2, first_block=first_block)
    [found] = decoder.decode(as_source([source]), weights, options, n_best=9999, distinct=False)
    whole = {d.steps[0].block for d in found.derivations if len(d.steps) == 1}
    assert whole == set(ranked[:2])


def phrase_of_many_blocks(parts: Parts) -> tuple[list[int], list[int]]:
    """The rows of the blocks of a phrase, and its words."""
    table = parts.blocks
    phrase = next(p for p in range(len(table.source_counts)) if len(table.blocks(p)) > 3)
    return list(table.blocks(phrase)), table.source(phrase).tolist()


def test_options_by_count_are_all_blocks_of_the_phrase_whatever_their_scores() -> None:
    parts, data, decoder, weights = prepared(4, EXPRESSION)
    assert data.local_model is not None
    rows, source = phrase_of_many_blocks(parts)
    totals = data.local_model.counts.sum(axis=1).tolist()
    ranked = sorted(rows, key=lambda row: (-totals[row], row))
    options = DecodeOptions(
        stack_size=0, pop_limit=0, max_targets=1, options_per_span=2, options_by="count"
    )
    [found] = decoder.decode(as_source([source]), weights, options, n_best=9999, distinct=False)
    whole = {d.steps[0].block for d in found.derivations if len(d.steps) == 1}
    assert whole == set(ranked[:2])


def test_counts_of_events_are_asked_of_models_that_have_them() -> None:
    parts = tiny_model(1)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    for how, what in (
        (DecodeOptions(reordering="swap", least_left_count=3), "least_left_count=3"),
        (DecodeOptions(options_by="count"), "options_by=count"),
    ):
        with pytest.raises(ModelError, match=f"{what} needs counts of events.*train it with"):
            decoder.decode(as_source([[3]]), Weights.default(), how)


def test_jumps_and_counts_on_the_left_are_refused_together() -> None:
    _, _, decoder, weights = prepared(1, EXPRESSION)
    with pytest.raises(OptionError, match="requires reordering=swap or mon"):
        decoder.decode(as_source([[3]]), weights, DecodeOptions(least_left_count=3))


def test_counts_of_other_blocks_are_refused() -> None:
    parts, data, _, _ = prepared(1, EXPRESSION)
    assert data.local_model is not None
    short = replace(data.local_model, counts=data.local_model.counts[:-1])
    features = FeatureSet.compile("language_model", replace(data, local_model=short))
    with pytest.raises(CalqueError, match="counts of events"):
        Decoder(parts.blocks, parts.vocabulary, parts.lm, features)

"""Without pruning the search is exact: it equals the enumeration of every derivation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from decode_reference import Rules, as_source, derivations, features, score, tiny_model, words_of
from hypothesis import given, settings
from hypothesis import strategies as st

from calque import _core
from calque.config import DecodeOptions
from calque.decode import Decoder
from calque.features import (
    DENSE,
    DenseData,
    FeatureSet,
    SparseWeights,
    Template,
    Weights,
    WordData,
)

few = settings(max_examples=60, deadline=None)
seeds = st.integers(0, 10_000)
sources = st.lists(st.integers(3, 7), min_size=1, max_size=4)  # word 7 is in no block
rules = st.one_of(
    st.builds(
        Rules,
        st.just("phrase"),
        st.sampled_from([-1, 0, 1, 2, 6]),
        distortion=st.sampled_from(["window", "jump"]),
    ),
    st.builds(Rules, st.just("mon")),
    st.builds(Rules, st.just("swap"), strict=st.booleans()),
)


def random_weights(seed: int) -> Weights:
    rng = np.random.default_rng(seed)
    return Weights(dict(zip(DENSE, rng.normal(0.3, 0.5, len(DENSE)), strict=True)))


def search_options(by: Rules, **limits: Any) -> DecodeOptions:
    options = DecodeOptions(stack_size=0, pop_limit=0, options_per_span=0)
    return replace(
        options,
        reordering=by.mode,
        distortion_limit=by.limit,
        distortion_rule=by.distortion,
        strict_single_gap=by.strict,
        **limits,
    )


def decode(
    seed: int, source: list[int], by: Rules, n_best: int, distinct: bool = False
) -> tuple[list[_core.Derivation], Decoder]:
    parts = tiny_model(seed)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    found = decoder.decode(
        as_source([source]),
        random_weights(seed),
        search_options(by),
        n_best=n_best,
        distinct=distinct,
    )
    return found[0].derivations, decoder


@few
@given(seeds, sources, rules)
def test_the_best_derivation_is_the_best_of_all(seed: int, source: list[int], by: Rules) -> None:
    parts, weights = tiny_model(seed), random_weights(seed)
    best = max(score(weights, features(parts, d)) for d in derivations(parts, source, by))
    found, _ = decode(seed, source, by, 1)
    assert found[0].score == pytest.approx(best, abs=1e-4)


@few
@given(seeds, sources, rules)
def test_the_n_best_list_is_every_derivation_in_order(
    seed: int, source: list[int], by: Rules
) -> None:
    parts, weights = tiny_model(seed), random_weights(seed)
    every = [score(weights, features(parts, d)) for d in derivations(parts, source, by)]
    found, _ = decode(seed, source, by, 200)
    scores = [derivation.score for derivation in found]
    assert scores == pytest.approx(sorted(every, reverse=True)[:200], abs=1e-4)
    assert scores == sorted(scores, reverse=True)


@few
@given(seeds, sources, rules)
def test_a_distinct_list_holds_the_best_derivation_of_every_string(
    seed: int, source: list[int], by: Rules
) -> None:
    parts, weights = tiny_model(seed), random_weights(seed)
    best: dict[tuple[int, ...], float] = {}
    for derivation in derivations(parts, source, by):
        words = words_of(derivation)
        value = score(weights, features(parts, derivation))
        best[words] = max(value, best.get(words, -np.inf))
    found, _ = decode(seed, source, by, 10_000, distinct=True)
    strings = [tuple(w for step in d.steps for w in step.target) for d in found]
    assert len(set(strings)) == len(strings) == len(best)
    for words, kept in zip(strings, found, strict=True):
        assert kept.score == pytest.approx(best[words], abs=1e-4)


@few
@given(seeds, sources, rules)
def test_the_score_is_the_dot_product_of_weights_and_features(
    seed: int, source: list[int], by: Rules
) -> None:
    found, decoder = decode(seed, source, by, 20)
    vector = random_weights(seed).vector()
    for derivation in found:
        assert derivation.score == pytest.approx(float(vector @ derivation.features), abs=1e-4)
        assert decoder.dense_features(derivation, as_source([source])) == derivation.features


@few
@given(seeds, sources, rules)
def test_the_features_are_those_of_the_definitions(seed: int, source: list[int], by: Rules) -> None:
    parts = tiny_model(seed)
    by_steps = {
        tuple((s.begin, s.end, s.block) for s in d): d for d in derivations(parts, source, by)
    }
    found, _ = decode(seed, source, by, 50)
    for derivation in found:
        steps = by_steps[tuple((s.begin, s.end, s.block) for s in derivation.steps)]
        expected = list(features(parts, steps).values())
        assert derivation.features == pytest.approx(expected, abs=1e-4)


@few
@given(seeds, st.lists(st.integers(3, 7), min_size=1, max_size=12), rules)
def test_every_derivation_covers_every_source_word_once(
    seed: int, source: list[int], by: Rules
) -> None:
    parts = tiny_model(seed)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    options = search_options(by, stack_size=10, pop_limit=20)
    found = decoder.decode(
        as_source([source]), Weights.default(), options, n_best=10, distinct=False
    )
    assert found[0].derivations
    for derivation in found[0].derivations:
        covered = [i for step in derivation.steps for i in range(step.begin, step.end)]
        assert sorted(covered) == list(range(len(source)))


def test_pruning_never_finds_a_better_score() -> None:
    parts, weights = tiny_model(3), random_weights(3)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    source = as_source([[3, 4, 5, 6, 3, 4]])
    exact = decoder.decode(source, weights, search_options(Rules()))
    for stack_size, pop_limit, threshold in ((1, 1, 0.0), (3, 5, 0.0), (0, 0, 0.5), (0, 0, 5.0)):
        options = search_options(
            Rules(), stack_size=stack_size, pop_limit=pop_limit, threshold=threshold
        )
        pruned = decoder.decode(source, weights, options)
        assert pruned[0].derivations[0].score <= exact[0].derivations[0].score + 1e-6
        assert pruned[0].n_generated < exact[0].n_generated


def test_the_threshold_compares_scores_with_or_without_what_is_to_come() -> None:
    parts, weights = tiny_model(3), random_weights(3)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    source = as_source([[3, 4, 5, 6, 3, 4]])

    def generated(**limits: Any) -> int:
        return decoder.decode(source, weights, search_options(Rules(), **limits))[0].n_generated

    # Without a future cost there is nothing to leave out.
    estimate, score = (generated(threshold=0.5, threshold_on=on) for on in ("estimate", "score"))
    blind = [
        generated(threshold=0.5, threshold_on=on, future_cost=False) for on in ("estimate", "score")
    ]
    assert blind == [score, score]
    assert estimate != score


def test_the_future_cost_guides_pruning_and_changes_nothing_without() -> None:
    parts, weights = tiny_model(3), random_weights(3)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    source = as_source([[3, 4, 5, 6, 3, 4]])
    exact, blind = (
        decoder.decode(source, weights, search_options(Rules(), future_cost=on))[0]
        for on in (True, False)
    )
    assert exact.n_generated == blind.n_generated
    assert exact.derivations[0].score == pytest.approx(blind.derivations[0].score, abs=1e-5)


def test_the_future_cost_knows_which_orientation_suits_what_is_to_come() -> None:
    """Of two words the second one pays when it comes second; begin with it, and it does not."""
    parts = tiny_model(3)
    pairs = ((a, b) for a in range(3, 7) for b in range(3, 7) if a != b)
    words = next(list(pair) for pair in pairs if parts.blocks.find(list(pair)) < 0)
    features = FeatureSet.compile(
        "standard",
        DenseData(parts.blocks),
        (Template("order", ("source.first", "orientation")),),
        WordData(parts.vocabulary, parts.vocabulary),
    )
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm, features)
    first, second = (f"order:w{word - 3} ||| R" for word in words)
    keys = np.array([features.key_of(name) for name in (first, second)], np.uint64)
    order = np.argsort(keys)
    sparse = SparseWeights.from_arrays(keys[order], np.array([-0.5, 1.0], np.float32)[order])
    weights = Weights(dict.fromkeys(Weights.default(), 0.0), sparse)
    source = as_source([words])
    for stack_size in (0, 1):
        [found] = decoder.decode(source, weights, search_options(Rules(), stack_size=stack_size))
        assert found.derivations[0].score == pytest.approx(0.5)


def test_an_empty_sentence_has_the_empty_translation() -> None:
    found, _ = decode(1, [], Rules(), 5)
    assert [len(derivation.steps) for derivation in found] == [0]
    assert found[0].score == pytest.approx(float(random_weights(1).vector() @ found[0].features))


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    parts = tiny_model(5, n_pairs=40, n_words=12)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    rng = np.random.default_rng(1)
    sentences = as_source([rng.integers(3, 15, rng.integers(1, 30)).tolist() for _ in range(60)])

    def run(threads: int) -> list[tuple[float, int, list[int]]]:
        decoded = decoder.decode(
            sentences, Weights.default(), DecodeOptions(), n_best=5, threads=threads
        )
        return [
            (d.score, sentence.n_generated, [step.block for step in d.steps])
            for sentence in decoded
            for d in sentence.derivations
        ]

    assert run(1) == run(2) == run(8)


def test_a_sentence_of_500_words_is_translated() -> None:
    parts = tiny_model(7)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    source = np.random.default_rng(1).integers(3, 7, 500).tolist()
    for by in (Rules("mon"), Rules("swap"), Rules("phrase", 0), Rules("phrase", 6), Rules()):
        options = search_options(by, stack_size=20, pop_limit=40)
        found = decoder.decode(as_source([source]), Weights.default(), options)
        covered = [i for s in found[0].derivations[0].steps for i in range(s.begin, s.end)]
        assert sorted(covered) == list(range(500))

"""Which options of a span the search considers: the best by all that does not depend on the way."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from decode_reference import Step, options, score, tiny_model
from decode_reference import features as dense_features
from feature_reference import Block, Derived, names
from test_features_families import CLASSES, Task

from calque._core import SparseTable
from calque.config import DecodeOptions
from calque.decode import Decoder, SourceText
from calque.features import (
    DENSE,
    DenseData,
    FeatureSet,
    SparseWeights,
    Weights,
    WordData,
    chosen_templates,
)

FREE = ("P1", "P5", "W1", "phrase-pair", "lexical", "source-triplets", "target-triplets", "ruleid")
"""Families whose features a block and its place in the sentence decide; `wordedges` is another."""
SOURCES = (["w0"], ["w2", "w1"])
EVERYTHING = DecodeOptions(
    reordering="mon", stack_size=0, pop_limit=0, future_cost=False, options_in_sentence=0
)
"""No pruning but that of options."""


def rich_model(seed: int, families: tuple[str, ...], source: list[str]) -> Task:
    """A model of few words, which have many blocks each."""
    parts = tiny_model(seed, n_pairs=200, n_words=4)
    data = WordData(parts.vocabulary, parts.vocabulary, CLASSES, CLASSES)
    templates = chosen_templates(", ".join(families))
    features = FeatureSet.compile("standard", DenseData(parts.blocks), templates, data)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm, features)
    text = SourceText.encode([" ".join(source)], parts.vocabulary, parts.vocabulary)
    return Task(parts, decoder, tuple(source), text, families, frozenset())


def fired(toy: Task, step: Step) -> dict[str, int]:
    """What a block gives in its place, whatever comes before and after."""
    word = toy.parts.vocabulary.word
    block = Block(step.begin, step.end, tuple(map(word, step.target)), step.block, False)
    return names(toy.families, Derived(toy.source, (block,), CLASSES, CLASSES, frozenset(), False))


def sees_neighbours(toy: Task, name: str) -> bool:
    """Whether a feature depends on the words beside the block."""
    template = toy.decoder.features.templates[name.partition(":")[0]]
    return any(slot.name in ("source.left", "source.right") for slot in template.parsed)


def ranking(toy: Task, weights: Weights, steps: list[Step], *, alone: bool = False) -> list[int]:
    """The blocks of one span, the best first. Precondition: what depends on the way weighs 0.

    With `alone`, without the features that depend on the words beside them.
    """
    key_of = toy.decoder.features.key_of

    def value(step: Step) -> float:
        sparse = (
            weights.sparse[key_of(name)] * n
            for name, n in fired(toy, step).items()
            if not (alone and sees_neighbours(toy, name))
        )
        return score(weights, dense_features(toy.parts, (step,), ends=False)) + sum(sparse)

    return [step.block for step in sorted(steps, key=lambda s: (-value(s), s.block))]


def spans(toy: Task) -> dict[tuple[int, int], list[Step]]:
    found: dict[tuple[int, int], list[Step]] = {}
    for step in options(toy.parts, toy.text.sentences.ids.tolist()):
        found.setdefault((step.begin, step.end), []).append(step)
    return found


def considered(
    toy: Task, weights: Weights, limit: int, in_sentence: int = 0
) -> dict[tuple[int, int], set[int]]:
    """The blocks of each span in any derivation of an exhaustive search."""
    limited = replace(EVERYTHING, options_per_span=limit, options_in_sentence=in_sentence)
    [found] = toy.decoder.decode(toy.text, weights, limited, n_best=100_000, distinct=False)
    blocks: dict[tuple[int, int], set[int]] = {}
    for derivation in found.derivations:
        for step in derivation.steps:
            blocks.setdefault((step.begin, step.end), set()).add(step.block)
    return blocks


def free_weights(seed: int, toy: Task) -> Weights:
    """Random ones of all that a block and its place decide, and nothing else."""
    rng = np.random.default_rng(seed)
    dense = dict.fromkeys(DENSE, 0.0)
    for name in DENSE:
        if "given" in name or name.endswith("count"):
            dense[name] = float(rng.normal(0, 0.5))
    assert sum(value != 0 for value in dense.values()) == 6
    steps = [step for some in spans(toy).values() for step in some]
    keys = {toy.decoder.features.key_of(name) for step in steps for name in fired(toy, step)}
    sparse = SparseWeights.from_arrays(
        np.array(sorted(keys), np.uint64), rng.normal(0, 2, len(keys)).astype(np.float32)
    )
    return Weights(dense, sparse)


@pytest.mark.parametrize(("seed", "limit"), [(1, 1), (2, 1), (3, 3)])
@pytest.mark.parametrize(
    "families", [*((family,) for family in FREE), ("P1", "W1"), ("wordedges",)]
)
def test_the_best_options_by_all_weights_are_considered(
    families: tuple[str, ...], seed: int, limit: int
) -> None:
    for source in SOURCES:
        toy = rich_model(seed, families, source)
        weights = free_weights(seed, toy)
        found = considered(toy, weights, limit)
        for span, steps in spans(toy).items():
            assert found[span] == set(ranking(toy, weights, steps)[:limit])


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_neighbours_are_looked_at_for_the_best_options_without_them(seed: int) -> None:
    for source in SOURCES:
        toy = rich_model(seed, ("wordedges",), source)
        weights = free_weights(seed, toy)
        found = considered(toy, weights, 2, in_sentence=5)
        for span, steps in spans(toy).items():
            first = set(ranking(toy, weights, steps, alone=True)[:5])
            some = [step for step in steps if step.block in first]
            assert found[span] == set(ranking(toy, weights, some)[:2])


def test_one_weight_brings_any_block_in() -> None:
    """With nothing but the language model beside it (Tillmann & Zhang 2008)."""
    toy = rich_model(5, ("P1",), ["w0"])
    dense = {**dict.fromkeys(DENSE, 0.0), "language_model": 0.1}
    [steps] = spans(toy).values()
    assert len(steps) > 20
    for step in steps:
        [name] = fired(toy, step)
        key = np.array([toy.decoder.features.key_of(name)], np.uint64)
        weights = Weights(dense, SparseWeights.from_arrays(key, np.array([50], np.float32)))
        [found] = toy.decoder.decode(toy.text, weights, DecodeOptions(options_per_span=5))
        assert found.derivations[0].steps[0].block == step.block


def test_weights_changed_in_place_count_in_the_next_call() -> None:
    """Also those of templates that had none: nothing of an earlier call is kept."""
    toy = rich_model(5, ("P1", "W1", "wordedges"), ["w0"])
    table = SparseTable()
    weights = Weights(dict.fromkeys(DENSE, 0.0), SparseWeights(table))
    [steps] = spans(toy).values()
    for step in steps[::7]:
        for family in toy.families:
            single = replace(toy, families=(family,))
            keys = np.array([toy.decoder.features.key_of(n) for n in fired(single, step)], "u8")
            table.add_many(keys, np.full(len(keys), 20, np.float32))
            [found] = toy.decoder.decode(toy.text, weights, DecodeOptions(options_per_span=5))
            assert found.derivations[0].steps[0].block == ranking(toy, weights, steps)[0]
            table.add_many(keys, np.full(len(keys), -20, np.float32))

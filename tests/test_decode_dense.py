"""Every dense feature, alone and in the sets of the papers: the search equals the enumeration."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from decode_reference import (
    DISCONTINUOUS,
    MONOTONE,
    SWAP,
    Parts,
    Rules,
    Step,
    as_source,
    derivations,
    score,
    tiny_model,
    with_ways,
    words_of,
)
from decode_reference import features as standard_features
from feature_reference import hierarchical_ways
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from test_decode_exact import rules, search_options, seeds, sources

from calque.config import DecodeOptions, ForceOptions, LmOptions, OracleOptions
from calque.decode import Decoder, SourceText
from calque.errors import CalqueError, ModelError
from calque.features import (
    COMPONENTS,
    DENSE,
    SETS,
    BlockColumn,
    ClassLanguageModel,
    DenseData,
    FeatureSet,
    HierarchicalData,
    JumpTable,
    LocalModelData,
    Model4Data,
    OrientationColumn,
    RelevantSetData,
    Weights,
    chosen,
)
from calque.lm import estimate
from calque.text import Sentences, Vocabulary

HIERARCHICAL = SETS["hierarchical-reordering"]
few = settings(max_examples=50, deadline=None)
COLUMNS: dict[str, Callable[[Any], BlockColumn]] = {
    "model1_weight": lambda data: data.relevant_set.lexical,
    "fertility": lambda data: data.model4.fertility,
    "lexicon": lambda data: data.model4.lexicon,
}
JUMPS: dict[str, Callable[[Any], JumpTable]] = {
    "jump_probability": lambda data: data.model4.jump,
    "inbound_distortion": lambda data: data.relevant_set.inbound,
    "outbound_distortion": lambda data: data.relevant_set.outbound,
}
expressions = st.one_of(
    st.sampled_from([*SETS, "standard + class_language_model - unknown"]),
    st.lists(st.sampled_from(list(COMPONENTS)), min_size=1, unique=True).map(" + ".join),
)


def random_data(parts: Parts, seed: int) -> DenseData:
    """Random tables for every component."""
    rng = np.random.default_rng(seed)

    def table(*shape: int) -> NDArray[np.float32]:
        return rng.normal(-1, 1, shape).astype(np.float32)

    classes = Vocabulary(["c0", "c1"])
    text = Sentences.from_lists([rng.integers(3, 5, 4).tolist() for _ in range(6)])

    def column() -> BlockColumn:
        return BlockColumn(table(len(parts.blocks)), -7.0)

    orientation = OrientationColumn(
        table(len(parts.blocks), 3), np.array([-1.0, -2.0, 0.0], np.float32)
    )
    counts = rng.integers(0, 5, (len(parts.blocks), 3)).astype(np.int32)
    return DenseData(
        parts.blocks,
        RelevantSetData(column(), JumpTable(table(6, 5), 1), JumpTable(table(6, 5), 1)),
        LocalModelData(counts, column(), orientation, column(), np.empty((0, 2), np.int32)),
        Model4Data(column(), column(), JumpTable(table(1, 5), -1)),
        ClassLanguageModel(
            estimate(text, classes, LmOptions(order=4)), np.array([0, 1, 2, 3, 4, 3, 4], np.int32)
        ),
        HierarchicalData(table(len(parts.blocks), 6)),
    )


def jump(data: DenseData, name: str, source: list[int], step: Step, last_end: int) -> float:
    table = JUMPS[name](data)
    row = {
        "jump_probability": 0,
        "inbound_distortion": source[step.begin],
        "outbound_distortion": source[last_end - 1] if last_end else 5,
    }[name]
    row = row if row < len(table.log_probs) else 0
    return table.log_prob(row, step.begin, last_end)


def features(
    parts: Parts,
    data: DenseData,
    source: list[int],
    steps: tuple[Step, ...],
    *,
    ends: bool = True,
    first_block: str = "right",
) -> dict[str, float]:
    """Every component of a derivation, written down from the definitions."""
    standard = standard_features(parts, steps, ends=ends, first_block=first_block)
    values = dict.fromkeys(COMPONENTS, 0.0) | standard
    values["word_penalty"] = -values["word_count"]
    values["block_penalty"] = -values["block_count"]
    values["glue_count"] = values["block_count"]  # no block is in a gap of another one
    words = [max(word, 0) for word in words_of(steps)]
    log_probs = parts.lm.score_words(Sentences.from_lists([words])).log_probs[: len(words) + ends]
    add_language_model(log_probs.tolist(), list(with_ways(steps, first_block)), values)
    assert data.class_lm is not None
    classes = data.class_lm.map(Sentences.from_lists([words]))
    class_scores = data.class_lm.lm.score_words(classes).log_probs[: len(words) + ends]
    values["class_language_model"] = float(sum(class_scores))
    for step, before, way in with_ways(steps, first_block):
        for name, of in COLUMNS.items():
            column = of(data)
            is_copy = step.block < 0
            values[name] += column.copied if is_copy else float(column.values[step.block])
        add_local_model(data, step, way, values)
        for name in JUMPS:
            values[name] += jump(data, name, source, step, before.end if before else 0)
    add_hierarchical(data, len(source), steps, ends, values)
    return values


def add_hierarchical(
    data: DenseData, n_words: int, steps: tuple[Step, ...], ends: bool, values: dict[str, float]
) -> None:
    """What each block of the table adds by its orientations towards merged blocks."""
    assert data.hierarchical is not None
    ways = {"M": MONOTONE, "S": SWAP, "D": DISCONTINUOUS}
    for step, both in zip(steps, hierarchical_ways(steps, n_words, ends), strict=True):
        for i, letter in enumerate(both):
            if step.block >= 0 and letter is not None:
                at = 3 * i + ways[letter]
                values[HIERARCHICAL[at]] += float(data.hierarchical.log_probs[step.block][at])


def add_language_model(
    log_probs: list[float], steps: list[tuple[Step, Step | None, int]], values: dict[str, float]
) -> None:
    """What each word adds by its place in its block and by the step to the block."""
    left = iter(log_probs)
    for step, _, way in steps:
        kind = "neutral" if way == DISCONTINUOUS else "adjacent"
        for i, _ in enumerate(step.target):
            log_prob = next(left)
            place = "rest" if i else "first"
            values[f"language_model_{place}"] += log_prob
            values[f"{kind}_language_model_{place}"] += log_prob
    for end in left:
        values["language_model_rest"] += end
        values["adjacent_language_model_rest"] += end


def add_local_model(data: DenseData, step: Step, way: int, values: dict[str, float]) -> None:
    """(a), (b) and (e) of one step, with names of their own for neutral steps, without (b)."""
    local = data.local_model
    assert local is not None
    prefix = "neutral_" if way == DISCONTINUOUS else ""
    for name, column in (("block_unigram", local.unigram), ("single_word_weight", local.lexical)):
        is_copy = step.block < 0
        values[prefix + name] += column.copied if is_copy else float(column.values[step.block])
    if way != DISCONTINUOUS:
        row = local.orientation.copied if step.block < 0 else local.orientation.values[step.block]
        values["block_orientation"] += float(row[way])


def prepared(seed: int, expression: str) -> tuple[Parts, DenseData, Decoder, Weights]:
    parts = tiny_model(seed)
    data = random_data(parts, seed)
    decoder = Decoder(
        parts.blocks, parts.vocabulary, parts.lm, FeatureSet.compile(expression, data)
    )
    rng = np.random.default_rng(seed)
    names = decoder.feature_names
    values = zip(names, rng.normal(0.3, 0.5, len(names)), strict=True)
    return parts, data, decoder, Weights(dict(values))


def expected_score(weights: Weights, values: dict[str, float]) -> float:
    return score(weights, {name: values[name] for name in weights})


@few
@given(seeds, sources, rules, expressions)
def test_the_n_best_list_is_every_derivation_in_order(
    seed: int, source: list[int], by: Rules, expression: str
) -> None:
    parts, data, decoder, weights = prepared(seed, expression)
    every = [
        expected_score(weights, features(parts, data, source, d))
        for d in derivations(parts, source, by)
    ]
    options = search_options(by)
    found = decoder.decode(as_source([source]), weights, options, n_best=200, distinct=False)
    scores = [derivation.score for derivation in found[0].derivations]
    assert scores == pytest.approx(sorted(every, reverse=True)[:200], abs=1e-4)


@few
@given(seeds, sources, rules, expressions)
def test_the_features_are_those_of_the_definitions_and_add_up_to_the_score(
    seed: int, source: list[int], by: Rules, expression: str
) -> None:
    parts, data, decoder, weights = prepared(seed, expression)
    by_steps = {
        tuple((s.begin, s.end, s.block) for s in d): d for d in derivations(parts, source, by)
    }
    text = as_source([source])
    found = decoder.decode(text, weights, search_options(by), n_best=20, distinct=False)
    graph = decoder.graph(text, weights, search_options(by))
    best = max(node.score for node in graph.nodes if node.complete)
    assert found[0].derivations[0].score == pytest.approx(best, abs=1e-5)
    for derivation in found[0].derivations:
        steps = by_steps[tuple((s.begin, s.end, s.block) for s in derivation.steps)]
        values = features(parts, data, source, steps)
        expected = [values[name] for name in decoder.feature_names]
        assert derivation.features == pytest.approx(expected, abs=1e-4)
        assert decoder.dense_features(derivation, text) == derivation.features
        dot = float(weights.vector(decoder.feature_names) @ derivation.features)
        assert derivation.score == pytest.approx(dot, abs=1e-4)


@few
@given(seeds, sources, rules, expressions, st.data())
def test_forced_and_oracle_decoding_score_the_same_features(
    seed: int, source: list[int], by: Rules, expression: str, draw: st.DataObject
) -> None:
    assume(not by.strict)
    parts, data, decoder, weights = prepared(seed, expression)
    every = list(derivations(parts, source, by))
    reference = list(words_of(draw.draw(st.sampled_from(every))))
    golden = [d for d in every if list(words_of(d)) == reference]
    wanted = SourceText(Sentences.from_lists([reference]), np.array(reference, np.int32))
    options = ForceOptions(
        reordering=by.mode,
        distortion_limit=by.limit,
        distortion_rule=by.distortion,
        min_prefix=1,
    )
    [forced] = decoder.force(as_source([source]), wanted, weights, options)
    best = max(expected_score(weights, features(parts, data, source, d)) for d in golden)
    assert forced.n_derivations == len(golden)
    assert forced.best.score == pytest.approx(best, abs=1e-4)
    dot = float(weights.vector(decoder.feature_names) @ forced.best.features)
    assert forced.best.score == pytest.approx(dot, abs=1e-4)
    [oracle] = decoder.oracle(as_source([source]), [wanted], OracleOptions(), n_best=1)
    again = decoder.dense_features(oracle.derivations[0], as_source([source]))
    assert oracle.derivations[0].features == again


def test_expressions_add_and_drop() -> None:
    assert chosen("standard") == DENSE
    assert len(chosen("maxforce")) == 11
    assert chosen(" standard -  unknown + word_count + fertility") == (*DENSE[:-1], "fertility")
    assert chosen("relevant-set-7") == (*chosen("relevant-set-6"), "word_count")
    assert set(SETS["standard"]) == set(Weights.default())


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("standrd", "no dense feature or set is called 'standrd': did you mean 'standard'?"),
        ("standard + lm", "no dense feature or set is called 'lm'"),
        ("standard + ", "features 'standard + ': expected sets and features with ' + ' or ' - '"),
        ("standard unknown", "expected sets and features with"),
        ("standard - standard", "at least one feature"),
        ("", "at least one feature"),
    ],
)
def test_a_mistake_in_an_expression_is_one_clear_line(expression: str, problem: str) -> None:
    with pytest.raises(CalqueError, match=re.escape(problem)):
        chosen(expression)


def test_a_feature_without_data_is_refused_by_name() -> None:
    parts = tiny_model(1)
    local = [name for name in SETS["local-model"] if "language_model" not in name]
    for name in (*COLUMNS, *JUMPS, "class_language_model", *local, *HIERARCHICAL):
        with pytest.raises(ModelError, match=f"no data for the feature '{name}'"):
            FeatureSet.compile(name, DenseData(parts.blocks))


def test_weights_of_other_features_are_refused_by_name() -> None:
    parts = tiny_model(1)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    with pytest.raises(CalqueError, match="the weight of 'source_given_target' is missing"):
        decoder.decode(as_source([[3]]), Weights({"language_model": 1.0}), DecodeOptions())
    wrong = Weights({**Weights.default(), "fertility": 1.0})
    with pytest.raises(CalqueError, match="no feature is called 'fertility'"):
        decoder.decode(as_source([[3]]), wrong, DecodeOptions())


def test_a_table_of_other_blocks_is_refused() -> None:
    parts = tiny_model(1)
    short = BlockColumn(np.zeros(len(parts.blocks) - 1, np.float32), 0.0)
    model4 = Model4Data(short, short, JumpTable(np.zeros((1, 3), np.float32), 0))
    features = FeatureSet.compile("fertility", DenseData(parts.blocks, model4=model4))
    with pytest.raises(CalqueError, match="fertility: one row per block is expected"):
        Decoder(parts.blocks, parts.vocabulary, parts.lm, features)


def test_default_weights_fit_every_set() -> None:
    parts = tiny_model(1)
    data = random_data(parts, 1)
    for name in SETS:
        features = FeatureSet.compile(name, data)
        assert tuple(features.default_weights()) == features.names
    local = FeatureSet.compile("local-model + block_count", data).default_weights()
    assert local["block_count"] == pytest.approx(0.693, abs=5e-4)
    standard = FeatureSet.compile("standard", data).default_weights()
    assert dict(standard) == dict(Weights.default())
    maxforce = FeatureSet.compile("maxforce", data).default_weights()
    assert maxforce["word_penalty"] == -standard["word_count"]
    # Half of the standard weights, such as its reward for words without its language model, make
    # a translator babble: other sets begin flat.
    for name in ("relevant-set-7", "model4", "language_model + word_penalty"):
        flat = FeatureSet.compile(name, data).default_weights()
        assert {abs(value) for value in flat.values()} == {0.1}, name

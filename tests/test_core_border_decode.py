"""What decoding hands to the core is checked there, and lives as long as it is needed."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from decode_reference import as_source, tiny_model

import calque
from calque import _core
from calque.blocks import BlockTable
from calque.config import DecodeOptions
from calque.decode import Decoder
from calque.errors import CalqueError
from calque.features import DenseData, FeatureSet, Weights, WordData, chosen_templates
from calque.lm import LanguageModel, estimate
from calque.text import Sentences


@pytest.mark.parametrize("wrong", [-1, 99])
def test_every_target_word_needs_a_word_of_the_language_model(wrong: int) -> None:
    parts = tiny_model(1)
    features = FeatureSet.standard(parts.blocks)
    words = np.arange(len(parts.vocabulary), dtype=np.int32)
    _core.Decoder(parts.blocks.core, parts.lm.core, words, features.core)
    words[-1] = wrong
    with pytest.raises(CalqueError, match=f"language-model ids of target words: {wrong} is"):
        _core.Decoder(parts.blocks.core, parts.lm.core, words, features.core)
    with pytest.raises(CalqueError, match="a block has a target word"):
        _core.Decoder(parts.blocks.core, parts.lm.core, words[:3], features.core)


def test_a_state_of_a_longer_language_model_is_refused() -> None:
    sentences = Sentences.from_lists([[3, 4, 3, 5, 3, 4, 3]])
    vocabulary = tiny_model(1).vocabulary
    models = [estimate(sentences, vocabulary, calque.config.LmOptions(order=n)) for n in (4, 2)]
    long, short = (model.core for model in models)
    state = long.begin()
    for word in (3, 4, 3):
        _, state = long.score(state, word)
    assert len(state.words) > 1
    with pytest.raises(CalqueError, match="one of a longer model"):
        short.score(state, 3)


def sparse_decoder(seed: int, n_pairs: int, n_words: int = 4) -> tuple[Decoder, Weights]:
    parts = tiny_model(seed, n_pairs=n_pairs, n_words=n_words)
    words = WordData(parts.vocabulary, parts.vocabulary)
    templates = chosen_templates("P1")
    features = FeatureSet.compile("standard", DenseData(parts.blocks), templates, words)
    return Decoder(parts.blocks, parts.vocabulary, parts.lm, features), Weights.default()


def test_a_derivation_of_another_model_is_refused_wherever_one_is_taken() -> None:
    """One model with many blocks and words, one with few: rows, then words, are out of range."""
    (large, weights), (small, _) = sparse_decoder(1, 40, n_words=9), sparse_decoder(2, 2)
    source = as_source([[3, 4, 5, 6]])
    batch = large.decode_batch(source, weights, DecodeOptions())
    derivation = batch[0].derivations[0]
    assert max(step.block for step in derivation.steps) >= small_blocks()
    expected = large.dense_features(derivation, source)
    assert expected == derivation.features
    for take in (
        lambda: small.dense_features(derivation, source),
        lambda: small.sparse_features(derivation, source),
        lambda: small.sparse_batch(batch, source),
        lambda: small.explain(derivation, source, weights),
        lambda: small.sparse_names(derivation, source),
    ):
        with pytest.raises(CalqueError, match="of another model or of another sentence"):
            take()


def small_blocks() -> int:
    return len(tiny_model(2, n_pairs=2).blocks)


def test_a_derivation_of_another_sentence_is_refused() -> None:
    decoder, weights = sparse_decoder(1, 40)
    derivation = decoder.decode(as_source([[3, 4, 5]]), weights, DecodeOptions())[0].derivations[0]
    with pytest.raises(CalqueError, match="the derivation is of a longer sentence"):
        decoder.dense_features(derivation, as_source([[3]]))
    with pytest.raises(CalqueError, match="of another model or of another sentence"):
        decoder.dense_features(derivation, as_source([[5, 5, 3]]))


def copies(arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {name: array.copy() for name, array in arrays.items()}


def reuse_memory() -> None:
    """Collect what is free and write over it."""
    gc.collect()
    for n_bytes in range(8, 8000, 8):
        np.full(n_bytes, 0x7F, np.uint8)


def test_a_block_table_keeps_its_arrays_when_the_caller_drops_them() -> None:
    blocks = tiny_model(1, n_pairs=40).blocks
    phrase = blocks.source_words[blocks.source_offsets[-2] :].copy()
    arrays = copies(blocks.to_arrays())
    core = _core.BlockTable(arrays)
    arrays.clear()
    reuse_memory()
    assert core.find(phrase) == blocks.n_sources - 1


def test_a_decoder_keeps_alive_what_it_looks_at() -> None:
    parts = tiny_model(1, n_pairs=40)
    source = as_source([[3, 4, 5, 6]])

    def best(decoder: Decoder) -> _core.Derivation:
        return decoder.decode(source, Weights.default(), DecodeOptions())[0].derivations[0]

    expected = best(Decoder(parts.blocks, parts.vocabulary, parts.lm))
    blocks = BlockTable.from_arrays(copies(parts.blocks.to_arrays()))
    lm = LanguageModel.from_arrays(copies(parts.lm.to_arrays()), parts.vocabulary)
    decoder = Decoder(blocks, parts.vocabulary, lm)
    del blocks, lm
    reuse_memory()
    derivation = best(decoder)
    assert derivation.features == expected.features
    step = derivation.steps[0]
    del decoder, derivation
    reuse_memory()
    assert step.target == expected.steps[0].target  # a part of a result lives alone


def test_arrays_of_a_batch_outlive_it() -> None:
    decoder, weights = sparse_decoder(1, 40)
    batch = decoder.decode_batch(as_source([[3, 4], [5]]), weights, DecodeOptions(), n_best=5)
    words, before = batch.words, batch.words.tolist()
    del batch
    gc.collect()
    assert words.tolist() == before

"""A model learns, keeps and loads what its features need."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, mistake

from calque.config import AlignOptions, ClassOptions, FeatureOptions, TrainOptions
from calque.data import CorpusFiles
from calque.decode import Decoder, SourceText, load
from calque.errors import ModelError
from calque.features import SparseWeights, Weights, chosen
from calque.model import Model
from calque.model.build import build
from calque.text import BitextFiles, read_lines

DENSE = (
    "standard + hierarchical-reordering + relevant-set-6 + local-model + model4"
    " + class_language_model"
)
SPARSE = "all, maxforce, expected-bleu, block-bigram"


@pytest.fixture(scope="module")
def rich(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with every feature."""
    path = tmp_path_factory.mktemp("rich") / "model"
    tags = path.parent / "tags"
    tags.write_text("a X\nb Y\n")
    features = FeatureOptions(
        dense=DENSE, sparse=SPARSE, source_tags=str(tags), classes=ClassOptions(n_classes=10)
    )
    text = BitextFiles(corpus.train_source, corpus.train_target)
    build(text, path, TrainOptions(features=features), threads=1)
    return path


def test_a_loaded_model_has_the_features_that_it_was_trained_with(
    rich: Path, corpus: CorpusFiles
) -> None:
    translator = load(rich)
    model = translator.model
    assert model.features.names == chosen(DENSE)
    assert "wordedges.source.first@tag+target.last@brown6" in model.features.templates
    assert "block-bigram" in model.features.templates
    line = next(iter(read_lines(corpus.test_source)))
    found = translator.translate(line)
    assert set(found.features) == set(chosen(DENSE))
    expected = sum(model.weights[name] * value for name, value in found.features.items())
    assert found.score == pytest.approx(expected, abs=1e-3)


def test_sparse_weights_change_the_score_by_what_they_weigh(
    rich: Path, corpus: CorpusFiles
) -> None:
    model = Model.load(rich)
    decoder = Decoder.of(model)
    lines = [line for line, _ in zip(read_lines(corpus.test_source), range(5), strict=False)]
    text = SourceText.encode(lines, model.source_vocabulary, model.target_vocabulary)
    plain = decoder.decode(text, model.weights, model.decode_options)
    rows = decoder.sparse_rows([sentence.derivations for sentence in plain], text)
    keys = np.unique(rows.keys)
    values = np.random.default_rng(1).normal(0, 0.02, len(keys)).astype(np.float32)
    weights = Weights(model.weights, SparseWeights.from_arrays(keys, values))
    found = decoder.decode(text, weights, model.decode_options)
    again = decoder.sparse_rows([sentence.derivations for sentence in found], text)
    for i, sentence in enumerate(found):
        at = slice(again.offsets[i], again.offsets[i + 1])
        sparse = float(weights.sparse.lookup(again.keys[at]) @ again.counts[at])
        dense = float(weights.vector(decoder.feature_names) @ sentence.derivations[0].features)
        assert sentence.derivations[0].score == pytest.approx(dense + sparse, abs=1e-2)


def test_a_feature_that_the_model_has_no_data_for_is_refused(trained: Path) -> None:
    model = Model.load(trained)
    for dense, name in (
        ("model4", "fertility"),
        ("relevant-set-7", "model1_weight"),
        ("hierarchical-reordering", "hierarchical_previous_monotone"),
    ):
        options = FeatureOptions(dense=dense)
        with pytest.raises(ModelError, match=f"no data for the feature '{name}'"):
            assert replace(model, feature_options=options).features
    options = FeatureOptions(sparse="block-bigram")
    with pytest.raises(ModelError, match="no pairs of blocks for 'block-bigram'"):
        assert replace(model, feature_options=options).features


def test_features_are_learned_from_blocks_of_several_sets_of_links(
    corpus: CorpusFiles, tmp_path: Path
) -> None:
    options = TrainOptions(
        align=AlignOptions(symmetrization="intersection, grow-diag-final-and"),
        features=FeatureOptions(dense="standard + hierarchical-reordering + model4"),
    )
    text = BitextFiles(corpus.train_source, corpus.train_target)
    data = build(text, tmp_path / "model", options, threads=1).feature_data
    assert data.hierarchical is not None
    assert data.model4 is not None


def test_a_mistake_in_the_choice_is_told_before_the_work(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    files = ["--source", corpus.train_source, "--target", corpus.train_target]
    out = tmp_path / "model"
    wrong = verb("train", *files, "--model", out, "--set", "features.dense=standart")
    assert "did you mean 'standard'?" in mistake(wrong)
    wrong = verb("train", *files, "--model", out, "--set", "features.sparse=wordedge")
    assert "did you mean 'wordedges'?" in mistake(wrong)
    assert not out.exists()

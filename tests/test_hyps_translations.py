"""The lists that `calque translate` writes are read back with everything that makes their score."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import Run, done

from calque.config import FeatureOptions, TrainOptions
from calque.data import CorpusFiles
from calque.decode import CandidateSearch, Translator, load
from calque.features import SparseWeights, Weights
from calque.hyps import read_nbest
from calque.model import activate_weights
from calque.model.build import build
from calque.text import BitextFiles, read_lines


@pytest.fixture(scope="module")
def model(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with sparse weights, half of them of features that the text has."""
    path = tmp_path_factory.mktemp("sparse") / "model"
    options = TrainOptions(features=FeatureOptions(sparse="P1, W3, ruleid"))
    build(BitextFiles(corpus.train_source, corpus.train_target), path, options, threads=1)
    plain = load(path)
    search = CandidateSearch(plain, list(read_lines(corpus.test_source)))
    lists = list(search.lists(plain.model.weights, 5))
    keys = np.unique(np.concatenate([part.sparse.keys for part in lists]))[::2]
    keys = np.concatenate([keys, np.arange(1, 50, dtype=np.uint64)])
    values = np.random.default_rng(1).normal(0, 0.3, len(keys)).astype(np.float32)
    sparse = SparseWeights.from_arrays(keys, values)
    activate_weights(path, "sparse", Weights(plain.model.weights, sparse), {})
    return path


@pytest.mark.parametrize("max_words", ["80", "5"])
def test_features_times_weights_give_the_total_that_was_written(
    verb: Run, model: Path, corpus: CorpusFiles, tmp_path: Path, max_words: str
) -> None:
    lists, again, weights = (tmp_path / name for name in ("lists.gz", "again", "weights"))
    flags = ["--nbest", "10", "--nbest-output", lists, "--max-words", max_words, "-q"]
    done(verb("translate", "--model", model, "--input", corpus.test_source, *flags))
    weights.write_text(load(model).model.weights.to_text())
    flags = ["--nbest-output", again, "--output", tmp_path / "best", "-q"]
    done(verb("rerank", "--nbest", lists, "--weights", weights, *flags))
    written, computed = read_nbest(lists), read_nbest(again)
    assert sum(name.startswith("#") for name in written.names) > 100
    assert written.totals is not None
    assert computed.totals is not None
    totals = {
        (sentence, text): total
        for sentence, text, total in zip(
            computed.sentences.tolist(), computed.texts, computed.totals.tolist(), strict=True
        )
    }
    for sentence, text, total in zip(
        written.sentences.tolist(), written.texts, written.totals.tolist(), strict=True
    ):
        assert totals[sentence, text] == pytest.approx(total, rel=1e-5, abs=1e-3)


@pytest.mark.parametrize("max_words", [80, 5])
def test_every_digit_and_every_feature_of_the_library_is_written(
    verb: Run, model: Path, corpus: CorpusFiles, tmp_path: Path, max_words: int
) -> None:
    flags = ["--nbest", "4", "--nbest-output", tmp_path / "lists", "--max-words", str(max_words)]
    done(verb("translate", "--model", model, "--input", corpus.test_source, *flags, "-q"))
    read = read_nbest(tmp_path / "lists")
    translator: Translator = load(model)
    lines = read_lines(corpus.test_source)
    found = translator.n_best(lines, 4, with_sparse=True, max_words=max_words)
    at = 0
    for translations in found:
        for translation in translations:
            entries = slice(read.row_offsets[at], read.row_offsets[at + 1])
            names = [read.names[column] for column in read.columns[entries]]
            features = dict(zip(names, read.values[entries].tolist(), strict=True))
            assert features == {
                **translation.features,
                **{f"#{key:016x}": value for key, value in translation.sparse.items()},
            }
            assert read.totals is not None
            assert read.totals[at] == translation.score
            at += 1
    assert at == len(read)


def test_sparse_features_come_only_when_asked_for(model: Path) -> None:
    [plain] = next(load(model).n_best(["a b c"], 1))
    [asked] = next(load(model).n_best(["a b c"], 1, with_sparse=True))
    assert not plain.sparse
    assert asked.sparse


def test_weights_are_tuned_on_the_lists_of_a_model_with_sparse_features(
    verb: Run, model: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    lists, weights = tmp_path / "lists", tmp_path / "weights"
    flags = ["--nbest", "10", "--nbest-output", lists, "-q"]
    done(verb("translate", "--model", model, "--input", corpus.test_source, *flags))
    reference = corpus.test_references[0]
    flags = ["--method", "mira", "--weights", weights, "--set", "rounds=2", "-q"]
    result = verb("tune", "--nbest", lists, "--reference", reference, *flags)
    done(result)
    assert "'#" not in result.stderr, "sparse features are told of one by one"
    names = [line.split()[0] for line in read_lines(weights)]
    dense = [name for name in names if not name.startswith("#")]
    assert dense == list(load(model).model.weights)
    assert len(names) > len(dense) + 50
    done(verb("rerank", "--nbest", lists, "--weights", weights, "--output", tmp_path / "o", "-q"))

"""Lists as arrays are the lists that translations give one by one."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from calque.config import FeatureOptions, OracleOptions, TextOptions, TrainOptions
from calque.data import CorpusFiles
from calque.decode import CandidateSearch, Translator, load, oracle_lists, oracle_texts
from calque.features import SparseWeights, Weights
from calque.model.build import build
from calque.text import BitextFiles, read_lines

TEXTS = {
    "plain": TextOptions(),
    "restored": TextOptions(
        tokenize=True,
        source_language="de",
        target_language="en",
        casing="true",
        class_numbers=True,
    ),
}
N = 12


@pytest.fixture(scope="module", params=list(TEXTS))
def translator(
    request: pytest.FixtureRequest, corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory
) -> Translator:
    """A translator with sparse weights."""
    path = tmp_path_factory.mktemp(request.param) / "model"
    source, target = (path.parent / side for side in ("source", "target"))
    for numbered, given in ((source, corpus.train_source), (target, corpus.train_target)):
        lines = (f"{line} {i % 90 + 10} !" for i, line in enumerate(read_lines(given)))
        numbered.write_text("".join(line + "\n" for line in lines))
    options = TrainOptions(text=TEXTS[request.param], features=FeatureOptions(sparse="P1,P2,P3"))
    build(BitextFiles(source, target), path, options, threads=1)
    plain = load(path)
    keys = np.unique(
        np.concatenate([part.sparse.keys for part in search(plain).lists(plain.model.weights, 5)])
    )
    values = np.random.default_rng(1).normal(0, 0.1, len(keys)).astype(np.float32)
    weights = Weights(plain.model.weights, SparseWeights.from_arrays(keys, values))
    return Translator(replace(plain.model, weights=weights))


def lines_of(translator: Translator) -> list[str]:
    known = list(translator.model.source_vocabulary)[10:60]
    rng = np.random.default_rng(2)
    lines = [" ".join(rng.choice(known, size)) for size in (3, 9, 1, 5, 12, 4)]
    return [*lines, "", "Zzyzx 37 qqq Zzyzx !", f"{known[0]} 2014 , {known[1]} 55 nowhere ."]


def search(translator: Translator) -> CandidateSearch:
    return CandidateSearch(translator, lines_of(translator))


@pytest.mark.parametrize("max_words", [80, 4])
def test_arrays_hold_the_same_translations(translator: Translator, max_words: int) -> None:
    options = replace(translator.options, max_words=max_words)
    translator = Translator(translator.model, options)
    expected = list(translator.n_best(lines_of(translator), N))
    found = list(search(translator).lists(translator.model.weights, N))
    lengths = np.concatenate([part.lengths for part in found])
    assert lengths.tolist() == [len(some) for some in expected]
    every = [translation for some in expected for translation in some]
    assert [text for part in found for text in part.texts] == [
        translation.text for translation in every
    ]
    dense = np.concatenate([part.dense for part in found])
    assert dense.tolist() == [list(translation.features.values()) for translation in every]
    scores = np.concatenate([part.scores for part in found])
    assert scores.tolist() == [translation.score for translation in every]


@pytest.mark.parametrize("max_words", [80, 4])
def test_scores_are_the_dot_product_of_features_and_weights(
    translator: Translator, max_words: int
) -> None:
    options = replace(translator.options, max_words=max_words)
    translator = Translator(translator.model, options)
    weights = translator.model.weights
    vector = weights.vector(translator.decoder.feature_names)
    n_sparse = 0
    for lists in search(translator).lists(weights, N):
        sparse = lists.sparse
        n_sparse += len(sparse.keys)
        for at, score in enumerate(lists.scores):
            row = slice(sparse.offsets[at], sparse.offsets[at + 1])
            assert (np.diff(sparse.keys[row].astype(object)) > 0).all()
            total = lists.dense[at] @ vector
            total += weights.sparse.lookup(sparse.keys[row]) @ sparse.counts[row]
            assert score == pytest.approx(total, abs=1e-2)
    assert n_sparse > 0


def test_threads_change_nothing(translator: Translator) -> None:
    one, many = (list(search(translator).lists(translator.model.weights, N, t)) for t in (1, 3))
    for a, b in zip(one, many, strict=True):
        assert a.texts == b.texts
        assert (a.scores == b.scores).all()
        assert np.array_equal(a.sparse.offsets, b.sparse.offsets)
        assert np.array_equal(a.sparse.keys, b.sparse.keys)
        assert np.array_equal(a.sparse.counts, b.sparse.counts)


def test_a_model_without_families_gives_empty_rows(trained: Path, corpus: CorpusFiles) -> None:
    translator = load(trained)
    lines = list(read_lines(corpus.dev_source))
    [lists] = CandidateSearch(translator, lines).lists(translator.model.weights, 3)
    assert len(lists.sparse.offsets) == len(lists.texts) + 1
    assert not lists.sparse.offsets.any()


def test_lists_of_one_are_the_best_translations(translator: Translator) -> None:
    lines = lines_of(translator)
    found = list(search(translator).lists(translator.model.weights, 1))
    assert [text for part in found for text in part.texts] == [
        best.text for best in translator.translate_all(lines)
    ]
    assert all((part.lengths == 1).all() for part in found)


def test_the_memory_of_restored_texts_is_bounded(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [part.texts for part in search(translator).lists(translator.model.weights, N)]
    monkeypatch.setattr("calque.decode.candidate_texts.RESTORED", 10)
    bounded = search(translator)
    for _ in range(2):
        found = [part.texts for part in bounded.lists(translator.model.weights, N)]
        assert found == expected
    assert bounded.n_remembered <= 10


@pytest.mark.parametrize("mode", ["mon", "phrase"])
def test_oracles_as_arrays_are_those_that_texts_give_one_by_one(
    translator: Translator, mode: Literal["mon", "phrase"]
) -> None:
    lines = lines_of(translator)
    references = [[best.text for best in translator.translate_all(lines)], lines[::-1]]
    options = OracleOptions(reordering=mode)
    found = list(oracle_lists(translator, lines, references, options, n_best=4))
    expected = [
        oracles.translations
        for oracles in oracle_texts(translator, lines, references, options, n_best=4)
    ]
    every = [translation for some in expected for translation in some]
    lengths = np.concatenate([part.lengths for part in found])
    assert lengths.tolist() == [len(some) for some in expected]
    assert [text for part in found for text in part.texts] == [
        translation.text for translation in every
    ]
    assert np.concatenate([part.scores for part in found]).tolist() == [
        translation.score for translation in every
    ]
    dense = np.concatenate([part.dense for part in found])
    assert dense.tolist() == [list(translation.features.values()) for translation in every]
    sequences = [[(b.begin, b.end, b.target) for b in translation.blocks] for translation in every]
    first = 0
    for n in lengths:
        assert len({tuple(sequence) for sequence in sequences[first : first + n]}) == n
        first += n


def test_the_sparse_features_of_oracles_are_those_of_their_blocks(translator: Translator) -> None:
    lines, model = lines_of(translator), translator.model
    parts = translator, lines, [lines[::-1]], OracleOptions()
    [lists] = oracle_lists(*parts, n_best=3)
    every = [
        translation for some in oracle_texts(*parts, n_best=3) for translation in some.translations
    ]
    assert model.in_family("P3", lists.sparse.keys).any()
    for at, translation in enumerate(every):
        row = slice(lists.sparse.offsets[at], lists.sparse.offsets[at + 1])
        keys, counts = lists.sparse.keys[row], lists.sparse.counts[row]
        of_blocks = model.in_family("P1", keys)
        found = dict(zip(keys[of_blocks].tolist(), counts[of_blocks].tolist(), strict=True))
        names = [f"P1:{block.source} ||| {block.target}" for block in translation.blocks]
        assert found == Counter(model.features.key_of(name) for name in names)

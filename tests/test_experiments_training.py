"""Cells of trainings: what is learned, what is watched, what stays; and the papers made of them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Run

from calque.config import FeatureOptions
from calque.decode import Translator
from calque.experiments.bench import Bench
from calque.experiments.corpus import Corpus, generated_corpus
from calque.experiments.overlap import overlapping
from calque.experiments.papers.relevant_set.cells import RelevantSetCells
from calque.experiments.training import decoded, mean, system
from calque.metrics import score
from calque.tune.checkpoint import read_weights


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder = tmp_path_factory.mktemp("far")
    return generated_corpus(folder, "far", {"train": 300, "dev": 8, "test": 10})


@pytest.fixture(scope="module")
def work(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> RelevantSetCells:
    bench = Bench(corpus, tmp_path_factory.mktemp("out"), scale=0.5, rounds=0.1, seeds=(1, 2))
    return RelevantSetCells(bench)


def ngrams(line: str, most: int = 12) -> set[tuple[str, ...]]:
    words = line.split()
    return {tuple(words[i : i + n]) for n in range(1, most + 1) for i in range(len(words) - n + 1)}


def test_pairs_that_overlap_keep_every_phrase_of_the_test_text(
    corpus: Corpus, tmp_path: Path
) -> None:
    chosen = overlapping(corpus, 1.0, tmp_path)
    wanted = set[tuple[str, ...]]().union(*map(ngrams, corpus.test.sentences))
    there = set[tuple[str, ...]]().union(*map(ngrams, corpus.train.sentences))
    kept = set[tuple[str, ...]]().union(*map(ngrams, chosen.sentences))
    assert wanted & there <= kept
    pairs = list(zip(corpus.train.sentences, corpus.train.reference_lines[0], strict=True))
    found = list(zip(chosen.sentences, chosen.reference_lines[0], strict=True))
    assert len(found) < len(pairs)
    assert set(found) <= set(pairs)
    half = overlapping(corpus, 0.5, tmp_path)
    assert len(half.sentences) == round(len(found) / 2)
    assert set(half.sentences) <= set(chosen.sentences)


def test_a_watched_training_tells_of_the_test_text_round_by_round(work: RelevantSetCells) -> None:
    [cell, _] = work.dense("perceptron", 1, 7)
    assert len(cell.curves["test"]) == len(cell.curves["learned"]) == 4
    chosen = int(cell.figures["chosen round"])
    assert cell.curves["test"][chosen] == cell.figures["test bleu"]
    assert cell.curves["learned"][chosen] == max(cell.curves["learned"])
    assert "test" not in work.dense("perceptron", 3, 7)[0].curves


def test_figures_are_those_of_what_the_weights_give(work: RelevantSetCells) -> None:
    cells = work.dense("costmargin", 1, 7)
    for cell in cells:
        assert cell.weights is not None
        model = replace(work._dense(7).of(work.model), weights=cell.weights)
        for text in (work.bench.corpus.dev, work.bench.corpus.test):
            again = [
                translation.text for translation in Translator(model).translate_all(text.sentences)
            ]
            assert again == list(cell.outputs[text.name])
            [bleu] = score(again, text.reference_lines, ["bleu"], tokenize="none")
            assert cell.figures[f"{text.name} bleu"] == bleu.value
    values = [cell.figures["test bleu"] for cell in cells]
    assert mean(cells, "test bleu") == sum(values) / 2
    assert system("two seeds", cells).runs == tuple(cell.outputs["test"] for cell in cells)


def test_another_model_makes_another_cell(work: RelevantSetCells) -> None:
    bench, setting = work.bench, work._dense(7)
    options = FeatureOptions(dense="relevant-set-7")
    models = [bench.model(options, lm={"order": order}) for order in (2, 3, 2)]
    keys = [decoded(bench, "flat", model, setting).key for model in models]
    assert keys[0] == keys[2] != keys[1]
    assert models[0] is models[2]


def test_binary_features_are_learned_beside_weights_that_stay(work: RelevantSetCells) -> None:
    for cell, with_lm in zip(work.binary("word", "swap", with_lm=True), (0.1, 0.1), strict=True):
        assert cell.weights is not None
        assert dict(cell.weights) == {"language_model": with_lm}
        assert len(cell.weights.sparse) > 100
        assert cell.figures["rounds"] == 3
        assert work.oracle("swap").figures["train avg-bleu"] > 0


def test_of_two_stages_the_second_leaves_the_first_alone(work: RelevantSetCells) -> None:
    dense = [cell.weights for cell in work.dense("costmargin", 1, 7)]
    for before, cell in zip(dense, work.dense_then_binary(), strict=True):
        assert before is not None
        assert cell.weights is not None
        assert dict(cell.weights) == dict(before)
        assert len(cell.weights.sparse) > 100
    both = [cell.weights for cell in work.binary_then_dense()]
    first = [cell for name, cell in work.bench.cells.items() if name.startswith("binary-first")]
    for weights, cell in zip(both, first, strict=True):
        assert weights is not None
        assert cell.weights is not None
        assert weights.sparse == cell.weights.sparse
        assert not any(cell.weights.values())
        assert any(weights.values())


def test_the_paper_of_the_local_model_is_reproduced(verb: Run, tmp_path: Path) -> None:
    larger = tmp_path / "corpus"  # more than a thousand pairs: language models of other parts
    generated_corpus(larger, "far", {"train": 1100, "dev": 8, "test": 10})
    arguments = ["--corpus", larger, "--out", tmp_path, "--scale", "0.05"]
    said = verb("reproduce", "local-model", *arguments, "--languages", "oru-eng", "--quiet")
    assert said.returncode == 0, said.stderr
    result = json.loads((tmp_path / "result.json").read_text())
    assert [claim["number"] for claim in result["claims"]] == ["1", "2", "3", "4", "5", "6"]
    [table] = result["tables"]["2"]
    assert [row[0] for row in table["rows"]] == [str(line) for line in range(1, 10)]
    with_pairs = [row[0] for row in table["rows"] if row[-1] > 0]
    assert with_pairs == ["5", "7", "9"], "binary features where table 2 has (f)"
    weights = {
        path.parent.name.partition(".")[0]: read_weights(path)
        for path in tmp_path.glob("cells/*/weights.npz")
    }
    assert len(weights) == 9
    for text in ("dev", "test"):
        floats, both = weights[f"floats-from-{text}"], weights[f"binary-after-{text}"]
        assert dict(floats) == dict(both), "dense weights stay where binary ones are learned"
    assert dict(weights["floats-from-dev"]) != dict(weights["floats-from-test"])
    assert set(weights["mon-ac"]) == set(weights["swap-ac"]) == {
        "block_unigram", "neutral_block_unigram", "adjacent_language_model_first",
        "neutral_language_model_first", "block_count", "unknown",
    }  # fmt: skip


@pytest.mark.slow
def test_the_paper_of_relevant_sets_is_reproduced(
    verb: Run, corpus: Corpus, tmp_path: Path
) -> None:
    arguments = ["--corpus", corpus.train.source.parent, "--out", tmp_path, "--scale", "0.05"]
    said = verb("reproduce", "relevant-set", *arguments, "--languages", "oru-eng", "--quiet")
    assert said.returncode == 0, said.stderr
    result = json.loads((tmp_path / "result.json").read_text())
    numbers = [claim["number"] for claim in result["claims"]]
    assert numbers == [
        "5a",
        "5b",
        "5c",
        "5d",
        "5e",
        "footnote",
        "6a",
        "6b",
        "7a",
        "7b",
        "7c",
        "8",
        "9",
    ]
    assert [len(tables[0]["rows"]) for tables in result["tables"].values()] == [11, 13, 13, 8, 3]

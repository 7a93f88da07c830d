"""Learning from relevant sets through the decoder: the three set-ups beat their start."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tuning_lists import Snapshots, planted

import calque
from calque.config import TrainOptions, fill
from calque.data import CorpusFiles, write_corpus
from calque.decode import Translator
from calque.errors import OptionError
from calque.features import Weights
from calque.hyps.part import Part
from calque.model import Model
from calque.model.build import build
from calque.text import BitextFiles
from calque.tune import Costmargin, DecoderTask, NBestTask, Perceptron, Task, Trainer

PAPER: dict[str, Any] = {
    "update": "sgd",
    "dense_units": "plain",
    "average": False,
    "keep": "last",
    "candidate_score": "sentence",
    "brevity_penalty": False,
}
"""What Tillmann & Zhang 2008 do, beside the defaults."""
N_SENTENCES = 100


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("text")
    return write_corpus(folder, "near", {"train": 800, "dev": 60, "test": 1}, seed=4)


@pytest.fixture(scope="module")
def part(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Some of the training text."""
    folder = tmp_path_factory.mktemp("part")
    files = folder / "source", folder / "target"
    for file, path in zip(files, (text.train_source, text.train_target), strict=True):
        file.write_text("".join(path.read_text().splitlines(keepends=True)[:N_SENTENCES]))
    return files


def built(text: CorpusFiles, folder: Path, **features: str) -> Model:
    options = fill(TrainOptions(), {"features": features})
    build(BitextFiles(text.train_source, text.train_target), folder / "model", options)
    return Model.load(folder / "model")


@pytest.fixture(scope="module")
def binary(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A model of binary features alone: its one dense feature weighs nothing."""
    folder = tmp_path_factory.mktemp("binary")
    model = built(text, folder, dense="language_model", sparse="all")
    return replace(model, weights=Weights({**model.weights, "language_model": 0.0}))


@pytest.fixture(scope="module")
def dense(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("dense")
    return built(text, folder, dense="relevant-set-6", sparse="P1,W1")


@pytest.mark.parametrize(
    "trainer",
    [
        Costmargin(
            rounds=6,
            first_candidates="bag",
            truth="oracle",
            fixed="dense",
            **PAPER,
            sparse_rate=1e-4,
        ),
        Costmargin(rounds=6, first_candidates="bag", truth="all", fixed="dense"),
        Perceptron(
            rounds=6,
            first_candidates="bag",
            truth="oracle",
            fixed="dense",
            **PAPER,
            sparse_rate=0.01,
        ),
    ],
    ids=lambda trainer: f"{trainer.method}-{trainer.options.update}",
)
def test_binary_features_alone_learn_to_translate_from_a_bag_of_blocks(
    trainer: Trainer, binary: Model, part: tuple[Path, Path]
) -> None:
    task = DecoderTask(Translator(binary), part[0], [part[1]], n_best=1)
    first, *rounds = trainer.fit(task).history
    assert first.n_candidates > 2 * N_SENTENCES, "truths and a bag"
    assert all(0 < done.n_new <= N_SENTENCES for done in rounds)
    assert rounds[0].score < 30, "what a bag of blocks teaches"
    assert max(done.score for done in rounds) > 2.5 * rounds[0].score


def test_a_bag_is_worth_nothing_or_its_words(
    binary: Model, part: tuple[Path, Path], tmp_path: Path
) -> None:
    task = DecoderTask(Translator(binary), part[0], [part[1]], n_best=1)
    for worth in ("zero", "concat"):
        trainer = Costmargin(
            rounds=1,
            passes=1,
            first_candidates="bag",
            truth="oracle",
            fixed="dense",
            bag_worth=worth,
        )
        trainer.fit(task, run=tmp_path / worth)
        parts = [Part.load(path) for path in sorted((tmp_path / worth / "pool").glob("000.*"))]
        bags = [text for part in parts for text in part.texts][-N_SENTENCES:]
        assert all(bags) == (worth == "concat")
        assert any(bags) == (worth == "concat")


@pytest.mark.parametrize("trainer_of", [Costmargin, Perceptron])
@pytest.mark.parametrize("n_best", [1, 10])
def test_dense_features_learn_from_two_seeds(
    trainer_of: type[Trainer], n_best: int, dense: Model, text: CorpusFiles
) -> None:
    task = DecoderTask(Translator(dense), text.dev_source, text.dev_references, n_best=n_best)
    result = trainer_of(rounds=6, first_candidates="seeds", fixed="sparse").fit(task)
    assert result.history[0].n_candidates > 60, "two seeds"
    assert result.score > result.history[0].score + 1.5
    assert not len(result.weights.sparse)
    paper = trainer_of(
        rounds=4, first_candidates="seeds", fixed="sparse", **PAPER, dense_rate=1e-5
    ).fit(task)
    first, *others = paper.history
    assert first.score == result.history[0].score, "flat weights"
    assert max(done.score for done in others) > others[0].score + 3


def test_two_stages_free_one_group_at_a_time(dense: Model, text: CorpusFiles) -> None:
    files = text.dev_source, text.dev_references
    first = Costmargin(rounds=4, first_candidates="seeds", fixed="sparse").fit(
        DecoderTask(Translator(dense), *files, n_best=10)
    )
    staged = Translator(replace(dense, weights=first.weights))
    task = DecoderTask(staged, *files, n_best=10)
    second = Costmargin(rounds=4, fixed="dense", sparse_rate=0.01).fit(task)
    assert dict(second.weights) == dict(first.weights), "frozen"
    assert second.chosen > 0
    assert second.score > first.score + 2
    assert len(second.weights.sparse) > 50
    # Binary ones first: the dense ones are reset, the binary ones count and stay.
    other = Translator(replace(dense, weights=second.weights))
    third = Costmargin(rounds=3, fixed="sparse").fit(DecoderTask(other, *files, n_best=10))
    before, after = (weights.sparse.to_arrays() for weights in (second.weights, third.weights))
    kept = np.isin(after["keys"], before["keys"])
    assert kept.all()
    assert (after["values"] == before["values"]).all()


def second_round(trainer: Trainer, task: Task) -> Weights:
    """The weights that the first update leads to, chosen or not."""
    seen: list[Weights] = []
    trainer.fit(task, watch=lambda round, weights: seen.append(weights))
    return seen[1]


def test_weights_are_learned_from_scratch_unless_asked_otherwise(tmp_path: Path) -> None:
    lists, references = planted(tmp_path, 1, [1.0, -0.5, 0.2])
    starts = {"f0": 0.1, "f1": 1.0, "f2": 1.0}, {"f0": 2.0, "f1": 0.5, "f2": 0.1}
    one, other = (NBestTask(lists, [references], start=start) for start in starts)
    for options in (
        {},
        {"first_weights": "flat"},
        {"first_weights": "start"},
        {"warm_start": True},
    ):
        trainer = Costmargin(rounds=1, candidate_score="sentence", **options)
        is_new = options in ({}, {"first_weights": "flat"})
        assert (second_round(trainer, one) == second_round(trainer, other)) == is_new
    trainer = Costmargin(rounds=1, candidate_score="sentence", fixed="f1")
    assert [second_round(trainer, task)["f1"] for task in (one, other)] == [1.0, 0.5]


def test_a_run_with_truths_goes_on_to_the_same_weights(
    binary: Model, part: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = tmp_path / "source", tmp_path / "target"
    for file, path in zip(files, part, strict=True):
        file.write_text("".join(path.read_text().splitlines(keepends=True)[:30]))
    task = DecoderTask(Translator(binary), files[0], [files[1]], n_best=2)
    trainer = Costmargin(rounds=2, passes=5, first_candidates="bag", truth="oracle", fixed="dense")
    with monkeypatch.context() as patch:
        snapshots = Snapshots(patch, tmp_path).folders
        whole = trainer.fit(task, run=tmp_path / "whole", threads=1)
    assert len(snapshots) >= 3
    for cut in snapshots[1:4]:
        again = trainer.fit(task, run=cut, threads=3, memory_mb=1)
        assert [done.score for done in again.history] == [done.score for done in whole.history]
        assert again.weights == whole.weights


def test_what_only_a_model_can_do_is_refused_for_lists(tmp_path: Path) -> None:
    lists, references = planted(tmp_path, 1, [1.0, -0.5])
    task = NBestTask(lists, [references])
    wrong: list[dict[str, Any]] = [
        {"first_candidates": "bag"},
        {"first_candidates": "seeds"},
        {"truth": "oracle"},
        {"truth": "all"},
    ]
    for options in wrong:
        with pytest.raises(OptionError, match="only .*a model"):
            Costmargin(**options).fit(task)
    with pytest.raises(OptionError, match="a perceptron has nothing to mend"):
        Perceptron(update="passive-aggressive").fit(task)
    with pytest.raises(OptionError, match="regularization=6.0: expected less than"):
        Costmargin(regularization=6.0).fit(task)
    with pytest.raises(OptionError, match="shards goes with update=sgd, adagrad or passive-aggr"):
        Perceptron(update="rprop", shards=2).fit(task)


def test_fixed_sparse_weights_count_in_every_score(tmp_path: Path) -> None:
    """A feature that tells of the reference weighs so much that nothing is left to learn."""
    lists, references = planted(tmp_path, 3, [1.0, -0.5], n_sparse=1)
    task = NBestTask(lists, [references], start={"f0": 0.1, "f1": 0.1, "hint": 100.0})
    result = Costmargin(fixed="sparse", first_weights="flat", rounds=1).fit(task)
    assert result.history[0].stopped == "the weights have settled", "nothing moved"
    assert result.weights.sparse.to_arrays()["values"].tolist() == [100.0]
    light = NBestTask(lists, [references], start={"f0": 0.1, "f1": 0.1, "hint": 0.5})
    shrinking = second_round(Costmargin(fixed="sparse", regularization=0.01, rounds=1), light)
    assert shrinking.sparse.to_arrays()["values"].tolist() == [0.5]
    without = NBestTask(lists, [references], start={"f0": 0.1, "f1": 0.1})
    free = second_round(Costmargin(fixed="sparse, f0", first_weights="flat", rounds=1), without)
    assert free["f0"] == 0.1
    assert free["f1"] != 0.1
    assert not len(free.sparse)


def test_the_line_of_the_documentation_runs(dense: Model, text: CorpusFiles) -> None:
    model = Translator(dense)
    task = calque.DecoderTask(model, text.dev_source, text.dev_references, n_best=5)
    assert calque.Costmargin(rounds=1, seed=1).fit(task).score > 0
    docs = (Path(__file__).parents[1] / "docs" / "tuning.md").read_text()
    assert re.search(r"calque\.Costmargin\(rounds=\d+, seed=1\)\.fit\(", docs)

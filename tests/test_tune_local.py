"""The local model as a method of tuning: what it learns is what the decoder uses."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run as Command
from conftest import done, mistake
from test_tune_local_learner import matrix
from tuning_lists import Snapshots

from calque.config import TrainOptions, fill
from calque.data import CorpusFiles, write_corpus
from calque.decode import Decoder, Translator
from calque.decode.prepared import PreparedText, prepare
from calque.errors import CalqueError, OptionError
from calque.features import SparseWeights, Weights
from calque.features.events import LEFT, NEUTRAL, RIGHT, Events
from calque.model import Model
from calque.model.build import build
from calque.progress import SILENT, Stage
from calque.report import read_run
from calque.text import BitextFiles, Sentences
from calque.tune import DecoderTask, Local, NBestTask
from calque.tune.local.events import set_builder
from calque.tune.local.space import ADJACENT, LocalSpace
from calque.tune.local.space import NEUTRAL as NEUTRAL_NAMES

OPTIONS: dict[str, Any] = {
    "features": {
        "dense": "local-model + block_count + unknown",
        "sparse": "block-bigram",
        "local_model": {"unigram_per_word": "none", "bigram_threshold": 1},
    },
    "blocks": {"min_count": 2, "max_words": 3},
    "decode": {"reordering": "swap", "first_block": "neutral", "least_left_count": 3},
}
QUICK: dict[str, Any] = {"rounds": 3, "rate": 1e-4, "bigram_rate": 1e-2}


class Listener:
    """Keeps warnings."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[Stage]:
        with SILENT.stage(name, total) as stage:
            yield stage

    def warn(self, message: str) -> None:
        self.warnings.append(message)


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("text")
    return write_corpus(folder, "near", {"train": 1500, "dev": 30, "test": 30})


@pytest.fixture(scope="module")
def folder(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("local") / "model"
    options = fill(TrainOptions(), OPTIONS, "train")
    build(BitextFiles(text.train_source, text.train_target), path, options, threads=1)
    return path


def task_of(model: Path | Translator, text: CorpusFiles, threads: int = 1) -> DecoderTask:
    return DecoderTask(model, text.dev_source, [text.dev_references[0]], threads=threads)


@pytest.fixture(scope="module")
def task(folder: Path, text: CorpusFiles) -> DecoderTask:
    return task_of(folder, text)


def with_weights(folder: Path, **dense: float) -> Translator:
    model = Model.load(folder)
    return Translator(replace(model, weights=model.weights.with_dense(dense)))


def test_the_score_of_a_derivation_is_that_of_its_events(folder: Path, text: CorpusFiles) -> None:
    """Dense weights, language-model histories and keys of pairs mean the same to both sides."""
    model = Model.load(folder)
    space = LocalSpace(model, threads=1)
    rng = np.random.default_rng(1)
    dense = {name: float(rng.normal(0.2, 0.1)) for name in model.weights if name != "unknown"}
    pairs = SparseWeights.from_arrays(
        space.keys, rng.normal(0, 2, len(space.keys)).astype(np.float32)
    )
    weights = Weights({**dense, "unknown": 3.0}, pairs)
    lines = text.dev_source.read_text().splitlines()
    source = PreparedText.encode(prepare(lines, model, 100), model).source
    decoded = Decoder.of(model).decode(source, weights, model.decode_options, n_best=3)
    builder = set_builder(model, space, model.lm, 9)
    vectors, n_pairs, sides_met = space.vectors(weights), 0, set()
    all_weights = np.concatenate([vectors.dense, vectors.pairs])
    sides = (RIGHT, LEFT, NEUTRAL)
    for sentence in decoded:
        for derivation in sentence.derivations:
            words = [word for step in derivation.steps for word in step.target]
            if min(words) < 0 or any(step.block < 0 for step in derivation.steps):
                continue  # copies are no events
            blocks = [step.block for step in derivation.steps]
            begins = np.cumsum([0, *(len(step.target) for step in derivation.steps)])[:-1]
            events = Events(
                np.array([-1, *blocks[:-1]], np.int32),
                np.array(blocks, np.int32),
                np.array([sides[step.orientation] for step in derivation.steps], np.int8),
                np.zeros(len(blocks), np.int32),
                np.zeros(len(blocks), np.int16),
                begins.astype(np.int16),
            )
            sets = builder.build(events, Sentences.from_lists([words]), 1)
            sets = replace(sets, pairs=space.columns(sets.pairs))
            score = dense["block_count"] * len(blocks)
            for i in range(len(sets)):
                x = wide(matrix, sets, i, space)[int(sets.truths[i])]
                score += float(x @ all_weights)
                n_pairs += int((x[10:] != 0).sum())
            ends = model.lm.score_words(Sentences.from_lists([words])).log_probs[-1]
            score += dense["adjacent_language_model_rest"] * float(ends)
            assert derivation.score == pytest.approx(score, abs=1e-3)
            sides_met |= set(events.side.tolist())
    assert n_pairs > 20
    assert sides_met == set(sides)


def wide(of: Any, sets: Any, event: int, space: LocalSpace) -> np.ndarray:
    """Rows of features as the slow reference of the learner has them, for any number of pairs."""
    begin, end = sets.offsets[sets.sets[event] : sets.sets[event] + 2]
    rows = of(replace(sets, pairs=np.full(len(sets.pairs), -1)), event, space.values)
    pairs = np.zeros((end - begin, len(space.keys)))
    for row, pair in zip(pairs, sets.pairs[begin:end], strict=True):
        if pair >= 0:
            row[pair] = 1
    return np.concatenate([rows[:, :10], pairs], axis=1)


def test_it_mends_bad_weights(folder: Path, text: CorpusFiles) -> None:
    bad = dict.fromkeys((*ADJACENT, "neutral_block_unigram"), -0.3)
    task = task_of(with_weights(folder, **bad), text)
    result = Local(**QUICK, first_weights="start").fit(task, threads=1)
    assert result.history[0].score < 8
    assert result.score > 20
    losses = [done.scores["event_loss"] for done in result.history[1:] if done.scores]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.8 * losses[0]
    perceptron = Local(**QUICK, first_weights="start", update="perceptron").fit(task, threads=1)
    assert perceptron.score > 1.5 * result.history[0].score
    assert perceptron.weights != result.weights


def test_it_begins_with_zero_and_leaves_features_of_others_alone(task: DecoderTask) -> None:
    result = Local(**QUICK, take="last").fit(task, threads=1)
    assert result.chosen == 3
    model, weights = task.model, result.weights
    assert weights["block_count"] == task.start["block_count"]
    assert weights["unknown"] == task.start["unknown"]
    assert weights["adjacent_language_model_first"] > 0.2
    space = LocalSpace(model, 1)
    keys = weights.sparse.to_arrays()["keys"]
    assert 50 < len(keys) <= len(space.keys)
    assert set(keys.tolist()) <= set(space.keys.tolist())


def test_what_is_fixed_stays(folder: Path, text: CorpusFiles) -> None:
    first = Local(**QUICK, take="last").fit(task_of(folder, text), threads=1).weights
    model = replace(Model.load(folder), weights=first)
    task = task_of(Translator(model), text)
    other = Local(**{**QUICK, "rounds": 1}, take="last", first_weights="start", fixed="dense").fit(
        task
    )
    assert dict(other.weights) == dict(first)
    assert other.weights.sparse != first.sparse
    other = Local(
        **{**QUICK, "rounds": 1}, take="last", fixed="sparse, neutral_language_model_first"
    ).fit(task)
    assert other.weights.sparse == first.sparse
    moved = {name for name in first if other.weights[name] != first[name]}
    kept = {"neutral_language_model_first", "block_count", "unknown"}
    assert moved == set(first) - kept
    other = Local(rounds=1, rate=0, bigram_rate=1e-2, take="last").fit(task)
    assert dict(other.weights) == dict(first)
    other = Local(rounds=1, rate=1e-4, bigram_rate=0, take="last").fit(task)
    assert other.weights.sparse == first.sparse
    for train, names in (("adjacent", set(ADJACENT)), ("neutral", set(NEUTRAL_NAMES) - {""})):
        other = Local(
            rounds=1, rate=1e-4, bigram_rate=1e-2, weights_learned=train, take="last"
        ).fit(task)
        assert {name for name in first if other.weights[name] != first[name]} == names
        assert (other.weights.sparse == first.sparse) == (train == "neutral")


@pytest.mark.parametrize("options", [{}, {"rate_decay": 0.5, "rate": 0.05, "hold_out_every": 7}])
def test_a_killed_run_goes_on_and_ends_the_same(
    options: dict[str, Any], task: DecoderTask, tmp_path: Path
) -> None:
    trainer = Local(**{**QUICK, "event_share": 0.2, **options})
    with pytest.MonkeyPatch.context() as patch:
        snapshots = Snapshots(patch, tmp_path).folders
        whole = trainer.fit(task, run=tmp_path / "whole", threads=1)
    assert len(snapshots) >= 4
    for cut in snapshots[1:]:
        again = trainer.fit(task, run=cut, threads=2)
        assert again.weights == whole.weights
        assert [(r.score, r.scores) for r in again.history] == [
            (r.score, r.scores) for r in whole.history
        ]
    assert read_run(tmp_path / "whole").chosen == whole.chosen
    last = json.loads((tmp_path / "whole" / "rounds.jsonl").read_text().splitlines()[-1])
    assert ("held_out_event_loss" in last["scores"]) == ("hold_out_every" in options)


def test_memory_changes_nothing_but_where_events_lie(task: DecoderTask, tmp_path: Path) -> None:
    trainer = Local(**QUICK)
    plenty = trainer.fit(task, threads=1)
    little = trainer.fit(task, run=tmp_path / "run", threads=1, memory_mb=1)
    assert little.weights == plenty.weights
    assert list((tmp_path / "run" / "pool").iterdir()) == []


def test_language_models_of_other_folds_score_worse_than_one_that_knows_the_text(
    task: DecoderTask,
) -> None:
    def loss(**options: Any) -> float:
        result = Local(rounds=1, rate=1e-4, take="last", **options).fit(task, threads=1)
        assert result.history[-1].scores is not None
        return result.history[-1].scores["event_loss"]

    assert loss(lm_folds=2) > 1.2 * loss()
    with pytest.raises(CalqueError, match="lm_folds=1: all 1,500 sentence pairs are in one fold"):
        loss(lm_folds=1)


def test_the_last_round_is_taken_where_it_is_asked_for(task: DecoderTask, tmp_path: Path) -> None:
    result = Local(**QUICK, take="last").fit(task, run=tmp_path / "run", threads=1)
    assert result.chosen == result.history[-1].round
    assert read_run(tmp_path / "run").chosen == result.chosen
    assert read_run(tmp_path / "run").end_weights == result.weights


def test_weights_that_are_no_numbers_end_a_training(task: DecoderTask) -> None:
    listener = Listener()
    result = Local(rounds=3, rate=1e308).fit(task, progress=listener)
    assert result.chosen == 0
    assert result.history[-1].guard == "weights are no finite numbers: expected a smaller rate"
    assert "expected a smaller rate; the best weights before that stay" in listener.warnings[0]


def test_what_cannot_be_trained_is_one_clear_line(
    verb: Command, folder: Path, trained: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    files = ("--source", text.dev_source, "--reference", text.dev_references[0])
    plain = Path(shutil.copytree(trained, tmp_path / "plain"))
    said = mistake(verb("tune", "--model", plain, *files, "--method", "local", "-q"))
    assert "no features of the local model: train it with them, calque train" in said
    model = replace(Model.load(folder), bitext=None)
    with pytest.raises(CalqueError, match="keeps no sentence pairs.*--set keep_bitext_mb=N"):
        Local().fit(task_of(Translator(model), text))
    with pytest.raises(OptionError, match="every feature of the local model is fixed"):
        Local(fixed="dense, sparse").fit(task_of(folder, text))
    with pytest.raises(OptionError, match="fixed=nothing"):
        Local(fixed="nothing").fit(task_of(folder, text))
    (tmp_path / "list").write_text("0 ||| a ||| f= 1 ||| 1\n0 ||| b ||| f= 2 ||| 2\n")
    (tmp_path / "reference").write_text("a\n")
    with pytest.raises(CalqueError, match="it needs one, not n-best lists"):
        Local().fit(NBestTask([tmp_path / "list"], [tmp_path / "reference"]))


def test_events_that_the_search_contradicts_are_told_of(folder: Path, text: CorpusFiles) -> None:
    model, listener = Model.load(folder), Listener()
    options = replace(model.decode_options, first_block="right")
    other = Translator(replace(model, decode_options=options))
    Local(rounds=1, event_share=0.01).fit(task_of(other, text), progress=listener)
    assert listener.warnings[0] == (
        "the first block of a sentence is neutral in the events and right in the search: train the"
        " model with --set decode.first_block=neutral"
    )
    Local(rounds=1, event_share=0.01).fit(task_of(folder, text), progress=(quiet := Listener()))
    assert not any("first block" in warning for warning in quiet.warnings)


def test_the_command_line_trains_the_local_model(
    verb: Command, folder: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    model = Path(shutil.copytree(folder, tmp_path / "model"))
    files = ("--source", text.dev_source, "--reference", text.dev_references[0])
    options = ("--set", "rounds=2", "--set", "rate=1e-4", "--set", "take=last", "-q")
    done(verb("tune", "--model", model, *files, "--method", "local", *options))
    learned = Model.load(model, "local").weights
    assert learned["adjacent_language_model_first"] > 0.2
    assert len(learned.sparse) > 0

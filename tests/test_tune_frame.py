"""The frame of tuning: methods by name, selection, groups that stay, state, bounded memory."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run as Verb
from conftest import done, mistake
from numpy.typing import NDArray
from tuning_lists import Snapshots, planted

import calque
from calque.config import LeaveOneOutOptions, RoundOptions, TrainOptions, fill
from calque.data import CorpusFiles, write_corpus
from calque.decode import Translator
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.hyps import read_nbest
from calque.model import Model
from calque.model.build import build
from calque.progress import SILENT
from calque.text import BitextFiles
from calque.tune import (
    Costmargin,
    DecoderTask,
    Mert,
    Mira,
    NBestTask,
    Perceptron,
    Pro,
    Simplex,
    Task,
    Trainer,
    registry,
)
from calque.tune.judge import Verdict
from calque.tune.loop import Measured, Place, Step, Training
from calque.tune.pool_trainer import PoolTraining
from calque.tune.run import Round, Run

WEIGHTS = [1.0, -0.5, 0.2]
DOCS = Path(__file__).parents[1] / "docs" / "tuning.md"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("text")
    return write_corpus(folder, "near", {"train": 800, "dev": 40, "test": 30}, seed=4)


@pytest.fixture(scope="module")
def model(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("frame") / "model"
    options = fill(TrainOptions(), {"features": {"dense": "standard", "sparse": "P1,W1"}})
    build(BitextFiles(text.train_source, text.train_target), path, options)
    return path


@pytest.fixture
def lists(tmp_path: Path) -> NBestTask:
    nbest, references = planted(tmp_path, 1, WEIGHTS)
    return NBestTask(nbest, [references], start={"f0": 0.0, "f1": 1.0, "f2": 1.0})


@pytest.fixture
def own_method(tmp_path: Path) -> Iterator[Path]:
    """The method of the documentation, as a file in a folder of the user's."""
    [code] = re.findall(r'```python\n("""my_method.py.*?)```', DOCS.read_text(), re.S)
    path = tmp_path / "my_method.py"
    path.write_text(code)
    assert len(code.splitlines()) <= 40
    yield path
    sys.modules.pop("my_method", None)


def test_the_method_of_the_documentation_tunes_from_the_command_line(
    verb: Verb, own_method: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nbest, references = planted(tmp_path, 1, WEIGHTS)
    monkeypatch.chdir(tmp_path)
    files = ["--nbest", nbest, "--reference", references, "--weights", tmp_path / "w"]
    method = ["--method", "my_method:Averaged", "--set", "rounds=3"]
    told = done(verb("tune", *files, *method, "--set", "rate=0.2", "--run", tmp_path / "run"))
    [score] = re.findall(r"bleu ([0-9.]+) \(", told)
    assert float(score) > 90
    assert "unknown key 'rat'; did you mean 'rate'?" in mistake(
        verb("tune", *files, *method, "--set", "rat=1")
    )
    assert "no attribute 'None'" in mistake(verb("tune", *files, "--method", "my_method:None"))
    assert "No module named" in mistake(verb("tune", *files, "--method", "no_such:Thing"))
    assert "expected a class of trainers" in mistake(
        verb("tune", *files, "--method", "my_method:AveragedOptions")
    )


def test_a_file_among_the_methods_is_a_method(
    own_method: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = Path(shutil.copytree(registry.METHODS, tmp_path / "methods"))
    shutil.copy(own_method, folder / "averaged.py")
    import calque.tune.methods

    monkeypatch.setattr(registry, "METHODS", folder)
    monkeypatch.setattr(calque.tune.methods, "__path__", [str(folder)])
    assert registry.method_names() == [
        "averaged",
        "costmargin",
        "early",
        "local",
        "localupdate",
        "maxviolation",
        "mert",
        "mira",
        "perceptron",
        "pro",
        "simplex",
        "standard",
        "xbleu",
    ]
    assert calque.Averaged().options.rate == 0.1
    sys.modules.pop("calque.tune.methods.averaged")


def test_every_method_is_public_and_named_after_its_file() -> None:
    for name in registry.method_names():
        trainer = registry.find_method(name)
        assert trainer.method == name
        assert getattr(calque, trainer.__name__) is trainer
        assert trainer.__name__ in calque.__all__
        assert name in DOCS.read_text()
    with pytest.raises(OptionError, match="method 'merd': did you mean 'mert'"):
        registry.find_method("merd")
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = calque.Nothing


ONE_BEST = [
    Mert(restarts=1, rounds=3),
    Pro(rounds=3, pairs_sampled=50),
    Mira(passes=5, rounds=3),
    Costmargin(rounds=3),
    Perceptron(rounds=3),
]


@pytest.mark.parametrize("trainer", ONE_BEST, ids=lambda trainer: trainer.method)
def test_lists_of_one_candidate_are_tuned(trainer: Trainer, model: Path, text: CorpusFiles) -> None:
    loaded = Model.load(model)
    bad = {name: -0.1 if name == "word_count" else 0.1 for name in loaded.weights}
    start = replace(loaded, weights=Weights({**bad, "unknown": 100.0}))
    task = DecoderTask(Translator(start), text.dev_source, text.dev_references, n_best=1)
    result = trainer.fit(task)
    first, *others = result.history
    assert first.n_candidates > 40, "seeds that differ"
    assert others
    assert all(0 <= record.n_new <= 40 for record in others), "at most one candidate per sentence"
    assert any(record.n_new for record in others), "what the new weights choose is learned from"
    assert result.score >= first.score


def test_the_round_is_chosen_on_the_development_text(model: Path, text: CorpusFiles) -> None:
    learned = text.dev_source, text.dev_references
    dev, references = text.test_source, text.test_references
    task = DecoderTask(model, *learned, n_best=20, dev_source=dev, dev_references=references)
    alone = Mira(rounds=3, passes=10, min_change=0.0).fit(DecoderTask(model, *learned, n_best=20))
    result = Mira(rounds=3, passes=10, min_change=0.0).fit(task)
    assert [record.train_score for record in result.history] == [
        record.score for record in alone.history
    ]
    assert result.score == max(record.score for record in result.history)
    again = DecoderTask(model, text.test_source, text.test_references, n_best=1)
    assert again.judge.verdict(again.source.translate(result.weights)).score == result.score
    with pytest.raises(OptionError, match="expected both"):
        DecoderTask(model, *learned, dev_source=text.test_source)
    with pytest.raises(CalqueError, match="expected equal numbers"):
        DecoderTask(
            model, *learned, dev_source=text.test_source, dev_references=text.dev_references
        )


def test_who_watches_sees_the_weights_of_every_round(model: Path, text: CorpusFiles) -> None:
    task = DecoderTask(model, text.dev_source, text.dev_references, n_best=5)
    seen: dict[int, Weights] = {}
    result = Mira(rounds=2, passes=5, min_change=0.0).fit(task, watch=seen.__setitem__)
    assert list(seen) == [record.round for record in result.history]
    scores = [task.judge.verdict(task.translate(weights)).score for weights in seen.values()]
    assert scores == [record.score for record in result.history]
    assert seen[result.chosen] == result.weights


def test_the_command_line_takes_a_development_text(
    verb: Verb, model: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    copy = shutil.copytree(model, tmp_path / "model")
    files = ["--model", copy, "--source", text.dev_source, "--reference", text.dev_references[0]]
    dev = ["--dev-source", text.test_source, "--dev-reference", text.test_references[0]]
    quick = ["--method", "mira", "--set", "rounds=1", "--list-length", "5"]
    told = verb("tune", *files, *dev, *quick)
    assert told.returncode in (0, 3), told.stderr  # one round may teach nothing of another text
    assert "chosen: round" in told.stdout
    assert "expected both" in mistake(verb("tune", *files, *dev[:2], *quick))


def group(model: Model, weights: Weights, name: str) -> dict[Any, float]:
    """The weights of a group by name or key."""
    keys, values = weights.sparse.to_arrays().values()
    if name == "dense":
        return dict(weights)
    if name not in ("P1", "W1", "sparse"):
        return {name: weights[name]}
    held = keys >= 0 if name == "sparse" else model.in_family(name, keys)
    return dict(zip(keys[held].tolist(), values[held].tolist(), strict=True))


@pytest.mark.parametrize("fixed", ["dense", "sparse", "P1", "W1, language_model"])
def test_groups_of_weights_stay(
    fixed: str, model: Path, text: CorpusFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = Model.load(model)
    task = DecoderTask(model, text.dev_source, text.dev_references, n_best=20)
    before = Mira(rounds=1, passes=5).fit(task).weights
    assert all(group(loaded, before, name) for name in ("P1", "W1"))
    start = Translator(replace(loaded, weights=before))
    again = DecoderTask(start, text.dev_source, text.dev_references, n_best=20)
    steps: list[Weights] = []
    step = PoolTraining.step

    def watched(self: PoolTraining, round: int, weights: Weights, measured: Measured) -> Step:
        done = step(self, round, weights, measured)
        steps.append(done.weights or weights)
        return done

    monkeypatch.setattr(PoolTraining, "step", watched)
    Mira(rounds=2, passes=5, min_change=0.0, fixed=fixed, seed=2).fit(again)
    after = steps[-1]
    kept = {name.strip() for name in fixed.split(",")}
    for name in kept:
        old, new = group(loaded, before, name), group(loaded, after, name)
        assert new == old, name
    for name in {"dense", "P1", "W1"} - kept - ({"P1", "W1"} if "sparse" in kept else set()):
        assert group(loaded, after, name) != group(loaded, before, name), name


def test_scores_that_are_no_sums_of_features_are_not_learned_from(
    model: Path, text: CorpusFiles
) -> None:
    loaded = Model.load(model)
    options = replace(loaded.decode_options, normaliser="alternatives")
    task = DecoderTask(Translator(loaded, options), text.dev_source, text.dev_references, n_best=5)
    with pytest.raises(OptionError, match=r"mira learns .* under decode\.normaliser"):
        Mira(rounds=1).fit(task)


def test_what_cannot_stay_is_one_clear_line(model: Path, text: CorpusFiles) -> None:
    task = DecoderTask(model, text.dev_source, text.dev_references, n_best=5)
    with pytest.raises(OptionError, match="fixed=ruleid: no such feature or family"):
        Mira(rounds=1, fixed="ruleid").begin(task, Place(Run(None, {}), 1, 1, SILENT))
    with pytest.raises(OptionError, match="every feature is fixed"):
        Mira(rounds=1, fixed="dense, sparse").fit(task)


def test_little_memory_changes_nothing(
    model: Path, text: CorpusFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = DecoderTask(model, text.dev_source, text.dev_references, n_best=30)
    for trainer in (
        Mira(rounds=2, passes=5),
        Pro(rounds=2),
        Mert(rounds=2, restarts=1),
        Costmargin(rounds=2),
    ):
        plenty = trainer.fit(task)
        monkeypatch.setattr("calque.hyps.store.MEGABYTE", 1)
        little = trainer.fit(task, memory_mb=1)
        monkeypatch.undo()
        assert little.weights == plenty.weights
        assert [record.score for record in little.history] == [
            record.score for record in plenty.history
        ]


def test_the_training_text_is_learned_from_as_if_unseen(
    verb: Verb, model: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    lines = {}
    for name, path in (("source", text.train_source), ("reference", text.train_target)):
        lines[name] = tmp_path / name
        lines[name].write_text("".join(path.read_text().splitlines(keepends=True)[:60]))
    files = lines["source"], [lines["reference"]]
    seen = DecoderTask(model, *files, n_best=5)
    unseen = DecoderTask(model, *files, n_best=5, leave_one_out=LeaveOneOutOptions())
    easy, hard = (task.judge.verdict(task.translate(task.start)).score for task in (seen, unseen))
    assert easy > hard + 5
    assert Mira(rounds=1, passes=3).fit(unseen).history[0].score == hard
    with pytest.raises(CalqueError, match="simplex .* cannot use leave-one-out"):
        Simplex().fit(unseen)
    copy = shutil.copytree(model, tmp_path / "model")
    command = ["tune", "--model", copy, "--source", lines["source"], "--method", "mira"]
    command += ["--reference", lines["reference"], "--set", "rounds=1", "--list-length", "5"]
    dev = ["--dev-source", text.dev_source, "--dev-reference", text.dev_references[0]]
    assert "chosen: round" in verb(*command, *dev, "--leave-one-out", "counts").stdout
    wrong = [*command, "--leave-one-out", "counts", "--source", text.dev_source]
    wrong[wrong.index(lines["reference"])] = text.dev_references[0]
    assert "is not that of the training text" in mistake(verb(*wrong))


@dataclass(frozen=True)
class CountingOptions(RoundOptions):
    """None."""


class Counting(Trainer):
    """Weights that depend on a state: the sum of the scores of all rounds so far."""

    method = "counting"
    Options = CountingOptions

    def begin(self, task: Task, place: Place) -> tuple[Training, Weights]:
        return CountingTraining(), Weights({"x": 1.0})


class CountingTraining(Training):
    def __init__(self) -> None:
        self.total = np.zeros(1)

    def measure(self, round: int, weights: Weights) -> Measured:
        return Measured(Verdict(10.0 - (weights["x"] - 4.5) ** 2, 10, 1.0))

    def step(self, round: int, weights: Weights, measured: Measured) -> Step:
        self.total = self.total + measured.verdict.score
        return Step(weights=Weights({"x": weights["x"] + 1 + self.total[0] / 1000}))

    def state(self) -> Mapping[str, NDArray[Any]]:
        return {"total": self.total}

    def restore(self, rounds: Sequence[Round], state: Mapping[str, NDArray[Any]]) -> None:
        self.total = state["total"]


def test_a_training_goes_on_with_its_state(
    lists: NBestTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        snapshots = Snapshots(patch, tmp_path).folders
        whole = Counting(rounds=6).fit(lists, run=tmp_path / "whole")
    assert whole.chosen in (3, 4)
    assert len(whole.history) == 7
    for cut in snapshots:
        again = Counting(rounds=6).fit(lists, run=cut)
        assert again.weights == whole.weights
        assert [record.score for record in again.history] == [
            record.score for record in whole.history
        ]
    assert len(list((tmp_path / "whole" / "state").iterdir())) <= 1


def test_names_of_dense_features_in_lists_are_free(tmp_path: Path) -> None:
    nbest, references = planted(tmp_path, 1, WEIGHTS)
    nbest.write_text(nbest.read_text().replace("f0=", "LM:word="))
    result = Mert(restarts=1).fit(NBestTask(nbest, [references], start={"f1": 1.0}))
    assert "LM:word" in result.weights
    assert read_nbest(nbest).names[0] == "LM:word"

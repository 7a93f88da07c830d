"""Expected BLEU as a method: every update climbs, on lists and through the decoder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_tune_expected_bleu import slow
from test_tune_relevant_set import matrix
from tuning_lists import Snapshots, planted

from calque.config import TrainOptions, fill
from calque.data import CorpusFiles, write_corpus
from calque.decode import Translator
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.hyps import CandidatePool
from calque.metrics.expected_bleu import ExpectedBleu
from calque.model import Model, activate_weights
from calque.model.build import build
from calque.report import read_run
from calque.text import BitextFiles
from calque.tune import DecoderTask, NBestTask, Result, Task, Trainer, Xbleu
from calque.tune.problem import Vector
from calque.tune.sentence import Direction
from calque.tune.updates.rprop import Rprop

UPDATES: dict[str, dict[str, Any]] = {
    "rprop": {"update": "rprop"},
    "as printed": {"update": "rprop", "rprop_as_printed": True},
    "adagrad": {"update": "adagrad", "dense_rate": 0.05, "sparse_rate": 0.05},
    "adagrad-l1": {"update": "adagrad", "dense_rate": 0.05, "sparse_rate": 0.05, "l1": 1e-5},
    "adagrad-batch": {"update": "adagrad", "dense_rate": 0.05, "batch": 7},
    "adagrad-shards": {"update": "adagrad", "dense_rate": 0.05, "batch": 3, "shards": 4},
    "sgd": {"update": "sgd"},
    "sgd-batch": {"update": "sgd", "batch": 5, "sgd_rate": 0.3},
}


@pytest.fixture
def task(tmp_path: Path) -> NBestTask:
    lists, references = planted(tmp_path, 3, [1.0, -0.5, 0.2], n_sparse=1)
    return NBestTask(lists, [references], start={"f0": 0.1, "f1": 0.3, "f2": 0.3})


def expected(result: Result) -> list[float]:
    return [0.0 if done.scores is None else done.scores["expected"] for done in result.history]


@pytest.mark.parametrize("update", UPDATES)
def test_every_update_climbs(update: str, task: NBestTask) -> None:
    result = Xbleu(rounds=8, **UPDATES[update]).fit(task)
    way = expected(result)
    assert way[-1] > way[0] + 10
    assert max(way) - way[-1] < 2
    assert result.weights.by_name(task.source.sparse_name)["hint"] > 0


@pytest.mark.parametrize("update", UPDATES)
def test_a_run_killed_anywhere_ends_with_the_same_weights(
    update: str, task: NBestTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trainer = Xbleu(rounds=3, iterations=4, **UPDATES[update])
    with monkeypatch.context() as patch:
        snapshots = Snapshots(patch, tmp_path).folders
        whole = trainer.fit(task, run=tmp_path / "whole", threads=1)
    assert len(snapshots) >= 3
    for cut in snapshots:
        again = trainer.fit(task, run=cut, threads=3, memory_mb=1)
        assert expected(again) == expected(whole)
        assert again.weights == whole.weights


def seen(trainer: Trainer, task: Task, run: Path | None = None) -> list[Weights]:
    """The weights of all rounds."""
    found: list[Weights] = []
    trainer.fit(task, run=run, watch=lambda round, weights: found.append(weights))
    return found


def test_rprop_on_a_pool_is_that_of_the_slow_form(task: NBestTask) -> None:
    """Every iteration, from the formula of the gradient and the readable rule."""
    options: dict[str, Any] = {
        "iterations": 1,
        "rounds": 12,
        "l2": 1e-3,
        "scale": 0.8,
        "least_sentences": 1,
    }
    found = seen(Xbleu(**options, dense_step=0.02, sparse_step=0.05), task)
    pool = CandidatePool(task.source.n_sentences, task.source.dense_names)
    first = 0
    for some in task.source.lists(task.start):
        pool.add(some, task.judge.statistics, first=first)
        first += len(some.lengths)
    lists = pool.lists()
    rows, n = matrix(lists), lists.n_features
    worths = ExpectedBleu().sentence_scores(lists.statistics) / 100
    units = np.concatenate([lists.spread(), np.ones(len(lists.keys))])
    weights = pool.vector(task.start) * units
    is_sparse = np.arange(n) >= lists.n_dense
    rule = Rprop(n, first=np.where(is_sparse, 0.05, 0.02))
    for at in range(len(found)):
        assert pool.vector(found[at]) == pytest.approx(weights / units, abs=1e-6), at
        total, slopes = slow(rows / units, lists.offsets, worths, 0.8, weights)
        gradient: Vector = slopes / total - 2e-3 * weights * is_sparse
        rule.move(weights, Direction(np.arange(n), gradient, 0.0))


def test_lists_larger_than_memory_give_the_same_bits(tmp_path: Path) -> None:
    lists, references = planted(tmp_path, 4, [1.0, -0.5, 0.2], n_sentences=600, n_sparse=1)
    task = NBestTask(lists, [references], start={"f0": 0.1, "f1": 0.3})
    for options in (UPDATES["rprop"], UPDATES["adagrad-batch"]):
        trainer = Xbleu(rounds=2, **options)
        small, large = (trainer.fit(task, memory_mb=mb) for mb in (1, 1000))
        assert small.weights == large.weights
        assert expected(small) == expected(large)


def test_fixed_weights_count_and_stay(task: NBestTask) -> None:
    dense = seen(Xbleu(rounds=2, fixed="dense"), task)[-1]
    assert dict(dense) == dict(task.start)
    assert len(dense.sparse) == 1
    sparse = seen(Xbleu(rounds=2, fixed="sparse,f0"), task)[-1]
    assert not len(sparse.sparse)
    assert sparse["f0"] == task.start["f0"]
    assert sparse["f1"] != task.start["f1"]


def test_features_of_few_sentences_are_not_learned(task: NBestTask) -> None:
    assert not len(seen(Xbleu(rounds=1, least_sentences=61), task)[-1].sparse)


def test_a_strong_penalty_keeps_sparse_weights_small(task: NBestTask) -> None:
    penalties: list[dict[str, Any]] = [{}, {"l2": 3.0}, {"l1": 10.0}]
    free, held, none = (
        seen(Xbleu(rounds=4, update="adagrad", fixed="dense", **penalty), task)[-1].sparse
        for penalty in penalties
    )
    [weight], [small] = free.to_arrays()["values"], held.to_arrays()["values"]
    assert 0 < small < 0.9 * weight
    assert not len(none)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"update": "rprop", "batch": 3}, "batch goes with update=adagrad or sgd, not with rprop"),
        ({"update": "gt", "l2": 0.1}, "l2 goes with update=rprop or adagrad or sgd, not with gt"),
        (
            {"update": "sgd", "rprop_as_printed": True},
            "rprop_as_printed goes with update=rprop, not with sgd",
        ),
        (
            {"update": "adagrad", "kl_weight": 0.1},
            "kl_weight goes with update=gt, not with adagrad",
        ),
        ({"update": "adagrad", "shards": 2}, "shards goes with batch"),
        ({"shards": 2}, "shards goes with update=adagrad or sgd, not with rprop"),
        ({"decode_every": 2}, "decode_every requires a model: n-best lists"),
        ({"update": "gt"}, "update=gt re-estimates the phrase probabilities of a model"),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    options: dict[str, Any], message: str, task: NBestTask
) -> None:
    with pytest.raises((OptionError, CalqueError), match=message):
        Xbleu(**options).fit(task)


def test_weights_that_run_away_are_named(task: NBestTask) -> None:
    result = Xbleu(update="sgd", sgd_rate=1e308, l2=1e300).fit(task)
    guard = result.history[-1].guard
    assert guard is not None
    assert "became" in guard


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("text")
    return write_corpus(folder, "near", {"train": 800, "dev": 60, "test": 30}, seed=4)


@pytest.fixture(scope="module")
def model(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Model:
    path = tmp_path_factory.mktemp("xbleu") / "model"
    options = fill(TrainOptions(), {"features": {"dense": "standard", "sparse": "W1,phrase-pair"}})
    build(BitextFiles(text.train_source, text.train_target), path, options)
    return Model.load(path)


def decoding(model: Model, text: CorpusFiles, **options: Any) -> DecoderTask:
    return DecoderTask(
        Translator(model), text.dev_source, text.dev_references, n_best=20, **options
    )


@pytest.mark.parametrize(
    "options", [{"sparse_step": 0.03, "scale": 3.0}, {"update": "adagrad", "sparse_rate": 0.1}]
)
def test_sparse_weights_learned_on_lists_help_the_decoder(
    options: dict[str, Any], model: Model, text: CorpusFiles
) -> None:
    task = decoding(model, text)
    result = Xbleu(rounds=8, fixed="dense", decode_every=2, clip_bp=True, **options).fit(task)
    decoded = [done.round for done in result.history if done.n_new]
    assert decoded == [0, 2, 4, 6], "nothing is learned from new candidates after the last"
    assert len(result.weights.sparse) > 50
    learned = task.judge.verdict(task.translate(result.weights)).score
    assert learned == result.score, "also where lists were not decoded"
    assert learned > result.history[0].score + 2
    way = expected(result)
    assert way[1] > way[0]


def test_only_so_many_sparse_features_move_in_a_run_that_goes_on(
    model: Model, text: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = decoding(model, text)
    trainer = Xbleu(rounds=2, iterations=2, fixed="dense", decode_every=1, most_sparse=30)
    with monkeypatch.context() as patch:
        snapshots = Snapshots(patch, tmp_path).folders
        trainer.fit(task, run=tmp_path / "whole")
    last = seen(trainer, task)[-1]
    assert 10 < len(last.sparse) <= 30
    for cut in snapshots[1:3]:
        assert seen(trainer, task, cut)[-1] == last


def test_a_round_is_chosen_on_another_text(model: Model, text: CorpusFiles) -> None:
    other = {"dev_source": text.test_source, "dev_references": text.test_references}
    task = decoding(model, text, **other)
    result = Xbleu(rounds=2, fixed="dense", sparse_step=0.01).fit(task)
    assert all(done.train_score is not None for done in result.history)
    assert result.score == max(done.score for done in result.history)


def test_the_last_round_is_taken_where_it_is_asked_for(task: NBestTask, tmp_path: Path) -> None:
    best = Xbleu(rounds=8).fit(task)
    last = Xbleu(rounds=8, take="last").fit(task, run=tmp_path / "run")
    assert best.chosen < 8  # of equal scores the first
    assert last.chosen == 8
    assert [done.score for done in last.history] == [done.score for done in best.history]
    assert read_run(tmp_path / "run").chosen == 8
    assert read_run(tmp_path / "run").end_weights == last.weights


def test_a_run_that_decodes_again_goes_on_to_the_same_weights(
    model: Model, text: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = decoding(model, text)
    updates: dict[str, dict[str, Any]] = {"rprop": {}, "gt": {"update": "gt"}}
    for name, options in updates.items():
        trainer = Xbleu(rounds=3, iterations=2, decode_every=2, fixed="dense", **options)
        with monkeypatch.context() as patch:
            snapshots = Snapshots(patch, tmp_path / name).folders
            whole = trainer.fit(task, run=tmp_path / name / "whole", threads=1)
        for cut in snapshots[1::2]:
            again = trainer.fit(task, run=cut, threads=3, memory_mb=1)
            assert expected(again) == expected(whole)
            assert again.weights == whole.weights


def test_the_lines_of_the_documentation_run(
    text: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[1] / "docs" / "expected-bleu.md").read_text()
    code = "\n".join(re.findall(r"```python\n(.*?)```", page, re.S))
    options = fill(TrainOptions(), {"features.sparse": "lexical"})
    build(BitextFiles(text.train_source, text.train_target), tmp_path / "model", options)
    activate_weights(tmp_path / "model", "mira", Model.load(tmp_path / "model").weights, {})
    for name, path in (
        ("train.de", text.train_source),
        ("train.en", text.train_target),
        ("dev.de", text.dev_source),
        ("dev.en", text.dev_references[0]),
    ):
        (tmp_path / name).write_text(path.read_text())
    monkeypatch.chdir(tmp_path)
    found: dict[str, Any] = {}
    exec(compile(code, "docs/expected-bleu.md", "exec"), found)
    assert found["result"].score > 0

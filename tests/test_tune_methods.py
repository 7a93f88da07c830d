"""What every method must do on lists: find planted weights, stop at trouble, continue a run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tuning_lists import Snapshots, lists_of, planted

from calque.errors import CalqueError, CalqueWarning
from calque.hyps import read_nbest, write_nbest
from calque.hyps.keys import name_key
from calque.tune import Mert, NBestTask, PoolTrainer, Problem, Trainer
from calque.tune.candidate_trainer import CandidateTrainer
from calque.tune.logistic import logistic_regression
from calque.tune.methods.mira import MiraOptions
from calque.tune.problem import Vector
from calque.tune.registry import find_method, method_names

METHODS = [name for name in method_names() if issubclass(find_method(name), CandidateTrainer)]
WEIGHTS = [1.0, -0.5, 0.2]
QUICK: dict[str, dict[str, Any]] = {
    "mert": {"restarts": 3},
    "pro": {"rounds": 5},
    "mira": {"rounds": 4, "passes": 60},
    "costmargin": {"rounds": 4},
    "perceptron": {"rounds": 4},
    "xbleu": {"rounds": 6, "iterations": 8, "update": "adagrad", "batch": 10, "dense_rate": 0.1},
}


@pytest.fixture
def task(tmp_path: Path) -> NBestTask:
    lists, references = planted(tmp_path, 1, WEIGHTS)
    return NBestTask(lists, [references], start={"f0": 0.0, "f1": 1.0, "f2": 1.0})


def trainer(method: str, **options: Any) -> Trainer:
    return find_method(method)(**{**QUICK[method], **options})


@pytest.mark.parametrize("method", METHODS)
def test_planted_weights_are_found(method: str, task: NBestTask) -> None:
    result = trainer(method).fit(task)
    assert result.history[0].score < 65
    assert result.score > 90
    found = np.array(list(result.weights.values()))
    cosine = found @ WEIGHTS / np.linalg.norm(found) / np.linalg.norm(WEIGHTS)
    assert cosine > 0.9


def test_costmargin_takes_the_steps_of_rprop(task: NBestTask) -> None:
    assert find_method("costmargin")(rounds=3, update="rprop").fit(task).score > 90


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("metric", ["ter", "chrf", "nist"])
def test_other_metrics_are_tuned_in_their_direction(
    method: str, metric: str, tmp_path: Path
) -> None:
    lists, references = planted(tmp_path, 2, WEIGHTS, n_sentences=30)
    task = NBestTask(lists, [references], metric, start={"f1": 1.0})
    result = trainer(method).fit(task)
    first = result.history[0].score
    assert (result.score - first) * (1 if task.metric.higher_is_better else -1) > 0.1 * abs(first)


@pytest.mark.parametrize("method", METHODS)
def test_threads_and_repetition_change_nothing_but_the_seed_does(
    method: str, task: NBestTask
) -> None:
    few = {"pairs_sampled": 20} if method == "pro" else {}
    results = [trainer(method, seed=1, **few).fit(task, threads=n).weights for n in (1, 3)]
    assert results[0] == results[1]
    assert trainer(method, seed=2, **few).fit(task).weights != results[0]


def test_several_runs_of_mert_are_averaged(task: NBestTask) -> None:
    ends: list[Vector] = []

    class Remembering(Mert):
        def _run(self, *arguments: Any) -> Vector:
            ends.append(super()._run(*arguments))
            return ends[-1]

    result = Remembering(restarts=1, runs=3, rounds=1).fit(task)
    assert len(ends) == 3
    assert not (ends[0] == ends[1]).all()
    mean = np.mean(ends, axis=0)
    found = np.array(list(result.weights.values()))
    assert found / np.abs(found).sum() == pytest.approx(mean / np.abs(mean).sum())
    assert result.score > 90


def test_intervals_judged_with_their_neighbours_lead_elsewhere_and_up(task: NBestTask) -> None:
    middle, average = (trainer("mert", interval=name).fit(task) for name in ("middle", "average"))
    assert average.weights != middle.weights
    assert average.score > 90


@pytest.mark.parametrize("method", ["pro", "mira", "costmargin", "perceptron", "xbleu"])
def test_sparse_features_are_tuned(method: str, tmp_path: Path) -> None:
    lists, references = planted(tmp_path, 3, WEIGHTS, n_sparse=1)
    task = NBestTask(lists, [references], start={"f1": 1.0})
    assert task.source.dense_names == ("f0", "f1", "f2")
    result = trainer(method).fit(task)
    assert result.weights.by_name(task.source.sparse_name)["hint"] > 0
    assert result.weights.sparse[name_key("hint")] > 0
    assert result.score > 95


def test_mert_refuses_sparse_features(tmp_path: Path) -> None:
    lists, references = planted(tmp_path, 3, WEIGHTS, n_sparse=1)
    with pytest.raises(
        CalqueError, match=r"^mert tunes dense features only, but on .* is 'hint' \(1 such"
    ):
        Mert().fit(NBestTask(lists, [references]))


@pytest.mark.parametrize("method", METHODS)
def test_a_large_fixed_weight_does_not_make_others_look_settled(
    method: str, tmp_path: Path
) -> None:
    planted(tmp_path, 5, [1.0, -0.5])
    lines = (tmp_path / "lists.nbest").read_text().splitlines()
    lists = tmp_path / "with-constant.nbest"
    lists.write_text("".join(line.replace(" ||| f0=", " ||| c= 1 f0=") + "\n" for line in lines))
    start = {"f0": 0.1, "f1": 0.1, "c": 1000.0}
    task = NBestTask(lists, [tmp_path / "references"], start=start)
    result = trainer(method, fixed="c", rounds=2).fit(task)
    assert result.score > result.history[0].score
    assert result.history[0].stopped is None


@pytest.mark.parametrize("method", METHODS)
def test_fixed_weights_stay(method: str, task: NBestTask) -> None:
    result = trainer(method, fixed="f1").fit(task)
    assert result.weights["f1"] == 1.0
    with pytest.raises(CalqueError, match="fixed=g: no such feature or family; there are: f0, f1"):
        trainer(method, fixed="g").fit(task)


@pytest.mark.parametrize("method", METHODS)
def test_a_run_killed_anywhere_ends_with_the_same_weights(
    method: str, task: NBestTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        snapshots = Snapshots(patch, tmp_path).folders
        whole = trainer(method).fit(task, run=tmp_path / "whole")
    assert len(snapshots) >= 3
    for cut in snapshots:
        with (cut / "rounds.jsonl").open("a") as file:
            file.write('{"round": 1, "sc')  # half a line
        again = trainer(method).fit(task, run=cut)
        assert again.weights == whole.weights
        assert [r.score for r in again.history] == [r.score for r in whole.history]
    assert trainer(method).fit(task, run=tmp_path / "whole").weights == whole.weights
    assert trainer(method).fit(task).weights == whole.weights


def test_a_run_keeps_the_weights_of_the_first_round_the_best_and_the_last(
    task: NBestTask, tmp_path: Path
) -> None:
    result = trainer("mira", rounds=6, min_change=0).fit(task, run=tmp_path / "run")
    kept = {int(path.stem) for path in (tmp_path / "run" / "weights").iterdir()}
    assert kept == {0, result.chosen, result.history[-1].round}


def test_the_run_of_another_command_is_refused(task: NBestTask, tmp_path: Path) -> None:
    trainer("mert").fit(task, run=tmp_path / "run")
    with pytest.raises(
        CalqueError,
        match="this folder belongs to a run with other settings: seed is 1 there and 2 here",
    ):
        trainer("mert", seed=2).fit(task, run=tmp_path / "run")
    with pytest.raises(CalqueError, match='method is "mert" there and "mira" here'):
        trainer("mira").fit(task, run=tmp_path / "run")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("")
    with pytest.raises(CalqueError, match=r"holds other files \(thesis.txt\) and no run"):
        trainer("mert").fit(task, run=tmp_path / "full")


def test_a_run_of_a_version_with_other_names_of_options_goes_on(
    task: NBestTask, tmp_path: Path
) -> None:
    first = trainer("mira").fit(task, run=tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    head = json.loads(path.read_text())
    head["options"]["settled"] = head["options"].pop("min_change")
    path.write_text(json.dumps(head))
    assert trainer("mira").fit(task, run=tmp_path / "run").weights == first.weights
    with pytest.raises(CalqueError, match="options.min_change is"):
        trainer("mira", min_change=0.5).fit(task, run=tmp_path / "run")


def test_a_run_killed_while_its_head_is_written_goes_on(task: NBestTask, tmp_path: Path) -> None:
    run = tmp_path / "run"
    (run / "weights").mkdir(parents=True)
    (run / ".run.json.part").write_text('{"format": "cal')
    (run / "weights" / ".000.npz.part").write_bytes(b"PK")
    weights = trainer("mert").fit(task, run=run).weights
    assert weights == trainer("mert").fit(task).weights
    assert not list(run.rglob("*.part"))


def test_a_lock_of_a_run_that_leads_elsewhere_is_not_followed(
    task: NBestTask, tmp_path: Path
) -> None:
    (tmp_path / "precious").write_text("years of work")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".lock").symlink_to(tmp_path / "precious")
    with pytest.raises(CalqueError, match="run: cannot be written"):
        trainer("mert").fit(task, run=tmp_path / "run")
    assert (tmp_path / "precious").read_text() == "years of work"


class Broken(PoolTrainer):
    """Gives bad weights in its second round."""

    method = "broken"
    can_repeat = True
    Options = MiraOptions

    def __init__(self, bad: Vector) -> None:
        super().__init__()
        self.bad = bad

    def update(self, problem: Problem, weights: Vector) -> Vector:
        return self.bad if weights[0] else np.array(WEIGHTS)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([1.0, np.nan, 1.0], "the weight of 'f1' became nan"),
        ([0.0, 0.0, 0.0], "all weights became 0"),
    ],
)
def test_bad_weights_are_named_and_the_last_good_ones_stay(
    bad: list[float], message: str, task: NBestTask, tmp_path: Path
) -> None:
    result = Broken(np.array(bad)).fit(task, run=tmp_path / "run")
    assert list(result.weights.values()) == WEIGHTS
    assert result.history[-1].guard == message
    last = json.loads((tmp_path / "run" / "rounds.jsonl").read_text().splitlines()[-1])
    assert last["guard"] == message
    assert last["stopped"] == "guard"


def test_output_that_collapses_is_named(tmp_path: Path) -> None:
    texts = ["a b c d", "a", "a b c d", "b"]
    values = np.array([[1.0, 0.0], [0.0, 1.0]] * 2)
    write_nbest(tmp_path / "n", lists_of(np.array([0, 0, 1, 1]), texts, values))
    (tmp_path / "r").write_text("a b c d\na b c x\n")

    class Shortening(Broken):
        def update(self, problem: Problem, weights: Vector) -> Vector:
            return np.array([0.0, 1.0])

    task = NBestTask(tmp_path / "n", [tmp_path / "r"], start={"f0": 1.0})
    result = Shortening(np.zeros(2)).fit(task)
    assert dict(result.weights) == {"f0": 1.0, "f1": 0.0}
    assert result.history[-1].guard == (
        "the output has 0.25 times the words of the references, expected 0.5 to 2.0 times"
    )


class Moving(Broken):
    """Takes the next of some weights in every round."""

    def __init__(self, *weights: list[float]) -> None:
        super().__init__(np.zeros(2))
        self.weights = [np.array(vector) for vector in weights]

    def update(self, problem: Problem, weights: Vector) -> Vector:
        return self.weights.pop(0)


@pytest.fixture
def lengths(tmp_path: Path) -> NBestTask:
    """Lists whose features choose output of 8, 5, 4 and 2 words for references of 2."""
    words = ["a b " + " ".join(["x"] * n) for n in (6, 3, 2, 0)]
    values = np.tile(np.array([[0.0, 3.0], [1.0, 2.5], [2.0, 1.5], [3.0, 0.0]]), (2, 1))
    sentences = np.repeat([0, 1], 4)
    write_nbest(tmp_path / "n", lists_of(sentences, [text.strip() for text in words] * 2, values))
    (tmp_path / "r").write_text("a b\na b\n")
    return NBestTask(tmp_path / "n", [tmp_path / "r"], "ter", start={"f1": 1.0})


EIGHT, FIVE, FOUR, TWO = [0.0, 1.0], [0.6, 1.0], [1.0, 0.9], [1.0, 0.1]


def test_a_run_that_starts_with_too_long_output_recovers(lengths: NBestTask) -> None:
    result = Moving(FIVE, FOUR, TWO, TWO).fit(lengths)
    ratios = [done.length_ratio for done in result.history]
    assert ratios[:4] == [4.0, 2.5, 2.0, 1.0]
    assert result.history[-1].guard is None
    assert result.trouble is None
    assert result.chosen == 3


def test_a_run_that_does_not_leave_its_bad_start_is_stopped(lengths: NBestTask) -> None:
    result = Moving(FIVE, EIGHT).fit(lengths)
    assert [done.length_ratio for done in result.history] == [4.0, 2.5]
    assert result.history[-1].guard == (
        "the output has 4.00 times the words of the references, expected 0.5 to 2.0 times"
    )
    assert result.chosen == 1, "nearer to the references than the start"


def test_python_is_warned_where_a_run_learned_nothing_or_a_guard_stopped_it(
    lengths: NBestTask, task: NBestTask, tmp_path: Path
) -> None:
    with pytest.warns(CalqueWarning, match="broken: stopped in round 1: the output has 4.00"):
        Moving(FIVE, EIGHT).fit(lengths, run=tmp_path / "run")
    with pytest.warns(CalqueWarning, match="broken: stopped in round 1: the output") as told:
        Moving().fit(lengths, run=tmp_path / "run")  # finished already: said again
    assert told[0].filename == __file__
    worse = NBestTask(tmp_path / "n", [tmp_path / "r"], "ter", start={"f0": 1.0})
    with pytest.warns(CalqueWarning, match="broken: nothing was learned: no round is better"):
        Moving(FOUR, TWO, TWO).fit(worse)


def test_lists_without_a_choice_are_refused(tmp_path: Path) -> None:
    write_nbest(tmp_path / "n", lists_of(np.array([0, 0]), ["a", "a"], np.array([[1.0], [2.0]])))
    (tmp_path / "r").write_text("a\n")
    with pytest.raises(CalqueError, match="nothing to learn: in every list all candidates score"):
        Mert().fit(NBestTask(tmp_path / "n", [tmp_path / "r"]))


def test_more_or_fewer_lists_than_references_are_refused(tmp_path: Path) -> None:
    lists, references = planted(tmp_path, 1, WEIGHTS, n_sentences=3)
    for n in (2, 4):
        references.write_text("a\n" * n)
        with pytest.raises(
            CalqueError, match=f"lists of 3 sentences, but there are {n} references"
        ):
            NBestTask(lists, [references])


def test_the_start_explains_the_totals_of_the_lists(tmp_path: Path) -> None:
    lists, references = planted(tmp_path, 1, WEIGHTS, n_sentences=20)
    nbest = read_nbest(lists)
    unknown = nbest.sentences * -100.0  # part of the total, listed nowhere, constant in a list
    totals = nbest.matrix(nbest.names) @ np.array([0.5, 2.0, -3.0]) + unknown
    write_nbest(lists, nbest.reordered(np.arange(len(nbest)), totals))
    start = NBestTask(lists, [references]).start
    assert list(start.values()) == pytest.approx([0.5, 2.0, -3.0])


def test_logistic_regression_is_at_its_minimum(tmp_path: Path) -> None:
    from tuning_lists import pooled, random_lists

    from calque.metrics.registry import make_metric

    rng = np.random.default_rng(1)
    lists = pooled(*random_lists(rng, 20, 10, 3), make_metric("bleu", tokenize="none"))
    pairs = np.stack([lists.offsets[:-1], lists.offsets[1:] - 1], axis=1)
    weights = logistic_regression(lists, pairs, np.ones(3, bool), 0.1)
    x = lists.dense[pairs[:, 0]] - lists.dense[pairs[:, 1]]
    units = np.sqrt((x**2).mean(axis=0))

    def loss(w: Vector) -> float:
        return float(np.log1p(np.exp(-x @ w)).mean() + 0.05 * ((w * units) ** 2).sum())

    for step in np.vstack([np.eye(3), -np.eye(3)]) * 1e-2:
        assert loss(weights) < loss(weights + step)

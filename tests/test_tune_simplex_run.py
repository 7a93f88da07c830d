"""The simplex method through the decoder: it learns, it goes on when killed, its runs are drawn."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Run as Command
from conftest import done, mistake
from test_report_page import check_self_contained
from tuning_lists import Snapshots

from calque.data import CorpusFiles
from calque.errors import CalqueError
from calque.model import Model
from calque.report import read_run
from calque.text import read_lines
from calque.tune import DecoderTask, Mert, NBestTask, Simplex
from calque.tune.evaluation import FullDecoding

OPTIONS: dict[str, Any] = {"max_evaluations": 25, "restarts": 0, "stack_size": 10}


@pytest.fixture(scope="module")
def task(standard: Path, corpus: CorpusFiles) -> DecoderTask:
    return DecoderTask(standard, corpus.test_source, [corpus.test_references[0]])


@pytest.fixture(scope="module")
def run(task: DecoderTask, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run."""
    folder = tmp_path_factory.mktemp("runs") / "simplex"
    Simplex(**OPTIONS).fit(task, run=folder)
    return folder


def rounds(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "rounds.jsonl").read_text().splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "seconds"} for line in lines]


def test_it_beats_uniform_weights(task: DecoderTask, run: Path) -> None:
    result = Simplex(**OPTIONS).fit(task, run=run)
    assert result.score > result.history[0].score + 1
    assert result.score == max(record.score for record in result.history)
    assert result.history[result.chosen].score == result.score
    assert read_run(run).chosen == result.chosen
    halvings = {round(100 * 0.5**n, 12) for n in range(20)}
    assert round(result.weights["unknown"], 12) in halvings, "loosened, but never tuned"


def test_the_log_tells_of_every_evaluation(task: DecoderTask, run: Path) -> None:
    lines = rounds(run)
    assert [line["round"] for line in lines] == list(range(len(lines)))
    result = Simplex(**OPTIONS).fit(task, run=run)
    chosen = lines[result.chosen]
    assert task.texts is not None
    again = FullDecoding(
        task.model, task.texts, task.judge.reference_lines, [task.metric],
        stack_size=10, threshold=10.0,
    )(result.weights)  # fmt: skip
    assert again.scores["bleu"] == chosen["score"] == chosen["scores"]["bleu"]
    assert again.n_hypotheses == chosen["n_hypotheses"]
    assert set(chosen["scores"]) == {"bleu", "nist"}


def test_a_finished_run_is_not_searched_again(task: DecoderTask, run: Path) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    Simplex(**OPTIONS).fit(task, run=run)
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


SCRIPT = """
import sys
from calque.tune import DecoderTask, Simplex
model, source, reference, run = sys.argv[1:]
options = {"max_evaluations": 25, "restarts": 0, "stack_size": 10}
Simplex(**options).fit(DecoderTask(model, source, [reference]), run=run, threads=1)
"""


def test_a_killed_run_goes_on_and_ends_the_same(
    task: DecoderTask, run: Path, standard: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    log = tmp_path / "run" / "rounds.jsonl"
    arguments = [standard, corpus.test_source, corpus.test_references[0], tmp_path / "run"]
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, *map(str, arguments)])
    deadline = time.monotonic() + 60
    while not (log.exists() and log.read_bytes().count(b"\n") >= 5):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    n_before = log.read_bytes().count(b"\n")
    result = Simplex(**OPTIONS).fit(task, run=tmp_path / "run")
    assert 5 <= n_before < len(result.history)
    assert rounds(tmp_path / "run") == rounds(run)
    assert result.weights == read_run(run).end_weights


def test_the_run_of_other_options_is_refused(task: DecoderTask, run: Path) -> None:
    with pytest.raises(
        CalqueError,
        match=r"run with other settings: options\.step is 0\.3",
    ):
        Simplex(**OPTIONS, step=0.5).fit(task, run=run)


def test_lists_are_refused(corpus: CorpusFiles, tmp_path: Path) -> None:
    (tmp_path / "list").write_text("0 ||| a ||| f= 1 ||| 1\n0 ||| b ||| f= 2 ||| 2\n")
    (tmp_path / "reference").write_text("a\n")
    lists = NBestTask([tmp_path / "list"], [tmp_path / "reference"])
    with pytest.raises(CalqueError, match="needs a model, not n-best lists"):
        Simplex().fit(lists)


def test_weights_of_features_that_never_differ_are_found(task: DecoderTask) -> None:
    monotone = replace(task.model.decode_options, reordering="mon")
    model = replace(task.model, decode_options=monotone)
    constant = FullDecoding(
        model, task.texts, [], [], stack_size=100, threshold=10.0
    ).constant_features(model.weights)
    assert {"unknown", "distance"} <= set(constant)
    assert not {"language_model", "word_count", "block_count"} & set(constant)


def test_a_run_has_a_page(verb: Command, run: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert done(verb("report", run, "--out", page, "-q")) == ""
    reader = check_self_contained(page.read_text())
    assert reader.tags.count("svg") == 3  # score, length and cost
    for text in ("simplex", "bleu", "language_model", "max_evaluations", "all evaluations done"):
        assert text in reader.text
    first = page.read_bytes()
    verb("report", run, "--out", page, "-q")
    assert page.read_bytes() == first


def test_a_run_that_was_killed_has_a_page(
    verb: Command, task: DecoderTask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    snapshots = Snapshots(monkeypatch, tmp_path).folders
    Simplex(**{**OPTIONS, "max_evaluations": 3}).fit(task, run=tmp_path / "whole")
    for name in ("a/simplex", "b/simplex"):
        shutil.copytree(snapshots[len(snapshots) // 2], tmp_path / name)
    page = tmp_path / "page.html"
    done(verb("report", tmp_path / "a" / "simplex", tmp_path / "b" / "simplex", "--out", page))
    text = check_self_contained(page.read_text()).text
    assert "not finished" in text
    assert "b/simplex" in text
    assert str(tmp_path) not in text


def test_runs_of_different_methods_share_axes(
    verb: Command, task: DecoderTask, run: Path, tmp_path: Path
) -> None:
    result = Mert(rounds=2, restarts=1).fit(task, run=tmp_path / "mert")
    tuned = read_run(tmp_path / "mert")
    assert (tuned.chosen, tuned.end_weights) == (result.chosen, result.weights)
    assert tuned.start_weights == task.start
    assert tuned.reason == result.history[-1].stopped
    page = tmp_path / "page.html"
    done(verb("report", tmp_path / "mert", run, "--out", page, "-q"))
    reader = check_self_contained(page.read_text())
    assert reader.tags.count("svg") == 3  # score, length and cost
    for series in (0, 1):
        assert f"stroke: var(--series-{series})" in page.read_text().split("<svg")[1]


def test_what_is_no_run_is_one_clear_line(verb: Command, trained: Path, tmp_path: Path) -> None:
    page = ["--out", tmp_path / "page.html"]
    assert "there is no such folder" in mistake(verb("report", tmp_path / "none", *page))
    assert "holds no run" in mistake(verb("report", trained, *page))
    (tmp_path / "run.json").write_text("{}")
    assert "expected format 'calque-run'" in mistake(verb("report", tmp_path, *page))
    (tmp_path / "run.json").write_text("{")
    assert "not the header of a run" in mistake(verb("report", tmp_path, *page))
    (tmp_path / "run.json").write_text('{"format": "calque-run"}')
    assert "is a damaged run" in mistake(verb("report", tmp_path, *page))
    assert not (tmp_path / "page.html").exists()
    missing = tmp_path / "missing" / "page.html"
    assert "there is no folder" in mistake(verb("report", trained, "--out", missing))


def test_a_curve_shows_cost_and_scores(verb: Command, trained: Path, corpus: CorpusFiles) -> None:
    text = ["--source", corpus.test_source, "--reference", corpus.test_references[0]]
    common = ["curve", "--model", trained, *text, "--tokenize", "none", "--json", "-q"]
    rows = json.loads(done(verb(*common, "--threshold", 4, "--scales", "0.5,2")))
    assert [row["scale"] for row in rows] == [0.5, 2.0]
    assert rows[0]["hypotheses"] > rows[1]["hypotheses"]
    assert set(rows[0]) == {"weights", "scale", "bleu", "nist", "hypotheses"}
    both = ["--weights", "uniform", "--weights", "default", "--equal", "uniform"]
    uniform, default = json.loads(done(verb(*common, *both, "--threshold", 4)))
    assert (uniform["weights"], uniform["scale"]) == ("uniform", 1.0)
    assert abs(default["hypotheses"] / uniform["hypotheses"] - 1) <= 0.01


def test_a_wrong_curve_is_one_clear_line(
    verb: Command, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    common = ["curve", "--model", trained, "--source", corpus.test_source, "--reference"]
    wrong = mistake(verb(*common, corpus.test_references[0], "--scales", "1,-2"))
    assert "expected positive numbers" in wrong
    assert "expected equal numbers" in mistake(verb(*common, corpus.dev_references[0]))
    assert "no weights are called" in mistake(
        verb(*common, corpus.test_references[0], "--weights", "x")
    )
    assert len(list(read_lines(corpus.test_source))) == 40
    empty = tmp_path / "empty"
    empty.touch()
    nothing = verb("curve", "--model", trained, "--source", empty, "--reference", empty)
    assert mistake(nothing) == f"{empty}: is empty: it has no lines to score"


def test_the_command_line_tunes_by_simplex(
    verb: Command, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    shutil.copytree(trained, tmp_path / "model")
    text = ["--source", corpus.test_source, "--reference", corpus.test_references[0]]
    small = ["--set", "max_evaluations=4", "--set", "restarts=0", "--set", "norm=l1"]
    command = ["tune", "--model", tmp_path / "model", *text, "--method", "simplex", *small]
    shown = done(verb(*command, "--metric", "nist", "--run", tmp_path / "run", "-q"))
    assert "nist" in shown
    tuned = read_run(tmp_path / "run")
    assert (tuned.method, tuned.metric, tuned.chosen is None) == ("simplex", "nist", False)
    assert Model.load(tmp_path / "model").weights == tuned.end_weights

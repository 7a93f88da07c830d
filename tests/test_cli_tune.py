"""Tuning and re-ranking as a user meets them, killed runs included."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import pytest
from conftest import Run, done, mistake
from tuning_lists import planted

from calque.config import TrainOptions, fill
from calque.data import CorpusFiles, write_corpus
from calque.decode import load
from calque.errors import CalqueWarning
from calque.hyps.weights import read_weights
from calque.model import ModelFolder
from calque.model.build import build
from calque.text import BitextFiles
from calque.tune import DecoderTask
from calque.tune.candidate_trainer import CandidateTrainer
from calque.tune.registry import find_method, method_names

WEIGHTS = [1.0, -0.5, 0.2]
QUICK = {"mert": ["restarts=2"], "mira": ["rounds=4", "passes=60"]}
METHODS = [name for name in method_names() if issubclass(find_method(name), CandidateTrainer)]


def setting(method: str) -> list[str]:
    return [word for option in QUICK.get(method, ["rounds=4"]) for word in ("--set", option)]


@pytest.fixture
def lists(tmp_path: Path) -> tuple[Path, Path]:
    return planted(tmp_path, 1, WEIGHTS)


@pytest.fixture(scope="module")
def development(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("development")
    return write_corpus(folder, "near", {"train": 1500, "dev": 60, "test": 1}, seed=3)


@pytest.fixture(scope="module")
def built(development: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "model"
    build(BitextFiles(development.train_source, development.train_target), path)
    return path


@pytest.fixture
def model(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "model"))


@pytest.mark.parametrize("method", METHODS)
def test_tuned_weights_rerank_to_the_references(
    verb: Run, lists: tuple[Path, Path], tmp_path: Path, method: str
) -> None:
    nbest, references = lists
    weights, out = tmp_path / "w.txt", tmp_path / "out"
    told = done(
        verb(
            *("tune", "--nbest", nbest, "--reference", references, "--method", method),
            *("--weights", weights, *setting(method)),
        )
    )
    assert "chosen: round" in told
    assert list(read_weights(weights)) == ["f0", "f1", "f2"]
    done(verb("rerank", "--nbest", nbest, "--weights", weights, "--output", out))
    chosen, wanted = out.read_text().splitlines(), references.read_text().splitlines()
    n_same = sum(a == b for a, b in zip(chosen, wanted, strict=True))
    assert n_same > 0.75 * len(wanted)


def test_reranked_lists_are_written_with_their_totals(
    verb: Run, lists: tuple[Path, Path], tmp_path: Path
) -> None:
    (tmp_path / "w").write_text("f0 1\nf1 0\nf2 0\n")
    arguments = ["rerank", "--nbest", lists[0], "--weights", tmp_path / "w"]
    best = done(verb(*arguments, "--nbest-output", tmp_path / "n", "--format", "json"))
    rows = [json.loads(line) for line in (tmp_path / "n").read_text().splitlines()]
    first = {row["id"]: row["text"] for row in reversed(rows)}
    assert best.splitlines() == [first[sentence] for sentence in sorted(first)]
    assert all(row["score"] == row["features"]["f0"] for row in rows)


@pytest.mark.parametrize("method", METHODS)
def test_tuning_a_model_beats_bad_weights(
    method: str, model: Path, development: CorpusFiles
) -> None:
    translator = load(model)
    bad = {name: -0.1 if name == "word_count" else 0.1 for name in translator.model.weights}
    bad["unknown"] = 100.0
    from dataclasses import replace

    from calque.features import Weights

    translator.model = replace(translator.model, weights=Weights(bad))
    task = DecoderTask(translator, development.dev_source, development.dev_references, n_best=30)
    options = {"rounds": 3, **({"restarts": 2} if method == "mert" else {})}
    result = find_method(method)(**options).fit(task)
    assert result.score > result.history[0].score + 3
    assert result.weights["unknown"] == 100.0


def test_tuned_weights_become_the_active_ones_and_the_old_ones_stay(
    verb: Run, model: Path, development: CorpusFiles
) -> None:
    before = ModelFolder(model).text("weights/default")
    command = ["tune", "--model", model, "--source", development.dev_source, "--method", "mert"]
    command += [x for path in development.dev_references for x in ("--reference", path)]
    command += ["--set", "rounds=1", "--set", "restarts=1", "--list-length", "20"]
    told = json.loads(done(verb(*command, "--name", "mine", "--json")))
    folder = ModelFolder(model)
    assert folder.manifest.info["weights"] == "mine"
    assert folder.text("weights/default") == before
    assert dict(load(model).model.weights) == told["weights"]
    assert dict(load(model, "default").model.weights) != told["weights"]
    # The start is the model's default, not what an earlier tuning left: the same comes out again.
    assert json.loads(done(verb(*command, "--json")))["weights"] == told["weights"]


def killed_in_round(command: list[str], run: Path, n_rounds: int) -> None:
    """Runs a command and kills it as soon as so many rounds are done."""
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    rounds = run / "rounds.jsonl"
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        if rounds.exists() and rounds.read_bytes().count(b"\n") >= n_rounds:
            break
        time.sleep(0.01)
    assert process.poll() is None, "ended before it could be killed"
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize("method", METHODS)
def test_a_killed_run_goes_on_to_the_same_weights(
    calque: Run, method: str, model: Path, development: CorpusFiles, tmp_path: Path
) -> None:
    options = ["--set", "rounds=3", "--set", "min_change=0", "--list-length", "20"]
    options += ["--set", "restarts=3"] if method == "mert" else []
    references = [x for path in development.dev_references for x in ("--reference", path)]
    command = ["tune", "--model", model, "--source", development.dev_source, *references]
    command += ["--method", method, *options]
    run = tmp_path / "run"
    words = [sys.executable, "-m", "calque", *map(str, command), "--run", str(run)]
    killed_in_round(words, run, 1)
    assert "method" not in ModelFolder(model).manifest.info
    done(calque(*command, "--run", run))
    resumed = ModelFolder(model).text(f"weights/{method}")
    done(calque(*command, "--run", tmp_path / "whole"))
    assert ModelFolder(model).text(f"weights/{method}") == resumed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--method", "mertt"], "method 'mertt': did you mean 'mert'?"),
        (["--method", "mert"], "give either --model DIR with --source F, or --nbest F with"),
        (["--method", "mert", "--nbest", "n"], "--nbest F goes with --weights OUT"),
        (["--method", "mert", "--model", "m"], "--model DIR goes with --source F"),
        (
            ["--method", "pro", "--set", "restarts=3", "--nbest", "n"],
            "--set: unknown key 'restarts'",
        ),
        (["--method", "mira", "--nbest", "n", "--weights", "w"], "no such file"),
    ],
)
def test_mistakes_are_one_clear_line(
    verb: Run, arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r").write_text("a\n")
    assert message in mistake(verb("tune", "--reference", "r", *arguments))


def test_a_run_that_learned_nothing_has_its_own_exit_code_and_leaves_the_model_alone(
    verb: Run, model: Path, development: CorpusFiles
) -> None:
    before = ModelFolder(model).manifest
    files = ["--model", model, "--source", development.dev_source, "--method", "mira"]
    files += ["--reference", development.dev_references[0], "--list-length", "5"]
    # Any change counts as none: the run ends with its start.
    result = verb("tune", *files, "--set", "min_change=1000")
    assert result.returncode == 3
    assert "warning: mira: nothing was learned: no round is better" in result.stderr
    assert ModelFolder(model).manifest == before
    told = verb("tune", *files, "--set", "min_change=1000", "--json")
    assert told.returncode == 3
    assert json.loads(told.stdout)["trouble"].startswith("nothing was learned")


def test_a_model_is_tuned_from_weights_in_a_file(
    verb: Run, model: Path, development: CorpusFiles, tmp_path: Path
) -> None:
    lines = ModelFolder(model).text("weights/default").splitlines()
    start = tmp_path / "start.txt"
    bad = [line.split()[0] + " -1" if line.startswith("word_count") else line for line in lines]
    start.write_text("\n".join(bad) + "\n")
    files = ["--model", model, "--source", development.dev_source, "--method", "mira"]
    files += ["--reference", development.dev_references[0], "--list-length", "5"]
    quick = ["--set", "rounds=1", "--json"]
    from_file = json.loads(verb("tune", *files, *quick, "--start", start).stdout)["history"]
    from_default = json.loads(verb("tune", *files, *quick).stdout)["history"]
    assert from_file[0]["length_ratio"] < from_default[0]["length_ratio"] - 0.02
    start.write_text("\n".join(lines[1:]) + "\n")
    name = lines[0].split()[0]
    told = mistake(verb("tune", *files, "--start", start))
    assert told == f"{start}: the weight of '{name}' is missing"
    told = mistake(verb("tune", *files, "--start", tmp_path / "no such"))
    assert "no weights are called" in told


def test_settings_of_the_metric_are_tuned_for(
    verb: Run, lists: tuple[Path, Path], tmp_path: Path
) -> None:
    nbest, reference = lists
    files = ["--nbest", nbest, "--reference", reference, "--weights", tmp_path / "w"]
    quick = ["--method", "mert", "--set", "restarts=1", "--json"]
    settings = ["--metric", "chrf", "--set", "chrf.word_order=2"]
    told = json.loads(done(verb("tune", *files, *quick, *settings)))
    assert "nw:2" in told["metric"]
    lower = ["--set", "bleu.lowercase=true"]
    assert "case:lc" in json.loads(done(verb("tune", *files, *quick, *lower)))["metric"]
    assert "setting of bleu" in mistake(verb("tune", *files, *quick, "--set", "bleu.nothing=1"))
    two = ["--metric", "bleu", "--metric", "chrf"]
    assert "--metric is given 2 times" in mistake(verb("tune", *files, *quick, *two))


def test_what_no_feature_needs_is_no_mistake(
    verb: Run, lists: tuple[Path, Path], built: Path, tmp_path: Path
) -> None:
    nbest, _ = lists
    (tmp_path / "w").write_text("f0 1\nf1 0\nf2 0\n")
    files = ["rerank", "--nbest", nbest, "--weights", tmp_path / "w"]
    plain = done(verb(*files))
    assert done(verb(*files, "--model", built, "--source", tmp_path / "not there")) == plain


def test_rounds_have_one_number(calque: Run, lists: tuple[Path, Path], tmp_path: Path) -> None:
    nbest, reference = lists
    files = ["--nbest", nbest, "--reference", reference, "--weights", tmp_path / "w"]
    result = calque("tune", *files, "--method", "mira", "--set", "rounds=3", "--json")
    scores = {done["round"]: done["score"] for done in json.loads(result.stdout)["history"]}
    lines = re.findall(r"^mira, round (\d+): bleu ([\d.]+); the next", result.stderr, re.M)
    assert lines
    for number, score in lines:
        assert score == f"{scores[int(number)]:.2f}"


def test_many_sparse_weights_on_few_sentences_are_warned_of(
    development: CorpusFiles, tmp_path: Path
) -> None:
    options = fill(TrainOptions(), {"features": {"sparse": "P1"}})
    path = tmp_path / "sparse"
    build(BitextFiles(development.train_source, development.train_target), path, options)
    text = development.dev_source, development.dev_references
    task = DecoderTask(path, *text, n_best=10)
    trainer = find_method("mira")
    with pytest.warns(CalqueWarning, match=r"sparse weights learn from 60 .* fixed=sparse keeps"):
        trainer(rounds=1).fit(task)
    other = DecoderTask(path, *text, n_best=10, dev_source=text[0], dev_references=text[1])
    for trainer_, quiet in ((trainer(rounds=1, fixed="sparse"), task), (trainer(rounds=1), other)):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            trainer_.fit(quiet)
        assert not [warning for warning in told if "sparse weights" in str(warning.message)]

"""The command line as a user meets it: results, exit codes, one clear line per mistake."""

from __future__ import annotations

import inspect
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pytest
from conftest import Run, done, mistake

from calque.cli import demonstration
from calque.cli.demonstration import METHODS
from calque.cli.verbs import VERBS
from calque.data import CorpusFiles
from calque.model import ModelFolder, ModelWriter


@pytest.fixture
def model(tmp_path: Path) -> Path:
    with ModelWriter(tmp_path / "model") as writer:
        writer.text("vocabulary/source", "ein\nhaus\n")
        writer.commit({"seed": 1})
    return tmp_path / "model"


def test_the_version_is_printed(calque: Run) -> None:
    assert calque("--version").stdout.startswith("calque 0.")


def test_help_lists_the_verbs_and_every_verb_has_an_example(calque: Run, verb: Run) -> None:
    listing = calque("--help").stdout
    assert all(name in listing for name in VERBS)
    assert "<bool>" not in listing
    for name in VERBS:
        assert f"calque {name} " in done(verb(name, "--help"))


def test_the_list_of_verbs_says_what_their_help_says() -> None:
    for name, verb in VERBS.items():
        first = inspect.cleandoc(verb.load().__doc__ or "").split("\n\n")[0]
        assert verb.summary == " ".join(first.split()), name


def test_help_and_version_import_no_large_library() -> None:
    code = "import sys; from calque.cli.main import run; run({}); print(*sys.modules)"
    for arguments in (["--help"], ["--version"]):
        result = subprocess.run(
            [sys.executable, "-c", code.format(arguments)],
            capture_output=True,
            text=True,
            check=True,
        )
        loaded = {name.partition(".")[0] for name in result.stdout.splitlines()[-1].split()}
        assert not loaded & {"numpy", "scipy", "matplotlib", "sacrebleu", "sacremoses"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["infoo"], "No such command 'infoo'. Did you mean 'info'?"),
        (["info"], "give the model folder: calque info DIR"),
        (["generate", "--out", "x", "--trian", "5"], "No such option: --trian"),
        (
            ["generate", "--out", "x", "--train", "many"],
            "--train many: expected",
        ),
        (
            ["generate", "--out", "x", "--pair", "fra"],
            "--pair fra: expected one",
        ),
        (["demo", "--threads", "0"], "threads=0: expected a whole number from 1 to 1,000,000"),
    ],
)
def test_a_wrong_command_is_one_clear_line(calque: Run, arguments: list[str], message: str) -> None:
    assert mistake(calque(*arguments)).startswith(message)


def test_info_tells_what_is_inside(calque: Run, model: Path) -> None:
    out = calque("info", "--all", model).stdout
    assert "every checksum right" in out
    assert "vocabulary" in out
    described = json.loads(calque("info", model, "--json").stdout)
    assert described == json.loads(calque("info", "--model", model, "--json").stdout)
    assert described["info"] == {"seed": 1}
    assert described["parts"]["vocabulary"]["files"] == 1


def test_info_begins_with_what_one_wants_to_know(
    verb: Run, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    model = Path(shutil.copytree(trained, tmp_path / "model"))
    tuning = ["--source", corpus.dev_source, "--reference", corpus.dev_references[0]]
    done(verb("tune", "--model", model, *tuning, "--method", "mira", "--set", "rounds=1", "-q"))
    out = done(verb("info", model, "-q"))
    facts = dict(line.strip().split("  ", 1) for line in out.splitlines() if "  " in line.strip())
    folder = ModelFolder(model)
    assert facts["learned from"].strip().startswith(f"{folder.manifest.info['data']['pairs']} sen")
    assert facts["files"].strip() == f"{corpus.train_source.name}, {corpus.train_target.name}"
    assert facts["made by"].strip() == f"calque {version('calque')}"
    n_blocks = len(folder.array("blocks/joint_counts"))
    assert facts["blocks"].strip().startswith(f"{n_blocks:,} of ")
    score = folder.manifest.info["tuning mira"]["score"]
    assert facts["* mira"].strip() == f"tuned with mira, bleu {score:.2f} in tuning"
    assert facts["default"].strip() == "untuned"
    assert "options.decode" not in out
    assert max(map(len, out.splitlines()[1:])) <= 80


@pytest.mark.parametrize("odd", [5, "x", [], {"text": 3, "pairs": "many", "files": {"a": 1}}])
def test_info_takes_any_facts(verb: Run, model: Path, odd: object) -> None:
    with ModelWriter(model, update=True) as writer:
        writer.commit({"options": odd, "data": odd, "weights": odd, "tuning default": odd})
    assert "every checksum right" in done(verb("info", model))


def test_info_shows_names_as_they_are(verb: Run, model: Path, tmp_path: Path) -> None:
    odd = model.rename(tmp_path / "a [red]model")
    assert f"{odd}: a model of Calque" in done(verb("info", odd))


def test_info_of_what_is_no_model_is_one_clear_line(calque: Run, tmp_path: Path) -> None:
    assert "not a model folder" in mistake(calque("info", tmp_path))
    (tmp_path / "file").write_text("")
    assert "not a model folder" in mistake(calque("info", tmp_path / "file"))


def test_info_finds_a_changed_byte(calque: Run, model: Path) -> None:
    file = next(model.glob("vocabulary*"))
    file.write_bytes(file.read_bytes().replace(b"haus", b"maus"))
    assert "does not match its checksum" in calque("info", model).stderr


def test_an_unwritable_output_is_one_clear_line(calque: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for out in (tmp_path / "file", tmp_path / "file" / "below"):
        assert str(tmp_path) in mistake(calque("generate", "--out", out, "--train", "100", "-q"))


def test_generate_writes_the_same_bytes_for_any_number_of_workers(
    calque: Run, tmp_path: Path
) -> None:
    for threads in ("1", "2"):
        result = calque(
            "generate", "--out", tmp_path / threads, "--train", "2500", "--threads", threads, "-q"
        )
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    one, two = (
        {file.name: file.read_bytes() for file in (tmp_path / threads).iterdir()}
        for threads in ("1", "2")
    )
    assert one == two
    assert len(one) == 12


def test_progress_is_plain_lines_in_a_log_and_nothing_when_quiet(
    calque: Run, tmp_path: Path
) -> None:
    loud = calque("generate", "--out", tmp_path / "a", "--train", "100")
    assert "generate train" in loud.stderr
    assert "\x1b" not in loud.stderr
    assert calque("generate", "--out", tmp_path / "b", "--train", "100", "-q").stderr == ""


def test_progress_is_a_bar_on_a_terminal(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "calque", "generate", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [*command, "--train", "100"], stderr=theirs, env={**os.environ, "TERM": "xterm"}
    )
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 4096):
            seen += piece
    except OSError:  # how Linux reports that the other end was closed
        pass
    os.close(ours)
    assert process.wait() == 0
    assert "━" in seen.decode(errors="replace")


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_half_file(tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "calque", "generate", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [*command, "--train", "10000000"], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".train*")) and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.3)
    os.killpg(process.pid, how)
    _, stderr = process.communicate()
    assert not [file for file in tmp_path.iterdir() if not file.name.startswith(".")]
    if how == signal.SIGINT:
        assert process.returncode == 130
        assert stderr.splitlines()[-1] == "calque: interrupted"
        assert not list(tmp_path.iterdir())


def test_a_closed_pipe_is_no_error(model: Path) -> None:
    command = f"{sys.executable} -m calque info --json {model} | true"
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True
    )
    assert (result.returncode, result.stderr.count("Error")) == (0, 0)


def check_demo(shown: str, folder: Path) -> None:
    """Both languages, a column per corpus in every row of the table, and all that it leaves."""
    assert "Velian" in shown
    assert "Oruka" in shown
    for name in ("untuned", *METHODS):
        [row] = re.findall(f"references, {name} +([0-9.]+) / [0-9.]+ +([0-9.]+) / [0-9.]+", shown)
        assert all(0 < float(bleu) < 100 for bleu in row)
    for pair in ("near", "far"):
        ModelFolder(folder / f"{pair}.model").verify()
    page = (folder / "report.html").read_text("utf-8")
    assert all(f"{pair}.runs/{name}" in page for pair in ("near", "far") for name in METHODS)


def test_the_demo_shows_both_pairs(
    verb: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demonstration, "SIZES", {"train": 1500, "dev": 30, "test": 40})
    check_demo(done(verb("demo", "--out", tmp_path)), tmp_path)


@pytest.mark.slow
def test_the_demo_of_the_readme_shows_both_pairs(calque: Run, tmp_path: Path) -> None:
    check_demo(done(calque("demo", "--out", tmp_path)), tmp_path)

"""Training that is interrupted, killed or out of space: the old model stays as it was."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from conftest import mistake

from calque.data import CorpusFiles, write_corpus
from calque.decode import load
from calque.model import ModelFolder
from calque.text.scratch import Scratch

SENTENCE = "el"
N_PAIRS_OLD = 400


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    """Enough text for every step of training to last a moment."""
    sizes = {"train": 3000, "dev": 1, "test": 1}
    return write_corpus(tmp_path_factory.mktemp("larger"), "near", sizes, seed=2)


@pytest.fixture
def old(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "model"))


def training(corpus: CorpusFiles, model: Path, *extra: str) -> list[str]:
    files = ["--source", corpus.train_source, "--target", corpus.train_target, "--model", model]
    return [sys.executable, "-m", "calque", "train", *map(str, files), *extra]


def content(model: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in model.iterdir() if file.name != ".lock"}


def interrupt(
    command: list[str], after: str, how: signal.Signals, temporary: Path
) -> tuple[int, list[str]]:
    """Runs a command up to the progress line that begins with `after`; its code and lines."""
    temporary.mkdir()
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "TMPDIR": str(temporary)},
    )
    assert process.stderr is not None
    lines: list[str] = []
    while not lines or not lines[-1].startswith(after):
        lines.append(process.stderr.readline())
        assert lines[-1], f"ended before '{after}': {lines}"
    os.killpg(process.pid, how)
    lines += process.communicate(timeout=60)[1].splitlines()
    return process.returncode, lines


def full_disk(
    command: list[str], n_bytes: int, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    """Runs a command that cannot write files beyond `n_bytes`."""

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, n_bytes))

    environment = {**os.environ, **environment}
    return subprocess.run(
        command, input=stdin, capture_output=True, text=True, preexec_fn=limit, env=environment
    )


@pytest.mark.parametrize("after", ["read", "align", "score blocks"])
def test_ctrl_c_leaves_the_old_model_and_nothing_else(
    larger: CorpusFiles, old: Path, tmp_path: Path, after: str
) -> None:
    before = content(old)
    code, lines = interrupt(training(larger, old), after, signal.SIGINT, tmp_path / "tmp")
    assert (code, lines[-1]) == (130, "calque: interrupted")
    assert not any("Traceback" in line for line in lines)
    assert content(old) == before
    assert not list((tmp_path / "tmp").iterdir())
    load(old).translate(SENTENCE)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_a_training_stopped_while_it_writes_leaves_the_old_model_or_the_new(
    larger: CorpusFiles, old: Path, tmp_path: Path, how: signal.Signals
) -> None:
    before = content(old)
    code, _ = interrupt(training(larger, old), "estimate", how, tmp_path / "tmp")
    folder = ModelFolder(old)
    folder.verify()
    if how == signal.SIGINT:
        assert code in (130, 0)  # 0 where it came too late
        named = {entry.file for entry in folder.manifest.entries.values()}
        assert set(content(old)) == {*named, "manifest.json"}
        assert not list((tmp_path / "tmp").iterdir())
    if folder.manifest.info["data"]["pairs"] == N_PAIRS_OLD:
        assert content(old).items() >= before.items()
    load(old).translate(SENTENCE)


def test_ctrl_c_ends_the_workers_too(larger: CorpusFiles, old: Path, tmp_path: Path) -> None:
    plain = ["--tokenize", "--source-language", "es", "--target-language", "en", "--threads", "2"]
    command = training(larger, old, *plain, "--casing", "true")
    before = content(old)
    code, lines = interrupt(command, "learn case", signal.SIGINT, tmp_path / "tmp")
    assert (code, lines[-1]) == (130, "calque: interrupted")
    assert not any("Traceback" in line for line in lines)
    assert content(old) == before
    assert not list((tmp_path / "tmp").iterdir())


@pytest.mark.parametrize("after", ["read", "align"])
def test_a_killed_training_leaves_the_old_model(
    larger: CorpusFiles, old: Path, tmp_path: Path, after: str
) -> None:
    before = content(old)
    code, _ = interrupt(training(larger, old), after, signal.SIGKILL, tmp_path / "tmp")
    assert code == -signal.SIGKILL
    assert content(old).items() >= before.items()
    ModelFolder(old).verify()
    load(old).translate(SENTENCE)


@pytest.mark.parametrize(
    ("memory", "where"),
    [(2000, "{old}: cannot be written"), (1, "{tmp}: working files cannot be created here")],
)
def test_a_full_disk_is_one_clear_line_and_leaves_the_old_model(
    larger: CorpusFiles, old: Path, tmp_path: Path, memory: int, where: str
) -> None:
    before = content(old)
    command = training(larger, old, "-q", "--set", f"blocks.memory_mb={memory}")
    result = full_disk(command, 50_000, TMPDIR=str(tmp_path))
    assert mistake(result) == f"{where.format(old=old, tmp=tmp_path)}: File too large"
    assert content(old) == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model"]
    ModelFolder(old).verify()


def test_a_full_disk_under_the_language_model_is_one_clear_line(
    larger: CorpusFiles, old: Path, tmp_path: Path
) -> None:
    result = full_disk(
        training(larger, old, "-q", "--set", "lm.memory_mb=1"), 50_000, TMPDIR=str(tmp_path)
    )
    assert mistake(result) == f"{tmp_path}: working files cannot be created here: File too large"


def test_a_full_disk_under_translate_leaves_no_half_file(
    larger: CorpusFiles, trained: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-m", "calque", "translate", "--model", str(trained), "-q"]
    result = full_disk([*command, "--output", str(out)], 100, stdin="x " * 1000 + "\n")
    assert mistake(result) == f"{out}: cannot be written: File too large"
    assert not list(tmp_path.iterdir())


def test_ctrl_c_while_working_files_are_removed_leaves_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    remove, interrupts = shutil.rmtree, [KeyboardInterrupt()]

    def interrupted(*arguments: Any, **options: Any) -> None:
        if interrupts:
            raise interrupts.pop()
        remove(*arguments, **options)

    monkeypatch.setattr(shutil, "rmtree", interrupted)
    with pytest.raises(KeyboardInterrupt), Scratch(1) as scratch:
        scratch.new_file().write_text("x")
    assert not list(tmp_path.iterdir())


IMPATIENT = """
import os, shutil, signal, sys, tempfile
from calque.text.scratch import Scratch
from calque.cli.main import end_once

tempfile.tempdir = sys.argv[1]
remove = shutil.rmtree

def removed_slowly(*arguments, **options):
    for _ in range(3):
        os.kill(os.getpid(), signal.SIGINT)
    remove(*arguments, **options)

shutil.rmtree = removed_slowly
end_once()
with Scratch(1) as scratch:
    scratch.new_file().write_text("x")
    os.kill(os.getpid(), signal.SIGINT)
"""


def test_ctrl_c_again_and_again_leaves_no_working_files(tmp_path: Path) -> None:
    command = [sys.executable, "-c", IMPATIENT, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.stderr.endswith("KeyboardInterrupt\n")
    assert not list(tmp_path.iterdir())

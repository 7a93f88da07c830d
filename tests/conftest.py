from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

from calque.cli.main import run as run_verb
from calque.config import FeatureOptions, TrainOptions
from calque.data import CorpusFiles, write_corpus
from calque.model.build import build
from calque.text import BitextFiles

Run = Callable[..., subprocess.CompletedProcess[str]]
# A shell starts background jobs with Ctrl-C ignored, and programs inherit that: not those of tests.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Properties are checked, never timed: the machine may be busy.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def calque() -> Run:
    """Runs the command line in a process of its own, as a user does."""

    def run(
        *arguments: object, stdin: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "calque", *(str(argument) for argument in arguments)],
            input=stdin,
            capture_output=True,
            text=True,
            env={**os.environ, "COLUMNS": "100", **environment},
            timeout=300,
        )

    return run


@pytest.fixture
def verb(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the command line in this process: the same lines and codes without the start."""

    def run(
        *arguments: object, stdin: str = "", columns: int = 100
    ) -> subprocess.CompletedProcess[str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        monkeypatch.setenv("COLUMNS", str(columns))
        capsys.readouterr()
        words = [str(argument) for argument in arguments]
        code = run_verb(words)
        said = capsys.readouterr()
        return subprocess.CompletedProcess(words, code, said.out, said.err)

    return run


def mistake(result: subprocess.CompletedProcess[str]) -> str:
    """The one line that tells of the user's mistake."""
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("calque: ")
    return lines[0].removeprefix("calque: ")


def done(result: subprocess.CompletedProcess[str]) -> str:
    """What a command that went well printed as its result."""
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    """A small corpus of the near pair."""
    folder = tmp_path_factory.mktemp("corpus")
    return write_corpus(folder, "near", {"train": 400, "dev": 10, "test": 40})


@pytest.fixture(scope="session")
def trained(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model of the small corpus; no test may change it."""
    path = tmp_path_factory.mktemp("trained") / "model"
    build(BitextFiles(corpus.train_source, corpus.train_target), path, threads=1)
    return path


@pytest.fixture(scope="session")
def standard(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same with the standard features, those that Moses has; no test may change it."""
    path = tmp_path_factory.mktemp("standard") / "model"
    options = TrainOptions(features=FeatureOptions.standard())
    build(BitextFiles(corpus.train_source, corpus.train_target), path, options, threads=1)
    return path


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; a test that needs it skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip(f"needs the real corpora in {SHARED}, which are not part of the project")
    return SHARED

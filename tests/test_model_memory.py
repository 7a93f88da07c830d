"""One limit for the memory of a whole training: steps share it, and the result is the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Run

from calque.blocks import extraction
from calque.config import BlockOptions, TrainOptions, fill
from calque.data import CorpusFiles
from calque.model import ModelFolder, memory
from calque.model.build import build
from calque.parallel import left_mb
from calque.parallel import memory as held
from calque.progress import Silent
from calque.text import BitextFiles
from calque.text.scratch import Scratch


class Told(Silent):
    """A listener that keeps warnings."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, message: str) -> None:
        self.warnings.append(message)


def test_a_step_takes_what_is_left_but_never_more_than_its_own_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(held, "status_mb", lambda field: {"RssAnon": 300.0}[field])
    assert left_mb(None, 2048, 1e9) == 2048
    assert left_mb(1000, 2048) == 700
    assert left_mb(1000, 2048, 100) == 600
    assert left_mb(5000, 2048) == 2048
    assert left_mb(100, 2048) == held.LEAST_MB
    assert left_mb(100, 10) == 10
    options = extraction.within(BlockOptions(memory_mb=500), 400, 1 << 20)
    assert options.memory_mb == (400 - 300 - extraction.PHRASE_BYTES) // 2


def test_a_limit_that_cannot_be_kept_is_told_and_changes_no_file(
    corpus: CorpusFiles, trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    class Seen(Scratch):
        def __init__(self, memory_mb: int) -> None:
            taken.append(memory_mb)
            super().__init__(memory_mb)

    monkeypatch.setattr(extraction, "Scratch", Seen)
    told = Told()
    options = fill(TrainOptions(), {"memory_mb": 1})
    text = BitextFiles(corpus.train_source, corpus.train_target)
    build(text, tmp_path / "model", options, threads=1, progress=told)
    assert taken == [held.LEAST_MB // 2]
    [warning] = [warning for warning in told.warnings if "memory_mb" in warning]
    assert warning.startswith("memory_mb=1 was not kept: this corpus needs ")
    assert "score blocks" in warning
    one, other = (ModelFolder(path).manifest.entries for path in (tmp_path / "model", trained))
    assert [entry.sha256 for entry in one.values()] == [entry.sha256 for entry in other.values()]


def test_the_command_line_says_what_was_held(
    corpus: CorpusFiles, calque: Run, tmp_path: Path
) -> None:
    files = ("--source", corpus.train_source, "--target", corpus.train_target)
    where = ("--model", tmp_path / "model", "--preset", "fast", "--set", "memory_mb=3000")
    result = calque("train", *files, *where, "--threads", "1")
    assert "memory: at most" in " ".join(result.stderr.split()), result.stderr
    assert "was not kept" not in result.stderr


def test_nothing_is_watched_without_a_limit() -> None:
    with memory.MemoryWatch(told := Told(), None) as watch:
        with watch.stage("a"):
            pass
        watch.report(1.0)
    assert told.warnings == []

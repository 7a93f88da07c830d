"""`--log F`: what a command told, with times, whatever it showed."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest
from conftest import Run, done, mistake

from calque.cli.verbs import VERBS
from calque.data import CorpusFiles

SHORT = {"info", "report", "score", "explain", "weights", "align", "lexicon", "calibrate"}
"""Verbs that are done in a moment, or tell of nothing on the way."""


def lines_of(log: Path) -> list[str]:
    """The lines of a log without their times."""
    lines = log.read_text().splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d ", line) for line in lines)
    return [line[20:] for line in lines]


@pytest.mark.parametrize("name", sorted(set(VERBS) - SHORT))
def test_every_long_command_has_a_log(name: str) -> None:
    assert "log" in inspect.signature(VERBS[name].load()).parameters


def test_steps_results_and_the_end_are_logged_also_when_quiet(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    files = [
        "--reference", corpus.test_references[0], "--system", corpus.test_references[1],
        "--system", corpus.test_references[2], "--metric", "bleu", "--tokenize", "none",
        "--trials", "100",
    ]  # fmt: skip
    shown = done(verb("compare", *files, "--log", log, "-q"))
    lines = lines_of(log)
    assert lines[0].startswith("calque compare: ")
    assert re.fullmatch(r"compare BLEU \(\d+\.\d s\)", lines[1])
    assert [line.rstrip() for line in shown.splitlines()] == lines[2:-1]
    assert re.fullmatch(r"done after \d+\.\d s", lines[-1])


def test_a_log_grows_and_tells_of_mistakes(verb: Run, trained: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    command = ["translate", "--model", trained, "--log", log, "-q"]
    done(verb(*command, stdin="a\n"))
    told = mistake(verb(*command, "--input", tmp_path / "nowhere"))
    lines = lines_of(log)
    assert [line.startswith("calque translate: ") for line in lines].count(True) == 2
    assert lines[-1].endswith(f" s: {told}")
    assert lines[-1].startswith("stopped after ")


def test_a_log_that_cannot_be_written_is_one_clear_line(
    verb: Run, trained: Path, tmp_path: Path
) -> None:
    log = tmp_path / "nowhere" / "log"
    told = mistake(verb("translate", "--model", trained, "--log", log, stdin="a\n"))
    assert told == f"{log}: cannot be written: No such file or directory"

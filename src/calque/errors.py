"""The errors a user can cause; the command line prints each as one line and exits with 2."""

from __future__ import annotations

from pathlib import Path


class CalqueError(Exception):
    """A mistake in what the user gave: the message says what, where and what was expected."""


class FileError(CalqueError):
    """A file that is missing, unreadable, unwritable or not what it should be."""

    def __init__(self, path: Path | str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")


class LineError(FileError):
    """A file with one bad line; `line` counts from 1."""

    def __init__(self, path: Path | str, line: int, problem: str) -> None:
        super().__init__(path, f"line {line}: {problem}")
        self.line = line


class OptionError(CalqueError):
    """An option with an unknown name or an impossible value."""


class ModelError(CalqueError):
    """A model folder that is incomplete, damaged, foreign or of another version."""

"""How long work tells of its progress without knowing who listens.

Library code takes a `Progress` and opens one `stage` per step. The default, `SILENT`, shows no
progress and passes warnings on to Python's `warnings`; `ProgressLines` prints a line per step; the
command line draws bars on a terminal. Any object with the two methods of `Progress` will do.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO, Protocol

from calque.errors import CalqueWarning, printable

LINE_EVERY_S = 30.0
"""How often a running stage says in a log that it is alive."""


class Stage(Protocol):
    """One step of the work; `advance` adds to what is done."""

    def advance(self, amount: float = 1) -> None:
        """Add `amount` to the work done."""

    def say(self, note: str) -> None:
        """Show `note` (a count, a score) as the stage's result."""


class Progress(Protocol):
    """A listener to the progress of long work."""

    def stage(self, name: str, total: float | None = None) -> AbstractContextManager[Stage]:
        """Open a step called `name`; `total` is its amount of work where known beforehand."""

    def warn(self, message: str) -> None:
        """Tell of something that the user should know but that does not stop the work."""


class SilentStage:
    """A step that nobody watches."""

    def advance(self, amount: float = 1) -> None:
        """Drop the amount."""

    def say(self, note: str) -> None:
        """Drop the note."""


class Silent:
    """A listener that shows no progress; warnings are `CalqueWarning`s of Python's own kind."""

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[Stage]:
        """Open a step that nobody watches."""
        yield SilentStage()

    def warn(self, message: str) -> None:
        """Issue a `CalqueWarning`, attributed to the line that called Calque."""
        warnings.warn(message, CalqueWarning, stacklevel=_depth_of_caller())


class ProgressLines:
    """A listener that prints a line when a step ends, and one every half minute while it runs."""

    def __init__(self, file: IO[str] | None = None) -> None:
        """Print to `file`; to the standard error of the moment where none is given."""
        self._file = file

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[Stage]:
        """Open a step that ends with a line: its name, its note and how long it took."""
        stage = _PrintedStage(name, total, self._print)
        yield stage
        stage.finish()

    def warn(self, message: str) -> None:
        """Print the message as a warning."""
        self._print(f"calque: warning: {printable(message)}")

    def _print(self, line: str) -> None:
        print(line, file=self._file or sys.stderr)


class _PrintedStage:
    def __init__(self, name: str, total: float | None, show: Callable[[str], None]) -> None:
        self._name, self._total, self._show = name, total, show
        self._done, self._note = 0.0, ""
        self._begin = self._spoken = time.monotonic()

    def advance(self, amount: float = 1) -> None:
        self._done += amount
        now = time.monotonic()
        if now - self._spoken >= LINE_EVERY_S:
            self._spoken = now
            share = f" {100 * self._done / self._total:.0f} %" if self._total else ""
            self._show(f"{self._name}:{share} after {now - self._begin:.0f} s")

    def say(self, note: str) -> None:
        self._note = note

    def finish(self) -> None:
        note = f": {self._note}" if self._note else ""
        seconds = time.monotonic() - self._begin
        self._show(f"{self._name}{note} ({seconds:.1f} s)")


def _depth_of_caller() -> int:
    """How many frames above its caller the code of the user is, as `warnings.warn` counts."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("calque."):
        depth, frame = depth + 1, frame.f_back
    return depth


SILENT: Progress = Silent()

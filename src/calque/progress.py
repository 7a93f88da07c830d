"""How long work tells of its progress without knowing who listens.

Library code takes a `Progress` and opens one `stage` per step; the default, `SILENT`, listens to
nothing. The command line passes an object that draws bars on a terminal or writes plain lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol


class Stage(Protocol):
    """One step of the work; `advance` adds to what is done."""

    def advance(self, amount: float = 1) -> None:
        """Add `amount` to the work done."""

    def say(self, note: str) -> None:
        """Show `note` (a count, a score) as the stage's result."""


class Progress(Protocol):
    """Whoever listens to the progress of long work."""

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
    """A listener that shows nothing."""

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[Stage]:
        """Open a step that nobody watches."""
        yield SilentStage()

    def warn(self, message: str) -> None:
        """Drop the message."""


SILENT: Progress = Silent()

"""What the user sees: results on stdout; bars, plain progress lines and warnings on stderr."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

from rich.console import Console as RichConsole
from rich.measure import Measurement
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table

from calque.cli.log import LogLines
from calque.progress import ProgressLines, SilentStage, Stage

NO_WIDTH = 10_000
"""Columns of an output that is no terminal."""


class Console:
    """Listens to progress (`calque.progress`) and prints results."""

    def __init__(self, quiet: bool = False, log: Path | None = None) -> None:
        """With `quiet` only results, warnings and errors are shown; `log` gets everything."""
        self.quiet = quiet
        self._log = None if log is None else LogLines(log)
        # A file or a pipe has no width: cutting a table there would lose what a program looks for.
        width = None if sys.stdout.isatty() else NO_WIDTH
        self.out = RichConsole(highlight=False, soft_wrap=width is not None, width=width)
        self._err = RichConsole(stderr=True, highlight=False)
        self._lines = ProgressLines()
        self._bars: Progress | None = None  # of a stage within which others may be opened

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[Stage]:
        """A step of the work: a bar on a terminal, lines in a log."""
        with self._shown(name, total) as shown:
            if self._log is None:
                yield shown
                return
            with self._log.stage(name, total) as kept:
                yield _BothStages(shown, kept)

    @contextmanager
    def _shown(self, name: str, total: float | None) -> Iterator[Stage]:
        if self.quiet:
            yield SilentStage()
        elif self._err.is_terminal:
            yield from self._bar(name, total)
        else:
            with self._lines.stage(name, total) as stage:
                yield stage

    def warn(self, message: str) -> None:
        """One line on stderr, shown even when quiet."""
        self._lines.warn(message)
        if self._log is not None:
            self._log.warn(message)

    def print(self, *things: object) -> None:
        """A result, on stdout; rich renders tables and markup."""
        self.out.print(*things)
        self._keep(*things)

    def print_whole(self, line: str) -> None:
        """A result that must not be broken, however narrow the terminal: something to copy."""
        self.out.print(line, soft_wrap=True)
        self._keep(line)

    def fits(self, table: Table) -> bool:
        """Whether a table has room in the terminal."""
        unlimited = self.out.options.update(max_width=NO_WIDTH)
        return Measurement.get(self.out, unlimited, table).maximum <= self.out.width

    def note(self, message: str) -> None:
        """A closing remark (what was written, what to type next), on stderr unless quiet."""
        if not self.quiet:
            self._err.print(message, soft_wrap=True, markup=False)
        if self._log is not None:
            self._log.write(message)

    def _keep(self, *things: object) -> None:
        """Write a result to the log as plain text."""
        if self._log is not None:
            text = io.StringIO()
            RichConsole(file=text, highlight=False, width=NO_WIDTH).print(*things, soft_wrap=True)
            self._log.write("\n".join(line.rstrip() for line in text.getvalue().split("\n")))

    def _bar(self, name: str, total: float | None) -> Iterator[Stage]:
        columns = (
            SpinnerColumn(finished_text="[green]✓[/]"),
            TextColumn("{task.description:<24}", markup=False),
            BarColumn(bar_width=28),
            TimeElapsedColumn(),
            TimeRemainingColumn(elapsed_when_finished=False),
            TextColumn("{task.fields[note]}", markup=False),
        )
        outer = self._bars
        with Progress(*columns, console=self._err) if outer is None else nullcontext(outer) as bars:
            self._bars = bars
            try:
                task = bars.add_task(name, total=total, note="")
                yield _BarStage(bars, task)
                completed = next(row for row in bars.tasks if row.id == task).completed or 1
                bars.update(task, total=completed, completed=completed)
            finally:
                self._bars = outer


class _BothStages:
    """A step that is shown and kept in the log."""

    def __init__(self, *stages: Stage) -> None:
        self._stages = stages

    def advance(self, amount: float = 1) -> None:
        for stage in self._stages:
            stage.advance(amount)

    def say(self, note: str) -> None:
        for stage in self._stages:
            stage.say(note)


class _BarStage:
    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task

    def advance(self, amount: float = 1) -> None:
        self._progress.advance(self._task, amount)

    def say(self, note: str) -> None:
        self._progress.update(self._task, note=note)

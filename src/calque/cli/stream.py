"""Input that comes while the output is read: a terminal, or a program at both ends of a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from calque.cli.console import Console
from calque.text import read_line_groups
from calque.text.files import STANDARD_STREAM

PROMPT = "> "


def is_typed(path: Path) -> bool:
    """Whether the input is what a user types at a terminal."""
    return path == STANDARD_STREAM and sys.stdin.isatty()


def is_seen(path: Path) -> bool:
    """Whether the output appears on a terminal, where a progress bar would be drawn over it."""
    return path == STANDARD_STREAM and sys.stdout.isatty()


def lines_as_they_come(path: Path, console: Console, out: IO[str]) -> Iterator[list[str]]:
    """The lines of a file, a pipe or a terminal, as many at a time as can be had without waiting.

    Whoever asks for more has answered the lines before: before the wait for the next ones all that
    was written to `out` is sent off, and a terminal shows a prompt.
    """
    prompts = is_typed(path) and not console.quiet
    groups = read_line_groups(path)
    while True:
        out.flush()
        if prompts:
            print(PROMPT, end="", file=sys.stderr, flush=True)
        lines = next(groups, None)
        if lines is None:
            break
        yield lines
    if prompts:
        print(file=sys.stderr)  # what the shell says next begins a line

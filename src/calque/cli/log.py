"""A log of what a command did: everything it told, with the time of every line."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from calque.cli.files import WRITES
from calque.errors import CalqueError, FileError
from calque.progress import ProgressLines

Log = Annotated[
    Path | None,
    typer.Option(
        "--log", metavar="F", help="Append a log of what happens, with times, to this file."
    ),
    WRITES,
]


class LogLines(ProgressLines):
    """Progress as lines at the end of a file, which stays closed between them."""

    def __init__(self, path: Path) -> None:
        """Take the file; it need not exist."""
        super().__init__()
        self._path = path

    def write(self, text: str) -> None:
        """Add the lines of a text; raises `FileError` where that is impossible."""
        now = f"{datetime.now():%Y-%m-%d %H:%M:%S}"
        try:
            with self._path.open("a", encoding="utf-8", errors="backslashreplace") as file:
                file.writelines(f"{now} {line}\n" for line in text.rstrip("\n").split("\n"))
        except OSError as error:
            raise FileError(self._path, f"cannot be written: {error.strerror}") from error

    def _print(self, line: str) -> None:
        self.write(line)


def logged(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb; where it has `--log F`, its beginning and end are told there, too."""

    @functools.wraps(verb)
    def run(**arguments: Any) -> None:
        path = arguments.get("log")
        if path is None:
            verb(**arguments)
            return
        log = LogLines(path)
        given = [f"{name}={value}" for name, value in arguments.items() if value is not None]
        log.write(f"calque {verb.__name__.strip('_')}: {', '.join(given)}")
        begin = time.monotonic()
        try:
            verb(**arguments)
        except BaseException as error:
            reason = str(error) if isinstance(error, CalqueError) else repr(error)
            log.write(f"stopped after {time.monotonic() - begin:.1f} s: {reason}")
            raise
        log.write(f"done after {time.monotonic() - begin:.1f} s")

    return run

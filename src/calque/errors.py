"""The errors a user can cause; the command line prints each as one line and exits with 2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

ALIKE = 0.4
"""How much of a name must be right for another one to be meant: from 0 to 1."""


class CalqueError(Exception):
    """A mistake in what the user gave: the message says what, where and what was expected."""

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickle would call the class with the message alone, which not every class can be made of.
        return _arrived, (type(self), self.args, vars(self))


def _arrived(kind: type[CalqueError], args: tuple[Any, ...], state: Mapping[str, Any]) -> Any:
    """An error that was raised in another process."""
    error = kind.__new__(kind, *args)
    vars(error).update(state)
    return error


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


class CalqueWarning(UserWarning):
    """Something that a user of the library should know but that does not stop the work."""


def refuse_text(name: str, value: object, expected: str) -> None:
    """Raise `OptionError` where `value` is a string: Python would take it apart, letter by letter.

    The error calls the argument `name` and says what was `expected` instead.
    """
    if isinstance(value, str):
        shown = value if len(value) <= 40 else f"{value[:37]}..."
        raise OptionError(f"{name}={shown!r} is a single string: expected {expected}")


def nearest(name: str, valid: Iterable[str], least: float = ALIKE) -> str | None:
    """The valid name that was probably meant, whatever its case."""
    import difflib  # here: it takes longer to import than most commands need it

    names = {each.lower(): each for each in valid}
    close = difflib.get_close_matches(name.lower(), list(names), n=1, cutoff=least)
    return names[close[0]] if close else None


def hint(name: str, valid: Iterable[str]) -> str:
    """What to write instead of a name that is not valid: `did you mean 'x'?`, or all there are."""
    valid = list(valid)
    near = nearest(name, valid)
    return f"did you mean '{near}'?" if near else f"expected one of {', '.join(valid)}"


def printable(message: str) -> str:
    """The message with control characters written out: what files hold must not steer a terminal.

    Ends of lines stay.
    """
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in message
    )

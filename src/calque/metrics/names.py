from __future__ import annotations

from collections.abc import Sequence

from calque.errors import OptionError, hint


def check_name(what: str, name: str, valid: Sequence[str]) -> None:
    """Raise an `OptionError` that names the nearest valid name, unless this one is valid."""
    if name not in valid:
        raise OptionError(f"unknown {what} '{name}'; {hint(name, valid)}")

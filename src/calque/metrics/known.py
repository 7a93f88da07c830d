from __future__ import annotations

from collections.abc import Sequence

from calque.errors import OptionError, hint


def known(what: str, name: str, valid: Sequence[str]) -> None:
    """Nothing, or an `OptionError` that names the nearest valid one."""
    if name not in valid:
        raise OptionError(f"unknown {what} '{name}'; {hint(name, valid)}")

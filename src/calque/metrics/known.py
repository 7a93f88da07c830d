from __future__ import annotations

import difflib
from collections.abc import Sequence

from calque.errors import OptionError


def known(what: str, name: str, valid: Sequence[str]) -> None:
    """Nothing, or an `OptionError` that names the nearest valid one."""
    if name not in valid:
        near = difflib.get_close_matches(name, valid, n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'?" if near else f"one of {', '.join(valid)}"
        raise OptionError(f"unknown {what} '{name}'; {hint}")

from __future__ import annotations

import os

from calque.errors import OptionError

MOST = 1_000_000
"""More threads than any machine runs."""


def n_workers(requested: int | None = None) -> int:
    """The number of threads or processes to run: `requested`, `CALQUE_THREADS`, or every core.

    Every core means those that this process may use (its affinity), not those of the machine.
    Results never depend on the answer; only time does.
    """
    if requested is None:
        text = os.environ.get("CALQUE_THREADS", "")
        if not text:
            return (
                len(os.sched_getaffinity(0))
                if hasattr(os, "sched_getaffinity")
                else (os.cpu_count() or 1)
            )
        if not text.isascii() or not text.isdigit() or len(text) > len(str(MOST)):
            raise OptionError(f"CALQUE_THREADS={text}: expected a whole number from 1 to {MOST:,}")
        requested = int(text)
    if not 1 <= requested <= MOST:
        raise OptionError(f"threads={requested}: expected a whole number from 1 to {MOST:,}")
    return requested

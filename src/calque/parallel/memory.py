"""How much memory this process holds, and what a limit leaves to a stage of its work."""

from __future__ import annotations

import resource
from pathlib import Path
from threading import Event, Thread

LEAST_MB = 64
"""What a stage may take however small the limit: with less it would not get on."""


def peak_memory() -> float:
    """The most memory that this process held at once, in MB."""
    peak = status_mb("VmHWM")
    if peak is None:  # not Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return peak


def status_mb(field: str) -> float | None:
    """A figure of the system about this process, or none where it keeps none (not Linux)."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    return float(status.partition(f"{field}:")[2].split()[0]) / 1024


def left_mb(limit: int | None, most: int, needed_mb: float = 0.0) -> int:
    """What a stage may take of a limit on the own memory of this process; `most` without a limit.

    Own memory is what no file stands behind. `needed_mb` are for what cannot go to files.
    """
    if limit is None:
        return most
    held = status_mb("RssAnon") or 0.0
    return min(most, max(LEAST_MB, int(limit - held - needed_mb)))


class OwnMemory:
    """Samples the memory that no file stands behind: what the system cannot take back if short."""

    def __init__(self, seconds: float = 0.01) -> None:
        """Take the time between two samples; they begin in a `with` block."""
        self._seconds = seconds
        self._peak = 0.0
        self._stopped = Event()
        self._thread = Thread(target=self._sample, daemon=True)

    def __enter__(self) -> OwnMemory:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def peak(self) -> float:
        """The most of it in MB since the last call; 0 where the system does not say."""
        peak, self._peak = max(self._peak, status_mb("RssAnon") or 0.0), 0.0
        return peak

    def _sample(self) -> None:
        while not self._stopped.wait(self._seconds):
            self._peak = max(self._peak, status_mb("RssAnon") or 0.0)

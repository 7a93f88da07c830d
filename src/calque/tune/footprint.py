"""How much memory and disk the candidates of a tuning take, told from its first sentences."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from calque.errors import CalqueError
from calque.hyps import CandidatePool

MEGABYTE = 1_000_000
BYTES_PER_FEATURE = 120
"""What a sparse feature takes while weights move: its key and column, and vectors over all."""
GROWTH = 0.75
"""How the number of different features grows with the text: as its length to this power. On
Multi30k it was 0.70 for word edges and rule ids, from 16 to 1,014 sentences."""
WAYS_OUT = "choose fewer families of sparse features, a shorter --list-length or a shorter text"


@dataclass(frozen=True)
class Footprint:
    """What the candidates of one round take, in bytes."""

    candidates: int
    """In memory, or in files where they exceed the limit."""
    features: int
    """What is kept per feature: in memory in any case."""
    limit: int
    """The memory for candidates."""

    @classmethod
    def of(cls, pool: CandidatePool, n_seen: int, n_sentences: int, memory_mb: int) -> Footprint:
        """An estimate from a pool with the candidates of the first `n_seen` sentences."""
        share = n_sentences / n_seen
        return cls(
            candidates=int(pool.store.n_bytes * share),
            features=int(len(pool.keys()) * share**GROWTH * BYTES_PER_FEATURE),
            limit=memory_mb << 20,
        )

    @property
    def in_files(self) -> bool:
        """Whether memory has no room for the candidates, which are there twice."""
        return 2 * self.candidates > self.limit

    @property
    def memory(self) -> int:
        """The memory that all of it takes, beside the model.

        Half of the limit is filled before candidates leave for files.
        """
        return self.features + (self.limit // 2 if self.in_files else 2 * self.candidates)

    @property
    def summary(self) -> str:
        """What a user wants to know beforehand."""
        where = ", which are kept in files" if self.in_files else ""
        return (
            f"about {_size(self.memory)} for {_size(self.candidates)} of candidates a round{where}"
        )


def check_room(footprint: Footprint, folder: Path | None) -> None:
    """Raise `CalqueError` where the machine has no room for the candidates of a round.

    `folder` is where a run keeps them.
    """
    free = free_memory()
    if free is not None and footprint.memory > free:
        raise CalqueError(
            f"tuning would take about {_size(footprint.memory)} of memory, but {_size(free)} are"
            f" free: {WAYS_OUT}"
        )
    if not footprint.in_files:
        return
    temporary = Path(tempfile.gettempdir())
    for place in {temporary, folder or temporary}:
        room = shutil.disk_usage(place).free
        if footprint.candidates > room:
            raise CalqueError(
                f"the candidates of a round take about {_size(footprint.candidates)} of disk, but"
                f" {_size(room)} are free in {place}: {WAYS_OUT}"
            )


def free_memory() -> int | None:
    """The bytes of memory that are free for this process; none where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        available = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(available.split()[1]) << 10
    except (OSError, StopIteration, ValueError, IndexError):
        return None


def _size(n_bytes: int) -> str:
    n_megabytes = n_bytes / MEGABYTE
    return f"{n_megabytes / 1000:,.1f} GB" if n_megabytes >= 1000 else f"{n_megabytes:,.0f} MB"

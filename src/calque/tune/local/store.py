"""The events that the local model learns from, some sentences at a time, in memory or in files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.text.arrays import read_arrays, write_arrays
from calque.tune.local.sets import EventSets

MEGABYTE = 1 << 20
PREFIX = "events-"


@dataclass(frozen=True, eq=False)
class Stretch:
    """The events of some sentences."""

    sets: EventSets
    is_held_out: NDArray[np.bool_]
    """Per event, whether it is only measured."""

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def n_bytes(self) -> int:
        """The size in memory."""
        return self.sets.n_bytes + self.is_held_out.nbytes


@dataclass(frozen=True, eq=False)
class Lesson:
    """A stretch as the learner takes it."""

    problem: _core.LocalProblem
    learned: NDArray[np.int64]
    """The events to learn from."""
    held_out: NDArray[np.int64]


class EventStore:
    """Stretches of events: as many as the memory may hold stay there, others go to files.

    Which do changes no result.
    """

    def __init__(
        self,
        stretches: Iterable[Stretch],
        values: NDArray[np.float32],
        n_pairs: int,
        *,
        memory_mb: int,
        folder: Path | None = None,
    ) -> None:
        """Take them one after the other; `values` has four numbers per block.

        What killed runs left in `folder` is removed.
        """
        for left in folder.glob(f"{PREFIX}*") if folder is not None else ():
            shutil.rmtree(left)
        self._values = values
        self._n_pairs = n_pairs
        self._files: Path | None = None
        self._kept: list[Lesson | Path] = []
        self.n_events = self.n_held_out = self.n_candidates = self.n_bytes = 0
        room = memory_mb * MEGABYTE
        for at, stretch in enumerate(stretches):
            self.n_events += len(stretch)
            self.n_held_out += int(stretch.is_held_out.sum())
            self.n_candidates += int(np.diff(stretch.sets.offsets)[stretch.sets.sets].sum())
            self.n_bytes += stretch.n_bytes
            if self.n_bytes <= room:
                self._kept.append(self._lesson(stretch))
                continue
            if self._files is None:
                self._files = Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder))
                weakref.finalize(self, shutil.rmtree, self._files, ignore_errors=True)
            path = self._files / f"{at:06}.npz"
            arrays = stretch.sets.to_arrays()
            write_arrays(path, {**arrays, "is_held_out": stretch.is_held_out})
            self._kept.append(path)

    def __len__(self) -> int:
        return len(self._kept)

    def __getitem__(self, index: int) -> Lesson:
        kept = self._kept[index]
        if isinstance(kept, Lesson):
            return kept
        arrays = read_arrays(kept)
        is_held_out = arrays.pop("is_held_out")
        return self._lesson(Stretch(EventSets.from_arrays(arrays), is_held_out))

    def _lesson(self, stretch: Stretch) -> Lesson:
        return Lesson(
            stretch.sets.problem(self._values, self._n_pairs),
            np.flatnonzero(~stretch.is_held_out),
            np.flatnonzero(stretch.is_held_out),
        )

"""Arrays in a folder that all workers of an engine see: what is too large to travel through it."""

from __future__ import annotations

import os
import socket
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from calque.errors import FileError
from calque.parallel import Engine, Here
from calque.text.arrays import read_arrays, write_arrays
from calque.text.files import replacing
from calque.text.mapped import checksum_of
from calque.text.working import WorkingFolder

Result = TypeVar("Result")

REMEMBERED = 4096
"""Files that a worker knows to be as they were written."""


@dataclass(frozen=True)
class StoredArray:
    """An array in a file of its own, which workers map: its name travels instead."""

    name: str
    checksum: str


@dataclass(frozen=True)
class SharedFolder:
    """A folder on a disk that this machine and all workers see under the same path.

    Every file is new and appears complete or not at all: what a lost worker wrote is in nobody's
    way. Methods raise `FileError` where a file cannot be written, is missing or is damaged, and
    where the machine does not see the folder.
    """

    path: Path

    def write(self, arrays: Mapping[str, NDArray[Any]]) -> str:
        """The name of a new file with these arrays."""
        path = self._new(".npz")
        write_arrays(path, arrays)
        return path.name

    def read(self, name: str, only: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
        """The arrays that `write` wrote, or some of them."""
        return read_arrays(self._known(name), only)

    def store(self, array: NDArray[Any]) -> StoredArray:
        """An array in a new file, to be mapped by many tasks."""
        path, array = self._new(".npy"), np.ascontiguousarray(array)
        header = np.lib.format.header_data_from_array_1_0(array)
        with replacing(path) as file:
            np.lib.format.write_array_header_1_0(file, header)
            file.write(array.data)  # not `write_array`, which does not tell why a disk refused
        return StoredArray(path.name, checksum_of(path))

    def map(self, stored: StoredArray) -> NDArray[Any]:
        """The array that `store` wrote, mapped; compared with its checksum once per process."""
        path = self._known(stored.name)
        _compare(path, stored.checksum)
        array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        return array

    def remove(self, *files: str | StoredArray) -> None:
        """Remove files that are no longer needed."""
        for file in files:
            name = file.name if isinstance(file, StoredArray) else file
            (self.path / name).unlink(missing_ok=True)

    def _new(self, suffix: str) -> Path:
        return self._known(uuid4().hex + suffix)

    def _known(self, name: str) -> Path:
        if not os.path.isdir(self.path):  # noqa: PTH112  (Path.is_dir raises where it may not look)
            raise FileError(
                self.path,
                f"the machine {socket.gethostname()} does not see this folder: expected the model"
                " on a disk that all machines of the cluster share",
            )
        return self.path / name


@lru_cache(maxsize=REMEMBERED)
def _compare(path: Path, checksum: str) -> None:
    try:
        found = checksum_of(path)
    except FileNotFoundError:
        raise FileError(path, "is missing") from None
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror or error}") from error
    if found != checksum:
        raise FileError(path, "is damaged: its checksum is not that of what was written")


@dataclass(frozen=True)
class Cluster:
    """An engine whose tasks run in other processes, and the folder that they share."""

    engine: Engine
    folder: SharedFolder

    def over_parts(
        self, task: Callable[[str], Result], parts: Iterable[Mapping[str, NDArray[Any]]]
    ) -> Iterator[Result]:
        """What a task gives for each part, in order; it is given the file with the part's arrays.

        A file is removed when its result has been used.
        """
        written: deque[str] = deque()

        def stored() -> Iterator[str]:
            for arrays in parts:
                written.append(self.folder.write(arrays))
                yield written[-1]

        for result in self.engine.ordered_map(task, stored()):
            yield result
            self.folder.remove(written.popleft())


@contextmanager
def cluster_beside(path: Path | str, engine: Engine | None) -> Iterator[Cluster | None]:
    """An engine with a working folder beside `path`, gone at the end; none for work in threads."""
    if engine is None or isinstance(engine, Here):
        yield None
        return
    # Locks may not reach other machines: each tidies up after its own commands alone.
    folder = WorkingFolder(f"{socket.gethostname()}@train", Path(path).absolute().parent)
    try:
        yield Cluster(engine, SharedFolder(folder.path))
    finally:
        folder.close()

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.errors import FileError
from calque.text.files import reserve
from calque.text.working import WorkingFolder

MEGABYTE = 1 << 20


class Scratch:
    """Arrays in memory up to a limit and in files of a temporary folder beyond it.

    The files lose their names when the scratch closes; arrays mapped from them stay valid, and the
    system frees the space with the last array.
    """

    def __init__(self, memory_mb: int, kind: str = "blocks") -> None:
        self.left = memory_mb * MEGABYTE
        self._folder = WorkingFolder(kind)
        self._n_files = 0
        self._lock = Lock()

    def __enter__(self) -> Scratch:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._folder.close()

    def new_file(self) -> Path:
        """The name of a file that does not exist yet."""
        with self._lock:
            self._n_files += 1
            return self._folder.path / str(self._n_files)

    def empty(self, shape: tuple[int, ...], dtype: type[Any]) -> NDArray[Any]:
        """A new array of zeros, in memory while there is some left."""
        n_bytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if self.take(n_bytes):
            return np.zeros(shape, dtype)
        with self.writing(), self.new_file().open("wb+") as file:
            reserve(file, n_bytes)
            return np.memmap(file, dtype, "r+", shape=shape)

    def offsets_of(self, lengths: NDArray[np.int32]) -> NDArray[np.int64]:
        """Where rows of these lengths begin when they lie one after the other, and their end."""
        offsets = self.empty((len(lengths) + 1,), np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return offsets

    def keep(self, array: NDArray[Any]) -> NDArray[Any]:
        """The array itself while there is memory left, else its copy in a file."""
        if self.take(array.nbytes):
            return array
        path = self.new_file()
        with self.writing():
            array.tofile(path)
        return np.memmap(path, array.dtype, "r", shape=array.shape)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turns errors of writing inside the block into a `FileError`."""
        try:
            yield
        except OSError as error:
            raise FileError(
                self._folder.path.parent,
                f"working files cannot be created here: {error.strerror or error}",
            ) from error

    def give_back(self, *arrays: NDArray[Any]) -> None:
        """Count the memory of arrays that are no longer needed as free."""
        self.left += sum(array.nbytes for array in arrays if not isinstance(array, np.memmap))

    def take(self, n_bytes: int) -> bool:
        """Whether so much memory was left, which is then taken."""
        with self._lock:
            if n_bytes > self.left and n_bytes > 0:  # a file cannot be empty and mapped
                return False
            self.left -= n_bytes
            return True


class Pieces:
    """Named arrays that grow piece by piece: in memory first, in one file each once it is full."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._pieces: dict[str, list[NDArray[Any]]] = defaultdict(list)
        self._files: dict[str, Path] = {}

    def append(self, piece: dict[str, NDArray[Any]]) -> None:
        """Add a piece to the end of every array."""
        # Twice: pieces and their concatenation exist side by side for a moment.
        n_bytes = 2 * sum(array.nbytes for array in piece.values())
        for name, array in piece.items():
            self._pieces[name].append(array)
        if self._files or not self._scratch.take(n_bytes):
            self._flush()

    def finish(self, name: str) -> NDArray[Any]:
        """The whole array; each may be asked for once."""
        pieces = self._pieces.pop(name)
        if name not in self._files:
            return np.concatenate(pieces)
        path = self._files.pop(name)
        if path.stat().st_size == 0:
            return np.empty(0, pieces[0].dtype)
        return np.memmap(path, pieces[0].dtype, "r+")

    def _flush(self) -> None:
        for name, pieces in self._pieces.items():
            path = self._files.setdefault(name, self._scratch.new_file())
            with self._scratch.writing(), path.open("ab") as file:
                for piece in pieces:
                    piece.tofile(file)
            self._pieces[name] = [pieces[0][:0]]  # its type

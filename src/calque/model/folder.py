from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from calque.errors import ModelError
from calque.model.manifest import Entry, Manifest
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.text.mapped import checksum_of

Result = TypeVar("Result")
MOST_TRIES = 20
"""How often reading begins anew because another process replaced the model meanwhile."""


class ModelFolder:
    """A model folder opened for reading.

    Opening checks that every file of the manifest is there with its size. What is read is checked
    against a checksum: text in full, arrays, which are memory-mapped, against one that costs a
    fraction of a second per gigabyte. `verify` compares the strong checksums of everything.
    """

    def __init__(self, path: Path | str) -> None:
        """Open the folder; raises `ModelError` naming the file that is missing or damaged."""
        self.path = Path(path)
        self.manifest = Manifest.read(self.path)
        try:
            self._check_files()
        except ModelError:
            # A writer may have replaced the model between the manifest and its files.
            again = Manifest.read(self.path)
            if again == self.manifest:
                raise
            self.manifest = again
            self._check_files()

    def __contains__(self, name: str) -> bool:
        return name in self.manifest.entries

    def names(self, prefix: str = "") -> list[str]:
        """The logical names that begin with `prefix`, sorted."""
        return sorted(name for name in self.manifest.entries if name.startswith(prefix))

    def array(self, name: str) -> NDArray[Any]:
        """The array of this name, memory-mapped and read-only."""
        self._compare(name)
        return self._map(name)

    def arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """The arrays whose names begin with `prefix`, by the rest of their names."""
        names = [name for name in self.names(prefix) if self._entry(name).file.endswith(".npy")]
        with ThreadPoolExecutor(n_workers()) as pool:
            list(pool.map(self._compare, names))
        # Mapped one after the other: numpy parses headers as Python, and Python's parser is not
        # safe from two threads up to version 3.11.
        return {name.removeprefix(prefix): self._map(name) for name in names}

    def _compare(self, name: str) -> None:
        """Raise `ModelError` where an array does not have its fast checksum, if it has one."""
        path, fast = self._path(name), self._entry(name).fast
        try:
            if fast and checksum_of(path) != fast:
                raise _damaged(path)
        except OSError as error:
            raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from error

    def _map(self, name: str) -> NDArray[Any]:
        path = self._path(name)
        try:
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        except Exception as error:  # a damaged header fails in every way that Python source can
            raise ModelError(f"{path}: not an array that numpy can open: {error}") from error
        if not isinstance(mapped, np.ndarray):
            raise ModelError(f"{path}: several arrays, expected one")
        return np.asarray(mapped)

    def text(self, name: str) -> str:
        """The text of this name."""
        path = self._path(name)
        try:
            data = path.read_bytes()
            if hashlib.sha256(data).hexdigest() != self._entry(name).sha256:
                raise _damaged(path)
            return data.decode("utf-8")
        except OSError as error:
            raise ModelError(f"{path}: cannot be read: {error.strerror or error}") from error
        except UnicodeDecodeError as error:
            raise ModelError(f"{path}: not UTF-8: {error}") from error

    def json(self, name: str) -> Any:
        """The JSON value of this name."""
        try:
            return json.loads(self.text(name))
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self._path(name)}: not JSON: {error}") from error

    def verify(self, progress: Progress = SILENT) -> None:
        """Read every file whole and compare it with its checksum; raises `ModelError`."""
        total = sum(entry.bytes for entry in self.manifest.entries.values())
        with progress.stage("check", total) as stage:
            for name, entry in self.manifest.entries.items():
                path = self._path(name)
                try:
                    with path.open("rb") as file:
                        digest = hashlib.file_digest(file, "sha256").hexdigest()
                except OSError as error:
                    raise ModelError(f"{path}: cannot be read: {error.strerror}") from error
                if digest != entry.sha256:
                    raise _damaged(path)
                stage.advance(entry.bytes)

    def _entry(self, name: str) -> Entry:
        try:
            return self.manifest.entries[name]
        except KeyError:
            raise ModelError(f"{self.path}: the model has no '{name}'") from None

    def _path(self, name: str) -> Path:
        return self.path / self._entry(name).file

    def _check_files(self) -> None:
        for entry in self.manifest.entries.values():
            path = self.path / entry.file
            try:
                size = path.stat().st_size
            except OSError:
                raise ModelError(f"{path}: missing from the model folder") from None
            if size != entry.bytes:
                raise ModelError(
                    f"{path}: has {size:,} bytes, the manifest says {entry.bytes:,}:"
                    " truncated or foreign"
                )


def read_folder(path: Path | str, read: Callable[[ModelFolder], Result]) -> Result:
    """What `read` makes of a model folder; it begins anew where another process replaces the model.

    Files of the old model vanish with it, so that reading may miss one that was there before.
    """
    for _ in range(MOST_TRIES):
        folder = ModelFolder(path)
        try:
            return read(folder)
        except ModelError:
            if Manifest.read(folder.path) == folder.manifest:
                raise
    raise ModelError(f"{path}: other processes keep replacing the model")


def _damaged(path: Path) -> ModelError:
    return ModelError(f"{path}: the content does not match its checksum: edited or damaged")

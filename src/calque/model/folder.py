from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.errors import ModelError
from calque.model.manifest import Entry, Manifest
from calque.progress import SILENT, Progress


class ModelFolder:
    """A model folder opened for reading.

    Opening checks that every file of the manifest is there with its size. What is read whole
    (vocabularies, weights, settings) is checked against its checksum; arrays are memory-mapped,
    so opening a model of any size is instant, and are checked in full only by `verify`.
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
        path = self._path(name)
        try:
            mapped = np.load(path, mmap_mode="r", allow_pickle=False)
        except (ValueError, OSError, EOFError) as error:
            raise ModelError(f"{path}: not an array that numpy can open: {error}") from error
        return np.asarray(mapped)

    def text(self, name: str) -> str:
        """The text of this name."""
        path = self._path(name)
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != self._entry(name).sha256:
            raise _damaged(path)
        return data.decode("utf-8")

    def json(self, name: str) -> Any:
        """The JSON value of this name."""
        return json.loads(self.text(name))

    def verify(self, progress: Progress = SILENT) -> None:
        """Read every file whole and compare it with its checksum; raises `ModelError`."""
        total = sum(entry.bytes for entry in self.manifest.entries.values())
        with progress.stage("check", total) as stage:
            for name, entry in self.manifest.entries.items():
                path = self._path(name)
                with path.open("rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
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


def _damaged(path: Path) -> ModelError:
    return ModelError(f"{path}: the content does not match its checksum: edited or damaged")

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from calque._core import Checksum
from calque.errors import CalqueError, FileError, ModelError
from calque.model.manifest import FILE_NAME, OUR_FILE, Entry, Manifest
from calque.text.files import PART, take_lock
from calque.text.mapped import hex_digits

LOCK = ".lock"
ARRAY = ".npy"


class ModelWriter:
    """Writes a model folder so that readers see the old model or the new one, never half.

        with ModelWriter(path) as writer:
            writer.array("blocks/scores", scores)
            writer.text("vocabulary/source", vocabulary.to_text())
            writer.commit({"seed": 1})

    Files are named by their content, so a new model never overwrites a file of the old one. All of
    them are on disk before the manifest is replaced, in one rename, by the new one; whatever the
    new manifest does not name is deleted afterwards. Leaving without `commit` (an error, Ctrl-C,
    kill -9) leaves the old model as it was, and the next writer removes what was left behind.
    """

    def __init__(self, path: Path | str, *, update: bool = False) -> None:
        """Prepare to write to `path`; with `update`, what the model has stays unless replaced."""
        self.path = Path(path)
        self._update = update
        self._manifest = Manifest()
        self._lock: IO[bytes] | None = None

    def check(self) -> None:
        """Make the folder, or raise the error that writing to it would end in; changes no model.

        Where a model is to be updated, there must be one.
        """
        if self._update:
            Manifest.read(self.path)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            problem = "is a file, expected a folder" if self.path.is_file() else error.strerror
            raise FileError(self.path, f"cannot be written: {problem}") from error
        self._refuse_foreign_folder()
        self._take_lock().close()

    @classmethod
    @contextmanager
    def prepared(cls, path: Path | str) -> Iterator[None]:
        """A block of work for a model that is to be written; see `check`.

        A folder that was made for it goes again where the work fails.
        """
        writer, is_new = cls(path), not Path(path).exists()
        writer.check()
        try:
            yield
        except BaseException:
            if is_new and not (writer.path / FILE_NAME).exists():
                (writer.path / LOCK).unlink(missing_ok=True)
                with suppress(OSError):  # not empty: others have put something there
                    writer.path.rmdir()
            raise

    def __enter__(self) -> ModelWriter:
        self.check()
        self._lock = self._take_lock()
        try:
            if self._update:
                self._manifest = Manifest.read(self.path)
            self._sweep()
        except BaseException:
            self._lock.close()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        try:
            self._sweep()
        finally:
            if self._lock is not None:
                self._lock.close()

    def array(self, name: str, values: NDArray[Any]) -> None:
        """Add an array under a logical name (`blocks/scores`)."""
        self._manifest = self._manifest.with_entry(name, self._write_array(name, values))

    def arrays(self, arrays: Mapping[str, NDArray[Any]], threads: int) -> None:
        """Add arrays under logical names, several at a time; the result is that of one by one."""
        with ThreadPoolExecutor(threads) as pool:
            entries = list(pool.map(self._write_array, *zip(*arrays.items(), strict=True)))
        for name, entry in zip(arrays, entries, strict=True):
            self._manifest = self._manifest.with_entry(name, entry)

    def text(self, name: str, text: str) -> None:
        """Add a text under a logical name."""
        self._add(name, ".txt", lambda file: file.write(text.encode("utf-8")))

    def json(self, name: str, value: Any) -> None:
        """Add a JSON value under a logical name."""
        text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
        self._add(name, ".json", lambda file: file.write(text.encode("utf-8")))

    def discard(self, name: str) -> None:
        """Leave out what the model has under a logical name, if anything."""
        self._manifest = self._manifest.without_entry(name)

    def commit(self, info: Mapping[str, Any]) -> None:
        """Make what was added the model, in one step; `info` joins the manifest's, none removes."""
        joined = {**self._manifest.info, **_writable(info)}
        merged = {name: value for name, value in joined.items() if value is not None}
        manifest = Manifest(self._manifest.entries, merged)
        part = self.path / (FILE_NAME + PART)
        try:
            part.unlink(missing_ok=True)  # never through a link that lies there
            with part.open("x", encoding="utf-8") as file:
                file.write(manifest.to_json())
                file.flush()
                os.fsync(file.fileno())
            self._sync_folder()
            part.replace(self.path / FILE_NAME)
            self._sync_folder()
        except OSError as error:
            raise _cannot_write(self.path, error) from error
        self._manifest = manifest

    def _add(self, name: str, suffix: str, write: Callable[[Any], object]) -> None:
        self._manifest = self._manifest.with_entry(name, self._write(name, suffix, write))

    def _write_array(self, name: str, values: NDArray[Any]) -> Entry:
        values = np.ascontiguousarray(values)
        return self._write(
            name, ARRAY, lambda file: np.lib.format.write_array(file, values, allow_pickle=False)
        )

    def _write(self, name: str, suffix: str, write: Callable[[Any], object]) -> Entry:
        """The entry of a new file, which is on disk under its final name."""
        part = self.path / (name.replace("/", ".") + PART)
        try:
            part.unlink(missing_ok=True)
            with part.open("xb") as file:
                hashing = _HashingFile(file)
                write(hashing)
                file.flush()
                os.fsync(file.fileno())
                size = file.tell()
            digest = hashing.digest()
            final = f"{name.replace('/', '.')}.{digest[:12]}{suffix}"
            part.replace(self.path / final)
        except OSError as error:
            raise _cannot_write(self.path, error) from error
        return Entry(final, size, digest, hashing.fast() if suffix == ARRAY else "")

    def _refuse_foreign_folder(self) -> None:
        if (self.path / FILE_NAME).exists():
            return
        for file in self.path.iterdir():
            if not _is_ours(file.name):
                raise ModelError(
                    f"{self.path}: holds other files ({file.name}) and no model:"
                    " expected a new folder, an empty one or a model to replace"
                )

    def _take_lock(self) -> IO[bytes]:
        try:
            return take_lock(self.path / LOCK)
        except BlockingIOError:
            raise ModelError(f"{self.path}: another process is writing this model") from None
        except OSError as error:
            raise _cannot_write(self.path / LOCK, error) from error

    def _sweep(self) -> None:
        """Delete files of ours that the manifest on disk does not name."""
        try:
            named = {entry.file for entry in Manifest.read(self.path).entries.values()}
        except ModelError:
            if (self.path / FILE_NAME).exists():
                return  # damaged or of another version: only a commit may replace it
            named = set()
        for file in self.path.iterdir():
            if file.name != LOCK and _is_ours(file.name) and file.name not in named:
                file.unlink(missing_ok=True)

    def _sync_folder(self) -> None:
        folder = os.open(self.path, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


class _HashingFile:
    """A file that takes the checksums of what is written to it on the way."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._hash = hashlib.sha256()
        self._fast = Checksum()

    def write(self, data: bytes) -> int:
        self._hash.update(data)
        self._fast.update(np.frombuffer(data, np.uint8))
        return self._file.write(data)

    def digest(self) -> str:
        return self._hash.hexdigest()

    def fast(self) -> str:
        return hex_digits(self._fast)


def _writable(info: Mapping[str, Any]) -> dict[str, Any]:
    """What is known of a model as JSON; names of files that are no text have question marks."""
    text = json.dumps(dict(info), ensure_ascii=False).encode("utf-8", "replace")
    return dict(json.loads(text))


def _is_ours(name: str) -> bool:
    return name == LOCK or name.endswith(PART) or OUR_FILE.fullmatch(name) is not None


def _cannot_write(path: Path, error: OSError) -> CalqueError:
    return FileError(path, f"cannot be written: {error.strerror or error}")

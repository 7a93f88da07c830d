"""Compressed files: gzip, bzip2 and xz, told by their first bytes when read, by name when made."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, BinaryIO, TypeAlias, cast

MAGIC_BYTES = 6
"""How many bytes of a file `compression_of` wants to see."""
SUFFIXES = (".gz", ".bz2", ".xz")
"""Names of compressed files end like this."""
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError)
"""What reading a damaged file may raise; bzip2 raises an `OSError` without a number."""

_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ\x00": ".xz"}
Packed: TypeAlias = gzip.GzipFile | bz2.BZ2File | lzma.LZMAFile


def compression_of(head: bytes) -> str | None:
    """The suffix of the compression that a file with these first bytes has."""
    kinds = (suffix for magic, suffix in _MAGIC.items() if head.startswith(magic))
    return next(kinds, None)


def unpacked(file: BinaryIO, suffix: str) -> BinaryIO:
    """The content of a compressed file that is open for reading."""
    return cast(BinaryIO, _READERS[suffix](file))


def packing(file: IO[bytes], path: Path) -> Packed | None:
    """What compresses into an open file as the name of `path` asks; nothing where it does not."""
    if path.suffix == ".gz":
        # No name and no time in the header: the same text gives the same bytes.
        return gzip.GzipFile("", "wb", compresslevel=6, fileobj=file, mtime=0)
    if path.suffix == ".bz2":
        return bz2.BZ2File(file, "wb")
    return lzma.LZMAFile(file, "wb") if path.suffix == ".xz" else None


def position_of(file: BinaryIO, n_read: int) -> int:
    """How far into the file on disk reading has come after `n_read` bytes of its content."""
    return file.packed.tell() if isinstance(file, _GzipReader | _Bz2Reader | _XzReader) else n_read


class _GzipReader(gzip.GzipFile):
    def __init__(self, file: BinaryIO) -> None:
        super().__init__(fileobj=file)
        self.packed = file


class _Bz2Reader(bz2.BZ2File):
    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self.packed = file


class _XzReader(lzma.LZMAFile):
    def __init__(self, file: BinaryIO) -> None:
        super().__init__(file)
        self.packed = file


_READERS: dict[str, Callable[[BinaryIO], Packed]] = {
    ".gz": _GzipReader,
    ".bz2": _Bz2Reader,
    ".xz": _XzReader,
}

"""Arrays mapped from files: checked before anything looks into them.

A number that points outside its table would otherwise crash the kernels, which trust their arrays.
Whole arrays are gone through piece by piece, and each piece is forgotten when it has been seen: a
model that is only checked takes no memory.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque._core import Checksum
from calque.errors import ModelError

PIECE_BYTES = 1 << 20


def checksum_of(path: Path) -> str:
    """The fast checksum of a file: 16 hex digits."""
    checksum, piece = Checksum(), np.empty(PIECE_BYTES, np.uint8)
    with path.open("rb", buffering=0) as file:
        while n := file.readinto(piece.data):
            checksum.update(piece[:n])
    return hex_digits(checksum)


def hex_digits(checksum: Checksum) -> str:
    """A checksum as text."""
    return f"{checksum.value():016x}"


def pieces(array: NDArray[Any], overlap: int = 0) -> Iterator[NDArray[Any]]:
    """The rows of an array, some at a time; each piece begins with the last `overlap` before it.

    What a mapped array has read of its file is forgotten piece by piece.
    """
    if not len(array):
        return
    n_rows = max(1, PIECE_BYTES // max(1, array[:1].nbytes))
    for first in range(0, len(array), n_rows):
        yield array[max(0, first - overlap) : first + n_rows]
        forget(array)


def forget(*arrays: NDArray[Any]) -> None:
    """Give back the memory of what was read or written of mapped arrays; it stays in their files.

    Arrays that are memory of their own stay as they are.
    """
    for array in arrays:
        mapped = _mapping(array)
        if mapped is not None:
            mapped.madvise(mmap.MADV_DONTNEED)


def check_offsets(what: str, offsets: NDArray[np.int64], size: int) -> None:
    """Raise `ModelError` unless offsets begin at 0, never fall and end at `size`."""
    if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != size:
        raise ModelError(f"{what} does not delimit {size} entries")
    for piece in pieces(offsets, overlap=1):
        if (piece[1:] < piece[:-1]).any():
            raise ModelError(f"{what} falls: expected offsets that rise")


def check_ids(what: str, ids: NDArray[Any], end: int, first: int = 0) -> None:
    """Raise `ModelError` unless all numbers are at least `first` and below `end`."""
    for piece in pieces(ids):
        for value in (piece.min(), piece.max()):
            if not first <= value < end:
                raise ModelError(f"{what} has {value}, expected {first} to {end - 1}")


def check_finite(what: str, values: NDArray[np.float32]) -> None:
    """Raise `ModelError` unless all numbers are finite."""
    for piece in pieces(values):
        if not np.isfinite(piece).all():
            raise ModelError(f"{what} has a value that is not a finite number")


def _mapping(array: NDArray[Any]) -> mmap.mmap | None:
    """The file that an array is mapped from; none where it is memory of its own."""
    base: Any = array
    while isinstance(base, np.ndarray):
        # Not "c": what is written to a private copy would be lost.
        if isinstance(base, np.memmap) and base.mode != "c" and hasattr(mmap, "MADV_DONTNEED"):
            base = base._mmap  # type: ignore[attr-defined]  # numpy shows it nowhere else
            return base if isinstance(base, mmap.mmap) else None
        base = base.base
    return None

"""Arrays by name in .npz files, which appear complete and on disk, or not at all."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.errors import FileError
from calque.text.files import replacing


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays by name."""
    with replacing(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_arrays(path: Path, only: Sequence[str] | None = None) -> dict[str, NDArray[Any]]:
    """The arrays that `write_arrays` wrote, all or some.

    Raises `FileError` where they are gone or damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:  # what is packed may unpack to more than memory
            if any(part.compress_type != zipfile.ZIP_STORED for part in archive.infolist()):
                raise FileError(path, "is packed: expected arrays as they were written")
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in (arrays.files if only is None else only)}
    except FileNotFoundError:
        raise FileError(path, "is missing") from None
    except PermissionError as error:
        raise FileError(path, f"cannot be read: {error.strerror}") from error
    except FileError:
        raise
    except Exception as error:  # zipfile has an error of its own for each kind of damage
        raise FileError(path, "is damaged: expected arrays in an .npz file") from error

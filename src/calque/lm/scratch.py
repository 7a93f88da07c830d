from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.errors import FileError
from calque.text.files import reserve


class Scratch:
    """Where working arrays live: in memory, or mapped from files of a temporary folder.

    The files have no name from the moment they exist (they vanish with the last array that maps
    them, even when the process is killed).
    """

    def __init__(self, on_disk: bool, folder: str | None = None) -> None:
        self.on_disk = on_disk
        self._folder = folder

    def zeros(self, shape: int | tuple[int, ...], dtype: Any) -> NDArray[Any]:
        """An array of zeros; pages that are never written cost no memory."""
        if not self.on_disk or np.prod(shape) == 0:  # nothing cannot be mapped
            return np.zeros(shape, dtype)
        try:
            with tempfile.TemporaryFile(dir=self._folder) as file:
                reserve(file, int(np.prod(shape)) * np.dtype(dtype).itemsize)
                return np.memmap(file, dtype, "r+", shape=shape)
        except OSError as error:
            folder = Path(self._folder or tempfile.gettempdir())
            raise FileError(
                folder, f"working files cannot be created here: {error.strerror}"
            ) from error

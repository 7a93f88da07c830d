from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.errors import FileError, ModelError
from calque.hyps.lists import PackedTexts
from calque.text.arrays import read_arrays, write_arrays
from calque.text.mapped import check_ids, check_offsets

MOST_COUNT = 255


@dataclass(frozen=True, eq=False)
class Part:
    """Candidates that arrived together, sentences ascending; what a store is made of."""

    sentences: NDArray[np.int64]
    dense: NDArray[np.float64]
    row_offsets: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[Any]
    """uint8 where all are small counts, otherwise float64."""
    statistics: NDArray[np.float64]
    n_words: NDArray[np.int32]
    text_data: NDArray[np.uint8]
    text_offsets: NDArray[np.int64]
    new_keys: NDArray[np.uint64]
    """Of the sparse features that appeared here for the first time, in the order of columns."""

    def __len__(self) -> int:
        return len(self.sentences)

    @property
    def n_bytes(self) -> int:
        """The memory that it takes."""
        return sum(getattr(self, field.name).nbytes for field in fields(self))

    @property
    def texts(self) -> PackedTexts:
        """The candidates as users read them."""
        return PackedTexts(self.text_data, self.text_offsets)

    def write(self, path: Path) -> None:
        """Write the part as an .npz file, which appears complete or not at all."""
        write_arrays(path, {field.name: getattr(self, field.name) for field in fields(self)})

    @classmethod
    def load(cls, path: Path) -> Part:
        """The part in a file that `write` wrote."""
        try:
            part = cls(**read_arrays(path))
            part._check()
            return part
        except (TypeError, ValueError, IndexError, ModelError) as error:
            raise FileError(path, f"not a part of a pool: {error}") from error

    def _check(self) -> None:
        """Raise where the arrays do not belong together."""
        n = len(self.sentences)
        kinds = {
            "sentences": (np.int64, (n,)),
            "dense": (np.float64, (n, self.dense.shape[1])),
            "row_offsets": (np.int64, (n + 1,)),
            "columns": (np.int32, (len(self.values),)),
            "statistics": (np.float64, (n, self.statistics.shape[1])),
            "n_words": (np.int32, (n,)),
            "text_data": (np.uint8, (len(self.text_data),)),
            "text_offsets": (np.int64, (n + 1,)),
            "new_keys": (np.uint64, (len(self.new_keys),)),
        }
        for name, (kind, shape) in kinds.items():
            array = getattr(self, name)
            if array.dtype != kind or array.shape != shape:
                raise ValueError(f"'{name}' is {array.dtype} of shape {array.shape}")
        if self.values.dtype not in (np.uint8, np.float64) or self.values.ndim != 1:
            raise ValueError(f"'values' is {self.values.dtype} of shape {self.values.shape}")
        check_offsets("'row_offsets'", self.row_offsets, len(self.columns))
        check_offsets("'text_offsets'", self.text_offsets, len(self.text_data))
        check_ids("'columns'", self.columns, np.iinfo(np.int32).max)
        check_ids("'sentences'", self.sentences, np.iinfo(np.int32).max)
        if (np.diff(self.sentences) < 0).any():
            raise ValueError("'sentences' falls")
        self.text_data.tobytes().decode("utf-8")


def small(values: NDArray[Any]) -> NDArray[Any]:
    """The values as bytes where these hold them all, otherwise as they are."""
    if len(values) and not ((values >= 0) & (values <= MOST_COUNT)).all():
        return values.astype(np.float64)
    bytes_ = values.astype(np.uint8)
    return bytes_ if (bytes_ == values).all() else values.astype(np.float64)

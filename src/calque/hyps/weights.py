"""Named weights in a text file: what tuning on n-best lists writes and re-ranking reads."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path

from calque.errors import FileError, LineError
from calque.features.weights import KEY
from calque.text import read_lines, write_lines


def write_weights(path: Path | str, weights: Mapping[str, float]) -> None:
    """One `name value` per line; every number comes back bit for bit."""
    write_lines(path, [f"{name} {value!r}" for name, value in weights.items()])


def read_weights(path: Path | str) -> dict[str, float]:
    """The weights of a file; `name= v v` of several values gives name_0, name_1, as in lists.

    `#` and 16 hex digits are the key of a sparse feature; other lines with a `#` are comments.
    """
    weights: dict[str, float] = {}
    for number, line in enumerate(read_lines(path), 1):
        label, *fields = line.split() or ["#"]
        if label.startswith("#") and not KEY.fullmatch(label):
            continue
        try:
            values = [float(field) for field in fields]
        except ValueError:
            values = []
        if not values:
            raise LineError(path, number, "expected 'name value'")
        name = label.rstrip("=:") or label
        names = [name] if len(values) == 1 else [f"{name}_{i}" for i in range(len(values))]
        for one, value in zip(names, values, strict=True):
            if one in weights:
                raise LineError(path, number, f"'{one}' is given twice")
            if not math.isfinite(value):
                raise LineError(path, number, f"the weight of '{one}' is {value}, expected finite")
            weights[one] = value
    if not weights:
        raise FileError(path, "has no weights: expected lines of 'name value'")
    return weights

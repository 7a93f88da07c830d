"""Named weights in a text file: what tuning on n-best lists writes and re-ranking reads."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

from calque.errors import FileError, LineError
from calque.features.weights import KEY, Weights, key_name
from calque.text import open_output, read_lines


def write_weights(
    path: Path | str, weights: Weights, name_of: Callable[[int], str] = key_name
) -> None:
    """One `name value` per line; every number comes back bit for bit.

    `name_of` names the keys of sparse features.
    """
    arrays = weights.sparse.to_arrays()
    sparse = zip(arrays["keys"].tolist(), arrays["values"], strict=True)
    with open_output(path) as file:
        file.writelines(f"{name} {value!r}\n" for name, value in weights.items())
        file.writelines(f"{name_of(key)} {value!s}\n" for key, value in sparse)


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
        for feature, value in zip(names, values, strict=True):
            if feature in weights:
                raise LineError(path, number, f"'{feature}' is given twice")
            if not math.isfinite(value):
                raise LineError(
                    path, number, f"the weight of '{feature}' is {value}, expected finite"
                )
            weights[feature] = value
    if not weights:
        raise FileError(path, "has no weights: expected lines of 'name value'")
    return weights

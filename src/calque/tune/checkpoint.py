"""Weights and states of trainers as arrays in .npz files, which appear complete or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError, FileError
from calque.features import SparseWeights, Weights
from calque.text.files import replacing


def write_weights(path: Path, weights: Weights) -> None:
    """Write weights: names and values of the dense ones, keys and values of the sparse."""
    write_arrays(
        path,
        {
            "names": np.array(list(weights), np.str_),
            "dense": np.array(list(weights.values()), np.float64),
            **weights.sparse.to_arrays(),
        },
    )


def read_weights(path: Path) -> Weights:
    """The weights that `write_weights` wrote, bit for bit."""
    arrays = read_arrays(path)
    try:
        dense = zip(arrays["names"].tolist(), arrays["dense"].tolist(), strict=True)
        return Weights(dict(dense), SparseWeights.from_arrays(arrays["keys"], arrays["values"]))
    except (KeyError, ValueError, CalqueError) as error:
        raise FileError(path, f"holds no weights: {error}") from error


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays by name."""
    with replacing(path) as file:
        np.savez(file, allow_pickle=False, **arrays)


def read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays that `write_arrays` wrote."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except FileNotFoundError:
        raise FileError(path, "is missing from the run") from None
    except Exception as error:  # zipfile has an error of its own for each kind of damage
        raise FileError(path, f"not a checkpoint, or damaged: {error}") from error

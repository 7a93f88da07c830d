"""Weights as arrays in files: what a run goes on from."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from calque.errors import CalqueError, FileError
from calque.features import SparseWeights, Weights
from calque.text.arrays import read_arrays, write_arrays


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

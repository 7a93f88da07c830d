"""Weights in a model folder: dense ones as text, sparse ones as two arrays beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calque.errors import CalqueError, ModelError, OptionError
from calque.features import SparseWeights, Weights
from calque.model.folder import ModelFolder
from calque.model.writer import ModelWriter

DEFAULT = "default"
"""The name of the weights that every model is born with."""
ARRAYS = ("keys", "values")


def check_name(name: str) -> None:
    """Raise `OptionError` where weights cannot be added to a model under this name."""
    if not name or not all(c.isascii() and (c.isalnum() or c in "-_.") for c in name):
        raise OptionError(f"weights '{name}': expected a name of letters, digits, '-', '_' or '.'")
    if name == DEFAULT:
        raise OptionError(
            f"weights '{name}': these are the untuned ones, which stay: expected another name"
        )


def write_weights(writer: ModelWriter, name: str, weights: Weights) -> None:
    """Add weights to a model under a name, or replace those of that name."""
    writer.text(f"weights/{name}", weights.dense_text())
    arrays = weights.sparse.to_arrays() if len(weights.sparse) else {}
    for part in ARRAYS:
        if part in arrays:
            writer.array(f"weights/{name}/{part}", arrays[part])
        else:
            writer.discard(f"weights/{name}/{part}")


def read_weights(folder: ModelFolder, name: str | None = None) -> Weights:
    """The weights of a model, its active ones or those called `name`."""
    name = name or active_name(folder)
    if name not in (known := weight_names(folder)):
        raise ModelError(
            f"{folder.path}: no weights are called '{name}'; there are: {', '.join(known)}"
        )
    where = f"{folder.path}: weights {name}"
    dense = Weights.from_text(folder.text(f"weights/{name}"), where)
    parts = [part for part in ARRAYS if f"weights/{name}/{part}" in folder]
    if not parts:
        return dense
    arrays = [folder.array(f"weights/{name}/{part}") for part in ARRAYS]
    try:
        return Weights(dense, SparseWeights.from_arrays(arrays[0], arrays[1]))
    except CalqueError as error:
        raise ModelError(f"{where}: {error}") from error


def active_name(folder: ModelFolder) -> str:
    """The name of the weights that a model is used with where no others are asked for."""
    return str(folder.manifest.info.get("weights", DEFAULT))


def activate_weights(
    model: Path | str, name: str, weights: Weights, how: Mapping[str, Any]
) -> None:
    """Make weights the active ones of a model folder under a name; all others stay.

    `how` says where they come from, for `calque info`. Weights called `default` stay as they are.
    """
    check_name(name)
    with ModelWriter(model, update=True) as writer:
        write_weights(writer, name, weights)
        writer.commit({"weights": name, f"tuning {name}": dict(how)})


def weight_names(folder: ModelFolder) -> list[str]:
    """The names of the weights that a model has."""
    found = [full.removeprefix("weights/") for full in folder.names("weights/")]
    return [name for name in found if "/" not in name]

"""Weights in a model folder: dense ones as text, sparse ones as two arrays beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from calque.errors import CalqueError, FileError, ModelError, OptionError
from calque.features import FeatureSet, SparseWeights, Weights
from calque.model.folder import ModelFolder
from calque.model.writer import ModelWriter
from calque.text import read_blocks

DEFAULT = "default"
"""The name of the weights that every model is born with."""
ARRAYS = ("keys", "values")
ACTIVE = "weights"
"""The entry of the manifest that names the active weights."""


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
    _check_known(folder, name)
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
    return str(folder.manifest.info.get(ACTIVE, DEFAULT))


def read_weights_file(path: Path | str, features: FeatureSet) -> Weights:
    """The weights of a text file, `name value` per line, for a model with these features.

    Sparse features go by name or by `#` and their key. Raises `CalqueError` that names file and
    line.
    """
    text = "".join(read_blocks(path))
    weights = Weights.from_text(text, str(path), features.key_of)
    try:
        weights.vector(features.names)
    except CalqueError as error:
        raise FileError(path, str(error)) from None
    return weights


def activate_weights(
    model: Path | str, name: str, weights: Weights, how: Mapping[str, Any]
) -> None:
    """Make weights the active ones of a model folder under a name; all others stay.

    `how` says where they come from, for `calque info`. Weights called `default` stay as they are.
    """
    check_name(name)
    with ModelWriter(model, update=True) as writer:
        write_weights(writer, name, weights)
        writer.commit({ACTIVE: name, _origin(name): dict(how)})


def store_weights(
    model: Path | str, name: str, weights: Weights, how: Mapping[str, Any] | None = None
) -> None:
    """Put weights into a model folder under a name; the active ones stay active."""
    check_name(name)
    with ModelWriter(model, update=True) as writer:
        write_weights(writer, name, weights)
        writer.commit({_origin(name): None if how is None else dict(how)})


def select_weights(model: Path | str, name: str) -> None:
    """Make weights that a model folder has its active ones."""
    _check_known(ModelFolder(model), name)
    with ModelWriter(model, update=True) as writer:
        writer.commit({ACTIVE: name})


def delete_weights(model: Path | str, names: Iterable[str]) -> None:
    """Take weights out of a model folder; `default` and the active ones cannot be."""
    folder, names = ModelFolder(model), list(names)
    for name in names:
        _check_known(folder, name)
        check_name(name)
        if name == active_name(folder):
            raise OptionError(f"weights '{name}': are the active ones: activate others first")
    with ModelWriter(model, update=True) as writer:
        for name in names:
            for part in (name, *(f"{name}/{array}" for array in ARRAYS)):
                writer.discard(f"weights/{part}")
        writer.commit(dict.fromkeys(map(_origin, names)))


def origin_of(folder: ModelFolder, name: str) -> dict[str, Any] | None:
    """Where weights of a model come from, if that is known."""
    origin = folder.manifest.info.get(_origin(name))
    return origin if isinstance(origin, dict) else None


def _origin(name: str) -> str:
    """What the manifest calls the origin of weights."""
    return f"tuning {name}"


def _check_known(folder: ModelFolder, name: str) -> None:
    if name not in (known := weight_names(folder)):
        raise ModelError(
            f"{folder.path}: no weights are called '{name}'; there are: {', '.join(known)}"
        )


def weight_names(folder: ModelFolder) -> list[str]:
    """The names of the weights that a model has."""
    names = [full.removeprefix("weights/") for full in folder.names("weights/")]
    return [name for name in names if "/" not in name]

"""What dense features look up: numbers per block, as arrays that map from disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque.errors import ModelError
from calque.text.mapped import check_finite

Arrays: TypeAlias = dict[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class BlockColumn:
    """One number per block, and the number of a word that is copied because no block knows it."""

    values: NDArray[np.float32]
    copied: float

    def to_arrays(self) -> Arrays:
        """The arrays by name: the form on disk."""
        return {"values": self.values, "copied": np.array([self.copied], np.float32)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> BlockColumn:
        """The column of these arrays; `ModelError` where one is missing or misfits."""
        values = checked(arrays, "values", np.float32, None)
        return cls(values, float(checked(arrays, "copied", np.float32, 1)[0]))

    def check(self, what: str) -> None:
        """Raise `ModelError` where a number is not finite; reads all of them."""
        check_finite(f"features: '{what}'", self.values)
        check_finite(f"features: '{what}'", np.array([self.copied], np.float32))


@dataclass(frozen=True, eq=False)
class OrientationColumn:
    """Three numbers per block: after a monotone, a swapped, a discontinuous step to it.

    Of the block papers' orientations these are R, L and N.
    """

    values: NDArray[np.float32]
    """Shape (blocks, 3)."""
    copied: NDArray[np.float32]
    """The three numbers of a copied word."""

    def to_arrays(self) -> Arrays:
        """The arrays by name: the form on disk."""
        return {"values": self.values, "copied": self.copied}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> OrientationColumn:
        """The column of these arrays; `ModelError` where one is missing or misfits."""
        values = checked(arrays, "values", np.float32, None, 3)
        return cls(values, checked(arrays, "copied", np.float32, 3))

    def check(self, what: str) -> None:
        """Raise `ModelError` where a number is not finite; reads all of them."""
        check_finite(f"features: '{what}'", self.values)
        check_finite(f"features: '{what}'", self.copied)


def checked(
    arrays: Mapping[str, NDArray[Any]], name: str, dtype: type[Any], *shape: int | None
) -> NDArray[Any]:
    """The array of this name; `ModelError` unless it has this type and shape (None: any size)."""
    if name not in arrays:
        raise ModelError(f"the features lack the array '{name}'")
    array = arrays[name]
    fits = array.ndim == len(shape) and all(
        wanted in (None, length) for wanted, length in zip(shape, array.shape, strict=True)
    )
    if array.dtype != dtype or not fits:
        expected = ", ".join("any" if size is None else str(size) for size in shape)
        raise ModelError(
            f"features: '{name}' is {array.dtype} of shape {array.shape}, "
            f"expected {np.dtype(dtype)} of shape ({expected})"
        )
    return array


def nested(**parts: Mapping[str, NDArray[Any]]) -> Arrays:
    """The arrays of several parts, each named `part/array`."""
    return {f"{part}/{name}": a for part, arrays in parts.items() for name, a in arrays.items()}


def part(arrays: Mapping[str, NDArray[Any]], name: str) -> Arrays:
    """What `nested` took under this name."""
    prefix = name + "/"
    return {k.removeprefix(prefix): a for k, a in arrays.items() if k.startswith(prefix)}

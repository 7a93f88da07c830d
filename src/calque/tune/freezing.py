from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calque.errors import OptionError

ALL = ("dense", "sparse")
"""What stands for every feature of a kind."""


class NamedFeatures(Protocol):
    """Features with names, as every source of candidates has them."""

    @property
    def dense_names(self) -> tuple[str, ...]:
        """The features that every candidate has."""

    @property
    def fixed(self) -> tuple[str, ...]:
        """Dense features whose weights no trainer may move."""

    def sparse_group(self, name: str, keys: NDArray[np.uint64]) -> NDArray[np.bool_] | None:
        """Which of the keys are called so or belong to a family of that name; none: no such."""


def free_features(
    fixed: str, source: NamedFeatures, keys: NDArray[np.uint64], option: str = "fixed"
) -> NDArray[np.bool_]:
    """Which weights may move: dense features, then the sparse ones of these keys.

    `fixed` has names with commas between: a dense feature, a sparse one, a family of sparse
    features, or `dense` or `sparse` for all. Raises `OptionError` for a name that is none of these,
    which it says to be one of `option`.
    """
    names = source.dense_names
    free = np.ones(len(names) + len(keys), bool)
    dense, sparse = free[: len(names)], free[len(names) :]
    dense[[names.index(name) for name in source.fixed]] = False
    for name in filter(None, (part.strip() for part in fixed.split(","))):
        if name in names:
            dense[names.index(name)] = False
        elif name == "dense":
            dense[:] = False
        elif name == "sparse":
            sparse[:] = False
        elif (group := source.sparse_group(name, keys)) is not None:
            sparse[group] = False
        else:
            known = ", ".join((*names, *ALL))
            raise OptionError(f"{option}={name}: no such feature or family; there are: {known}")
    return free

"""Lists of some sentences that travel to wherever an engine runs its tasks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque._core import DifferenceLists, MaskedValues
from calque.tune.working_copy import WorkingCopy


@dataclass(frozen=True, eq=False)
class Shard:
    """The lists of some sentences, with sparse features numbered among their own."""

    arrays: Mapping[str, Any]
    """What `DifferenceLists` takes, beside the masked values."""
    masked: tuple[NDArray[Any], ...] | None
    """What `MaskedValues` takes."""

    @property
    def lists(self) -> DifferenceLists:
        """The core's view of the arrays."""
        masked = None if self.masked is None else MaskedValues(*self.masked)
        return DifferenceLists(**self.arrays, masked=masked)


def shard_of(
    copy: WorkingCopy, first: int, last: int
) -> tuple[Shard, NDArray[np.int32], NDArray[np.int32]]:
    """The sentences from `first` up to `last`, their sparse features, rising, and those of each.

    Both are by their number in the copy; the latter are side by side. Arrays are views where they
    can be: of a copy in files nothing but the numbers of features is in memory.
    """
    rows = rows_of(copy, first, last)
    slots = slice(int(copy.feature_offsets[first]), int(copy.feature_offsets[last]))
    entries = slice(int(copy.row_offsets[rows.start]), int(copy.row_offsets[rows.stop]))
    features = np.array(copy.features[slots])
    own, numbers = np.unique(features, return_inverse=True)
    arrays = {
        "offsets": copy.offsets[first : last + 1] - rows.start,
        "base": copy.base[rows],
        "dense": copy.dense[rows],
        "feature_offsets": copy.feature_offsets[first : last + 1] - slots.start,
        "features": numbers.astype(np.int32),
        "row_offsets": copy.row_offsets[rows.start : rows.stop + 1] - entries.start,
        "places": copy.places[entries],
        "values": copy.values[entries],
        "n_sparse": len(own),
    }
    return Shard(arrays, copy.masked_of(first, last)), own, features


def rows_of(copy: WorkingCopy, first: int, last: int) -> slice:
    """The candidates of the sentences from `first` up to `last`."""
    return slice(int(copy.offsets[first]), int(copy.offsets[last]))


def dealt(n_sentences: int, n: int) -> list[tuple[int, int]]:
    """The first and last sentences of `n` parts, or of as many as there are sentences."""
    return list(pairwise(np.unique(np.arange(n + 1) * n_sentences // n).tolist()))

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from calque._core import SparseTable
from calque.errors import CalqueError

Keys = NDArray[np.uint64]


class SparseWeights:
    """Weights (float32) by 64-bit key; keys that are absent weigh 0.

    Nothing here changes an object that exists: every operation gives a new one, a copy of 12 to 17
    bytes per entry. A trainer that updates millions of weights in place works on a `SparseTable`
    of its own and wraps it when done; `core` is the table for other parts of the core.
    """

    def __init__(self, core: SparseTable | None = None) -> None:
        """Wrap a table, which belongs to this object from now on; without one, no weights."""
        self.core = SparseTable() if core is None else core

    @classmethod
    def from_arrays(cls, keys: Keys, values: NDArray[np.float32]) -> SparseWeights:
        """The weights with these keys, each once; raises `CalqueError` where they are not that."""
        if keys.dtype != np.uint64 or values.dtype != np.float32 or keys.ndim != 1:
            raise CalqueError("sparse weights: expected keys of uint64 and values of float32")
        if keys.shape != values.shape:
            raise CalqueError(f"sparse weights: {keys.size:,} keys and {values.size:,} values")
        if not np.isfinite(values).all():
            raise CalqueError("sparse weights: a value is not a finite number")
        table = SparseTable()
        keys = np.ascontiguousarray(keys)
        table.reserve(keys)
        table.set_many(keys, np.ascontiguousarray(values))
        if len(table) != len(keys):
            raise CalqueError("sparse weights: a key is given twice")
        return cls(table)

    @classmethod
    def summed(cls, keys: ArrayLike, values: ArrayLike) -> SparseWeights:
        """The sums of the values of each key; keys may repeat."""
        table = SparseTable()
        table.add_many(np.ascontiguousarray(keys, np.uint64), np.ascontiguousarray(values, "f4"))
        return cls(table)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """`keys` (uint64, ascending) and `values` (float32): the form on disk."""
        keys, values = self.core.entries()
        return {"keys": keys, "values": values}

    def __len__(self) -> int:
        return len(self.core)

    def __contains__(self, key: int) -> bool:
        return key in self.core

    def __getitem__(self, key: int) -> float:
        return self.core.get(key)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SparseWeights):
            return NotImplemented
        mine, theirs = self.to_arrays(), other.to_arrays()
        return len(self) == len(other) and all(
            np.array_equal(mine[name], theirs[name]) for name in mine
        )

    __hash__ = None  # type: ignore[assignment]  # equal by content, which may be large

    def __repr__(self) -> str:
        return f"<SparseWeights: {len(self):,} entries>"

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = self.to_arrays()
        return SparseWeights.from_arrays, (arrays["keys"], arrays["values"])

    def lookup(self, keys: Keys) -> NDArray[np.float32]:
        """The weights of the keys."""
        return self.core.get_many(keys)

    def scaled(self, factor: float) -> SparseWeights:
        """Every weight times `factor`."""
        return self.averaged([self], factor)

    def added(self, other: SparseWeights, scale: float = 1.0) -> SparseWeights:
        """The sum of these weights and `scale` times the others."""
        result = copy.copy(self.core)
        result.merge(other.core, _finite(scale))
        return SparseWeights(result)

    def merged(self, other: SparseWeights) -> SparseWeights:
        """These weights and the others; where both have a key, that of the others."""
        result = copy.copy(self.core)
        result.set_many(*other.core.entries())
        return SparseWeights(result)

    @staticmethod
    def averaged(all: Sequence[SparseWeights], factor: float = 1.0) -> SparseWeights:
        """The mean of several, a key that one lacks being 0 there, times `factor`."""
        if not all:
            raise CalqueError("sparse weights: expected at least one set to average, found none")
        first, *others = all
        result = copy.copy(first.core)
        for other in others:
            result.merge(other.core, 1.0)
        result.scale(_finite(factor) / len(all))
        return SparseWeights(result)

    def pruned(
        self,
        *,
        min_magnitude: float = 0.0,
        counts: SparseWeights | None = None,
        min_count: float = 1.0,
        most: int | None = None,
    ) -> SparseWeights:
        """The weights at least `min_magnitude` from 0, of keys counted at least `min_count` times.

        `counts` has the counts as values; without it all keys pass. Of what is left, the `most`
        largest. What is dropped weighs 0.
        """
        result = copy.copy(self.core)
        if min_magnitude > 0:
            result.prune_magnitude(min_magnitude)
        if counts is not None:
            result.prune_count(counts.core, min_count)
        if most is not None and len(result) > most:
            return SparseWeights.from_arrays(*SparseWeights(result).largest(most))
        return SparseWeights(result)

    def largest(self, n: int) -> tuple[Keys, NDArray[np.float32]]:
        """The keys and values of the `n` entries farthest from 0, in this order; ties by key."""
        keys, values = self.core.entries()
        sizes = np.abs(values)
        if n < len(keys):
            least = np.partition(sizes, len(keys) - n)[len(keys) - n] if n else np.inf
            above, equal = np.flatnonzero(sizes > least), np.flatnonzero(sizes == least)
            chosen = np.concatenate([above, equal[: n - len(above)]])
            keys, values, sizes = keys[chosen], values[chosen], sizes[chosen]
        order = np.lexsort((keys, -sizes))
        return keys[order], values[order]

    def lines(self, names: Mapping[int, str] | None = None) -> Iterator[str]:
        """`name value` for each entry, by ascending key; `#` and 16 hex digits where no name is."""
        known = names or {}
        keys, values = self.core.entries()
        for key, value in zip(keys.tolist(), values, strict=True):
            yield f"{known.get(key) or f'#{key:016x}'} {value!s}\n"


def _finite(factor: float) -> float:
    if not math.isfinite(factor):
        raise CalqueError(f"sparse weights: the factor is {factor}, expected a finite number")
    return factor

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from calque.config import DefaultWeights
from calque.errors import CalqueError
from calque.features.dense import SETS
from calque.features.sparse import SparseWeights

Key = TypeVar("Key", int, str)
DENSE = SETS["standard"]
"""The names of the standard dense features, in the order of their vectors."""
SHOWN = 24
"""Dense weights that `repr` shows before it leaves out the rest."""
LARGEST = 1e20
"""The largest weight: sums over a whole sentence stay finite."""
BLANKS = " \t\r"
VALUE = re.compile(r"(.*[^ \t])[ \t]+([^ \t]+)")
KEY = re.compile(r"#[0-9a-f]{16}")
"""A sparse feature whose name is not known, by its key."""


def key_name(key: int) -> str:
    """What a sparse feature is called whose name is not known."""
    return f"#{key:016x}"


class Weights(Mapping[str, float]):
    """Weights of dense features by name, and of sparse ones (`sparse`); immutable.

    The mapping is that of the dense weights, whatever their names: whether they are the ones that
    a decoder needs is seen when it asks for their `vector`.
    """

    def __init__(self, values: Mapping[str, float], sparse: SparseWeights | None = None) -> None:
        """Take the weights; raises `CalqueError` where a name or a value cannot be."""
        for name, value in values.items():
            if name.startswith("#") or name.split() != [name]:
                raise CalqueError(
                    f"'{name}' is not a name of a dense feature: expected one word without '#'"
                )
            if not math.isfinite(value):
                raise CalqueError(f"the weight of '{name}' is {value}, expected a finite number")
            if abs(value) > LARGEST:
                raise CalqueError(
                    f"the weight of '{name}' is {value:g}, expected at most {LARGEST:g}"
                )
        self._values = {name: float(value) for name, value in values.items()}
        self.sparse = SparseWeights() if sparse is None else sparse

    @classmethod
    def default(cls) -> Weights:
        """The weights of a model that has not been tuned, for the standard features."""
        values = asdict(DefaultWeights())
        return cls({name: values[name] for name in DENSE})

    def by_name(self, name_of: Callable[[int], str] = key_name) -> dict[str, float]:
        """All weights, the sparse ones as `name_of` names their keys: for people, not for work."""
        arrays = self.sparse.to_arrays()
        sparse = zip(arrays["keys"].tolist(), arrays["values"].tolist(), strict=True)
        return {**self._values, **{name_of(key): value for key, value in sparse}}

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Weights):
            return self._values == other._values and self.sparse == other.sparse
        return super().__eq__(other)

    __hash__ = None  # type: ignore[assignment]  # as of every mapping

    def __repr__(self) -> str:
        shown = [f"{name}={value:.4g}" for name, value in self._values.items()]
        if len(shown) > SHOWN:
            shown = [*shown[:SHOWN], "..."]
        sparse = f"; {len(self.sparse):,} sparse" if len(self.sparse) else ""
        return f"<Weights: {', '.join(shown)}{sparse}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Weights, (self._values, self.sparse)

    def vector(self, names: Sequence[str] = DENSE) -> NDArray[np.float64]:
        """The dense weights in the order of `names`, which must be exactly those there are."""
        for name in names:
            if name not in self._values:
                raise CalqueError(f"the weight of '{name}' is missing")
        for name in self._values:
            if name not in names:
                raise CalqueError(f"no feature is called '{name}'; known: {', '.join(names)}")
        return np.array([self._values[name] for name in names])

    def with_dense(self, values: Mapping[str, float]) -> Weights:
        """These weights with other values for some dense features, or further ones."""
        return Weights({**self._values, **values}, self.sparse)

    def scaled(self, factor: float) -> Weights:
        """Every weight times `factor`."""
        dense = {name: factor * value for name, value in self._values.items()}
        return Weights(dense, self.sparse.scaled(factor) if len(self.sparse) else self.sparse)

    def added(self, other: Weights, scale: float = 1.0) -> Weights:
        """The sum of these weights and `scale` times the others; absent ones are 0."""
        return Weights(_sum([(1.0, self), (scale, other)]), self.sparse.added(other.sparse, scale))

    def merged(self, other: Weights) -> Weights:
        """These weights and the others; where both have a feature, the weight of the others."""
        return Weights({**self, **other}, self.sparse.merged(other.sparse))

    @staticmethod
    def averaged(all: Sequence[Weights], factor: float = 1.0) -> Weights:
        """The mean of several, a feature that one lacks being 0 there, times `factor`."""
        sparse = SparseWeights.averaged([weights.sparse for weights in all], factor)
        total = _sum((1.0, weights) for weights in all)
        return Weights({name: value / len(all) * factor for name, value in total.items()}, sparse)

    def to_text(self, names: Mapping[int, str] | None = None) -> str:
        """One `name value` per line, the sparse ones by ascending key.

        `names` has the names of sparse features by key; others are written as `#` and their key.
        """
        return self.dense_text() + "".join(self.sparse.lines(names))

    def dense_text(self) -> str:
        """The lines of the dense weights alone.

        In such a text names with a ':' are of sparse features; other people's lists may have dense
        ones, whose weights cannot be written so.
        """
        for name in self._values:
            if ":" in name:
                raise CalqueError(
                    f"'{name}' is not a name of a dense feature of a model: it has ':'"
                )
        return "".join(f"{name} {value!r}\n" for name, value in self._values.items())

    @classmethod
    def from_text(
        cls, text: str, where: str = "weights", key_of: Callable[[str], int] | None = None
    ) -> Weights:
        """The weights that `to_text` wrote, or that a user typed; `where` names them in errors.

        The value is what stands after the last blank, so names may have blanks. Names with a ':'
        are of sparse features; `key_of` gives their keys and raises `CalqueError` where a name
        is none. Other lines that begin with '#' are comments.
        """
        dense: dict[str, float] = {}
        keys: dict[int, float] = {}
        for line, row in enumerate(text.split("\n"), 1):
            row = row.strip(BLANKS)
            name, value = row, ""
            if (parts := VALUE.fullmatch(row)) is not None:
                name, value = parts.groups()
            if not KEY.fullmatch(name) and row[:1] in ("#", ""):
                continue
            try:
                number = _number(name, value)
                if KEY.fullmatch(name):
                    _put(keys, int(name[1:], 16), number, name)
                elif ":" in name:
                    _put(keys, _key(name, key_of), number, name)
                else:
                    _put(dense, name, number, name)
            except CalqueError as error:
                raise CalqueError(f"{where}: line {line}: {error}") from None
        arrays = np.array(list(keys), np.uint64), np.array(list(keys.values()), np.float32)
        try:
            return cls(dense, SparseWeights.from_arrays(*arrays))
        except CalqueError as error:
            raise CalqueError(f"{where}: {error}") from error


def _number(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not name or not math.isfinite(number):
        raise CalqueError("expected 'name value', the value a finite number")
    return number


def _key(name: str, key_of: Callable[[str], int] | None) -> int:
    if key_of is None:
        raise CalqueError(f"no family of features has '{name}'")
    return key_of(name)


def _put(values: dict[Key, float], key: Key, value: float, name: str) -> None:
    if key in values:
        raise CalqueError(f"'{name}' is given twice")
    values[key] = value


def _sum(parts: Iterable[tuple[float, Weights]]) -> dict[str, float]:
    total: dict[str, float] = {}
    for scale, weights in parts:
        for name, value in weights.items():
            total[name] = total.get(name, 0.0) + scale * value
    return total

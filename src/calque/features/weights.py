from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from calque.config import DefaultWeights
from calque.errors import CalqueError
from calque.features.dense import SETS

DENSE = SETS["standard"]
"""The names of the dense features of the standard set, in the order of its vectors."""


class Weights(Mapping[str, float]):
    """One number per dense feature, by name; immutable.

    Whether the names are those of a decoder's features shows when it asks for the `vector`.
    """

    def __init__(self, values: Mapping[str, float]) -> None:
        """Take finite numbers; raises `CalqueError` where one is not."""
        for name, value in values.items():
            if not math.isfinite(value):
                raise CalqueError(f"the weight of '{name}' is {value}, expected a finite number")
        self._values = {name: float(value) for name, value in values.items()}

    @classmethod
    def default(cls) -> Weights:
        """The weights of a model that has not been tuned."""
        return cls(asdict(DefaultWeights()))

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Weights({self._values})"

    def vector(self, names: Sequence[str] = DENSE) -> NDArray[np.float64]:
        """The weights of exactly these features, in their order."""
        for name in names:
            if name not in self._values:
                raise CalqueError(f"the weight of '{name}' is missing")
        for name in self._values:
            if name not in names:
                raise CalqueError(f"no feature is called '{name}'; known: {', '.join(names)}")
        return np.array([self._values[name] for name in names])

    def to_text(self) -> str:
        """One `name value` per line."""
        return "".join(f"{name} {value!r}\n" for name, value in self._values.items())

    @classmethod
    def from_text(cls, text: str, where: str = "weights") -> Weights:
        """The weights that `to_text` wrote, or that a user typed; `where` names them in errors."""
        values: dict[str, float] = {}
        for line, row in enumerate(text.splitlines(), 1):
            fields = row.split()
            if not fields or fields[0].startswith("#"):
                continue
            try:
                name, value = fields
                number = float(value)
            except ValueError:
                raise CalqueError(f"{where}: line {line}: expected 'name value'") from None
            if name in values:
                raise CalqueError(f"{where}: line {line}: '{name}' is given twice")
            values[name] = number
        try:
            return cls(values)
        except CalqueError as error:
            raise CalqueError(f"{where}: {error}") from error

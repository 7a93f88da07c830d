from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from calque.errors import CalqueError, OptionError, hint
from calque.features import Weights
from calque.tune.nelder_mead import Vector


@dataclass(frozen=True)
class WeightSpace:
    """The weights that the search may change, and how a point of the search becomes weights."""

    start: Weights
    free: tuple[str, ...]
    norm: bool = False
    """Scale the free weights to a mean absolute value of 1."""
    clamp: bool = False

    def origin(self) -> Vector:
        """The point of the start weights."""
        return np.array([self.start[name] for name in self.free])

    def weights(self, point: Vector) -> Weights:
        """The weights that the decoder gets for a point."""
        values = np.maximum(point, 0.0) if self.clamp else point
        size = float(np.abs(values).mean())
        if self.norm and size > 0:
            values = values / size
        return self.start.with_dense(dict(zip(self.free, values.tolist(), strict=True)))


def weight_space(
    start: Weights, constant: Collection[str], *, fixed: str, norm: bool, clamp: bool
) -> WeightSpace:
    """All weights but the fixed ones and those of constant features, which have no effect."""
    stays = {name.strip() for name in fixed.split(",") if name.strip()}
    for name in sorted(stays - set(start)):
        raise OptionError(f"fixed={name}: no feature is called that; {hint(name, start)}")
    if stays and norm:
        raise OptionError(
            "fixed and norm=l1 cannot be combined: both keep the scale of the weights"
        )
    free = tuple(name for name in start if name not in stays and name not in constant)
    if not free:
        raise CalqueError("nothing to tune: no weight has an effect on the translations")
    return WeightSpace(start, free, norm, clamp)

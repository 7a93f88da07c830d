"""Minimum error training by the simplex method through the full decoder.

Cettolo & Federico 2004: the error of the decoder's own output is a function of a few weights, and
the downhill simplex method minimises it without gradients and without n-best lists. Every value of
the function costs one translation of the development text.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from calque.config import SimplexOptions
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.train.nelder_mead import Vector
from calque.train.working import scaled

MANY_WEIGHTS = 20
"""More need more evaluations than anyone waits for."""
MOST_HALVINGS = 20
SAME_ERROR = 0.0005
SAME_COST = 0.02
"""Loosening the threshold does not matter where error and cost change by less than these."""


@dataclass(frozen=True)
class Measured:
    """One value of the function: the error of a translated text, and what the search cost."""

    error: float
    n_hypotheses: int


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
        return Weights({**self.start, **dict(zip(self.free, values.tolist(), strict=True))})


def weight_space(start: Weights, constant: list[str], options: SimplexOptions) -> WeightSpace:
    """All weights but the fixed one and those of constant features, which have no effect."""
    fix = options.fix
    if fix is not None and fix not in start:
        near = difflib.get_close_matches(fix, list(start), n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'?" if near else f"one of {', '.join(start)}"
        raise OptionError(f"fix={fix}: no feature is called that; {hint}")
    if fix is not None and options.norm != "none":
        raise OptionError(f"fix={fix} and norm={options.norm} both keep the scale: give one")
    free = tuple(name for name in start if name != fix and name not in constant)
    if not free:
        raise CalqueError("nothing to tune: no weight has an effect on the translations")
    return WeightSpace(start, free, options.norm == "l1", options.clamp)


def loosened(weights: Weights, measure: Callable[[Weights], Measured]) -> Weights:
    """The weights, halved until halving them once more changes neither error nor cost.

    From there on the stacks bound the search, and these do not depend on the scale of weights: an
    optimiser cannot buy a better score with more search.
    """
    now = measure(weights)
    for _ in range(MOST_HALVINGS):
        half = scaled(weights, 0.5)
        then = measure(half)
        same_cost = abs(then.n_hypotheses - now.n_hypotheses) < SAME_COST * now.n_hypotheses
        if same_cost and abs(then.error - now.error) < SAME_ERROR:
            break
        weights, now = half, then
    return weights

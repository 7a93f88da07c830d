"""Minimum error training by the simplex method through the full decoder.

Cettolo & Federico 2004: the error of the decoder's own output is a function of a few weights, and
the downhill simplex method minimises it without gradients and without n-best lists. Every value of
the function costs one translation of the development text.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np

from calque.config import SimplexOptions
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.progress import SILENT, Progress
from calque.train.nelder_mead import Minimum, NelderMead, Vector
from calque.train.values import ErrorFunction, Value
from calque.train.working import scaled

MANY_WEIGHTS = 20
"""More need more evaluations than anyone waits for."""
MOST_HALVINGS = 20
SAME_ERROR = 0.0005
SAME_COST = 0.02
"""Loosening the threshold does not matter where error and cost change by less than these."""


def descend(
    function: ErrorFunction,
    start: Weights,
    constant: Collection[str],
    options: SimplexOptions,
    progress: Progress = SILENT,
) -> tuple[Weights, Minimum]:
    """The weights of least error that the simplex method finds, and how it ended.

    Weights of `constant` features stay as they are: they have no effect.
    """
    space = weight_space(start, constant, options)
    if len(space.free) > MANY_WEIGHTS:
        progress.warn(
            f"{len(space.free)} weights are many for the simplex method: up to {MANY_WEIGHTS} are"
            " found in reasonable time; mert, pro and mira take more"
        )
    if options.loosen and not space.norm:
        space = replace(space, start=loosened(start, function))
    origin = space.origin()
    function.begin(space.weights(origin))
    search = NelderMead(
        step=options.step,
        max_evaluations=options.max_evaluations,
        restarts=options.restarts,
        spread=options.spread,
        size=options.size,
    )
    minimum = search.minimise(lambda point: function(space.weights(point)).error, origin)
    return space.weights(minimum.point), minimum


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


def weight_space(start: Weights, constant: Collection[str], options: SimplexOptions) -> WeightSpace:
    """All weights but the fixed ones and those of constant features, which have no effect."""
    fixed = {name.strip() for name in options.fixed.split(",") if name.strip()}
    for name in sorted(fixed - set(start)):
        near = difflib.get_close_matches(name, list(start), n=1, cutoff=0.4)
        hint = f"did you mean '{near[0]}'?" if near else f"one of {', '.join(start)}"
        raise OptionError(f"fixed={name}: no feature is called that; {hint}")
    if fixed and options.norm != "none":
        raise OptionError(f"fixed and norm={options.norm} both keep the scale: give one")
    free = tuple(name for name in start if name not in fixed and name not in constant)
    if not free:
        raise CalqueError("nothing to tune: no weight has an effect on the translations")
    return WeightSpace(start, free, options.norm == "l1", options.clamp)


def loosened(weights: Weights, measure: Callable[[Weights], Value]) -> Weights:
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

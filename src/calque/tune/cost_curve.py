"""Weights at a given search effort: scaling all of them trades quality against cost.

Under a fixed threshold, scaling all weights down lets more hypotheses live (Cettolo & Federico
2004); nothing but their number changes. Weights can so be compared at equal cost.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from calque.errors import CalqueError
from calque.features import Weights
from calque.tune.evaluation import Evaluation

MOST_DOUBLINGS = 20
"""How often a scale is doubled or halved in search of a cost: far beyond what changes anything."""
MOST_BISECTIONS = 40


@dataclass(frozen=True)
class OperatingPoint:
    """Weights at a scale: what they give and what they cost."""

    scale: float
    scores: Mapping[str, float]
    n_hypotheses: int


def operating_points(
    evaluate: Callable[[Weights], Evaluation], weights: Weights, scales: Iterable[float]
) -> list[OperatingPoint]:
    """The curve of score against cost: one point per scale, in the order given."""
    return [_at(evaluate, weights, scale) for scale in scales]


def working_point(
    evaluate: Callable[[Weights], Evaluation],
    weights: Weights,
    n_hypotheses: int,
    *,
    tolerance: float = 0.01,
) -> OperatingPoint:
    """The weights at the scale where the search tries `n_hypotheses`, within the tolerance.

    Found by bisection between a scale that costs more and one that costs less. Raises
    `CalqueError` where no scale costs that much: the stacks bound the cost from above, the one
    hypothesis that always survives from below.
    """
    if n_hypotheses < 1:
        raise CalqueError(f"n_hypotheses={n_hypotheses}: expected at least 1")
    point = _at(evaluate, weights, 1.0)
    if _is_near(point, n_hypotheses, tolerance):
        return point
    begin, factor = point, 2.0 if point.n_hypotheses > n_hypotheses else 0.5
    for _ in range(MOST_DOUBLINGS):
        other = _at(evaluate, weights, point.scale * factor)
        if _is_near(other, n_hypotheses, tolerance):
            return other
        if (other.n_hypotheses > n_hypotheses) != (begin.n_hypotheses > n_hypotheses):
            return _between(evaluate, weights, n_hypotheses, tolerance, point, other)
        point = other
    bound = "fewest" if factor > 1 else "most"
    raise CalqueError(
        f"no scale of the weights makes the search try {n_hypotheses:,} hypotheses:"
        f" the {bound} are {point.n_hypotheses:,}"
    )


def _between(
    evaluate: Callable[[Weights], Evaluation],
    weights: Weights,
    n_hypotheses: int,
    tolerance: float,
    first: OperatingPoint,
    other: OperatingPoint,
) -> OperatingPoint:
    cheap, dear = sorted((first, other), key=lambda point: point.n_hypotheses)
    for _ in range(MOST_BISECTIONS):
        middle = _at(evaluate, weights, math.sqrt(cheap.scale * dear.scale))
        if _is_near(middle, n_hypotheses, tolerance):
            return middle
        if middle.n_hypotheses > n_hypotheses:
            dear = middle
        else:
            cheap = middle
    raise CalqueError(
        f"no scale of the weights makes the search try {n_hypotheses:,} hypotheses within"
        f" {tolerance:.1%}: it jumps from {cheap.n_hypotheses:,} to {dear.n_hypotheses:,}"
    )


def _at(
    evaluate: Callable[[Weights], Evaluation], weights: Weights, scale: float
) -> OperatingPoint:
    value = evaluate(weights.scaled(scale))
    return OperatingPoint(scale, value.scores, value.n_hypotheses)


def _is_near(point: OperatingPoint, n_hypotheses: int, tolerance: float) -> bool:
    return abs(point.n_hypotheses - n_hypotheses) <= tolerance * n_hypotheses

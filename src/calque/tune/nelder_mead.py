"""The downhill simplex method (Nelder & Mead 1965) on functions that are flat nearly everywhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Vector: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Vertex:
    """A point that was evaluated."""

    point: Vector
    error: float
    """Infinite where the function gave no finite number: such a point is the worst."""
    born: int
    """How many points were evaluated before it."""


@dataclass(frozen=True, eq=False)
class Minimum:
    """The best point that a search evaluated, and how the search ended."""

    point: Vector
    error: float
    n_evaluations: int
    reason: Literal["converged", "evaluations"]
    """Both tests of convergence held at the end of the last descent, or its evaluations ran out."""


class NelderMead:
    """Minimises a function by reflecting, stretching and shrinking a simplex; nothing is random.

    Reflection 1, expansion 2, contraction 0.5, shrink 0.5. Of points with equal errors the one
    evaluated first counts as better, and a new point replaces another only where it is better:
    on a plateau the simplex shrinks, it does not wander.
    """

    def __init__(
        self,
        *,
        step: float,
        max_evaluations: int,
        restarts: int,
        error_tolerance: float,
        vertex_tolerance: float,
    ) -> None:
        """Take the hyper-parameters.

        A descent begins with a simplex whose edges are `step` times the mean absolute value of its
        start. It ends when the errors of the best and the worst vertex differ by less than
        `error_tolerance` (relative) and no coordinate of a vertex is farther from the best than
        `vertex_tolerance` times the best's mean absolute value, or after `max_evaluations`. The
        next one, of `restarts`, begins where it ended.
        """
        self.step = step
        self.max_evaluations = max_evaluations
        self.restarts = restarts
        self.error_tolerance = error_tolerance
        self.vertex_tolerance = vertex_tolerance

    def minimise(self, function: Callable[[Vector], float], start: Vector) -> Minimum:
        """The best point found from `start` on; `function` may give anything, NaN included."""
        points = self.points(start)
        try:
            point = next(points)
            while True:
                point = points.send(float(function(point)))
        except StopIteration as end:
            minimum: Minimum = end.value
            return minimum

    def points(self, start: Vector) -> Generator[Vector, float, Minimum]:
        """The points to evaluate, one after the other; the error of each is sent back."""
        n_evaluated = 0

        def evaluate(point: Vector) -> Generator[Vector, float, Vertex]:
            nonlocal n_evaluated
            error = yield point
            n_evaluated += 1
            return Vertex(point, error if math.isfinite(error) else math.inf, n_evaluated - 1)

        best = yield from evaluate(np.array(start, np.float64))
        converged = False
        for descent in range(1 + self.restarts):
            begun = n_evaluated - (descent == 0)  # the start belongs to the first descent
            simplex = [best]
            for point in self._around(best.point):
                simplex.append((yield from evaluate(point)))
            simplex = _ordered(simplex)
            while not (converged := self._has_converged(simplex)):
                if n_evaluated - begun > self.max_evaluations:
                    break
                simplex = _ordered((yield from _moved(simplex, evaluate)))
            best = simplex[0]
        reason: Literal["converged", "evaluations"] = "converged" if converged else "evaluations"
        return Minimum(best.point, best.error, n_evaluated, reason)

    def _around(self, start: Vector) -> list[Vector]:
        """The other vertices of a fresh simplex."""
        edge = self.step * (_mean_size(start) or 1.0)
        return [start + edge * axis for axis in np.eye(len(start))]

    def _has_converged(self, simplex: list[Vertex]) -> bool:
        best, worst = simplex[0], simplex[-1]
        spread = 2 * abs(worst.error - best.error)
        spread /= abs(worst.error) + abs(best.error) + 1e-12
        size = max(float(np.abs(vertex.point - best.point).max()) for vertex in simplex[1:])
        return spread < self.error_tolerance and size < self.vertex_tolerance * _mean_size(
            best.point
        )


def _moved(
    simplex: list[Vertex], evaluate: Callable[[Vector], Generator[Vector, float, Vertex]]
) -> Generator[Vector, float, list[Vertex]]:
    """The simplex, given best first, after one step."""
    *kept, worst = simplex
    best = kept[0]
    centre = np.mean([vertex.point for vertex in kept], axis=0)
    away = centre - worst.point
    reflected = yield from evaluate(centre + away)
    if reflected.error < best.error:
        expanded = yield from evaluate(centre + 2 * away)
        return [*kept, expanded if expanded.error < reflected.error else reflected]
    if reflected.error < kept[-1].error:
        return [*kept, reflected]
    if reflected.error < worst.error:
        worst = reflected
    contracted = yield from evaluate(centre + 0.5 * (worst.point - centre))
    if contracted.error < worst.error:
        return [*kept, contracted]
    shrunk = [best]
    for vertex in [*kept[1:], worst]:
        shrunk.append((yield from evaluate(best.point + 0.5 * (vertex.point - best.point))))
    return shrunk


def _ordered(simplex: list[Vertex]) -> list[Vertex]:
    return sorted(simplex, key=lambda vertex: (vertex.error, vertex.born))


def _mean_size(point: Vector) -> float:
    return float(np.abs(point).mean())

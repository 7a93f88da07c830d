"""The minimiser alone: worked steps, scipy's end points, plateaus, functions that misbehave."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, rosen

from calque.tune.methods.simplex import SimplexOptions
from calque.tune.nelder_mead import NelderMead, Vector


def search(**options: float) -> NelderMead:
    """The method with the settings of the trainer, but for these."""
    defaults = SimplexOptions()
    names = ("step", "max_evaluations", "restarts", "error_tolerance", "vertex_tolerance")
    return NelderMead(**{name: options.get(name, getattr(defaults, name)) for name in names})


PATIENT = search(max_evaluations=5000, error_tolerance=1e-12, vertex_tolerance=1e-9)


def watched(function: Callable[[Vector], float]) -> tuple[Callable[[Vector], float], list[Vector]]:
    seen: list[Vector] = []

    def watching(point: Vector) -> float:
        seen.append(point.copy())
        return function(point)

    return watching, seen


def points(seen: list[Vector]) -> list[list[float]]:
    return [[round(float(x), 9) for x in point] for point in seen]


def one_descent(n: int) -> NelderMead:
    """One descent that is cut at the first step after n evaluations."""
    return search(step=1.0, max_evaluations=n, restarts=0, error_tolerance=0)


def test_a_better_reflection_is_expanded() -> None:
    function, seen = watched(lambda p: float(10 - p[0] - p[1]))
    one_descent(4).minimise(function, np.array([1.0, 1.0]))
    # Vertices (1,1), (2,1), (1,2); the worst is the start, the centre of the others (1.5,1.5).
    # Reflected (2,2) beats all: expanded to (2.5,2.5), which is kept. Of the two that tie, the
    # newer, (1,2), is the worst now; its mirror image over (2.25,1.75) ties with the best.
    assert points(seen)[:5] == [[1, 1], [2, 1], [1, 2], [2, 2], [2.5, 2.5]]
    assert len(seen) == 5
    one_descent(5).minimise(function, np.array([1.0, 1.0]))
    assert points(seen)[10:] == [[3.5, 1.5]]


def test_a_reflection_between_best_and_second_worst_is_taken() -> None:
    values = {(1, 1): 0.0, (2, 1): 2.0, (1, 2): 3.0, (2, 0): 1.0}
    function, seen = watched(lambda p: values.get((int(p[0]), int(p[1])), 9.0))
    one_descent(3).minimise(function, np.array([1.0, 1.0]))
    assert points(seen) == [[1, 1], [2, 1], [1, 2], [2, 0]]
    one_descent(4).minimise(function, np.array([1.0, 1.0]))
    # Now (1,1), (2,0), (2,1): the worst is (2,1), its mirror image over (1.5,0.5) is (1,0).
    assert points(seen)[4:9] == [[1, 1], [2, 1], [1, 2], [2, 0], [1, 0]]


def test_a_bad_reflection_leads_to_a_contraction_and_then_to_shrinking() -> None:
    def function(p: Vector) -> float:
        return 0.0 if (p[0], p[1]) == (1, 1) else 1.0

    watching, seen = watched(function)
    one_descent(4).minimise(watching, np.array([1.0, 1.0]))
    # (2,0) is no better than (1,2), so the contraction stays inside: (1.25,1.5). No better
    # either, so everything moves halfway to (1,1), older vertices first.
    assert points(seen)[3:] == [[2, 0], [1.25, 1.5], [1.5, 1], [1, 1.5]]


def test_a_reflection_better_than_the_worst_is_contracted_outside() -> None:
    values = {(1.0, 1.0): 0.0, (2.0, 1.0): 1.0, (1.0, 2.0): 3.0, (2.0, 0.0): 2.0}
    function, seen = watched(lambda p: values.get((float(p[0]), float(p[1])), 9.0))
    one_descent(4).minimise(function, np.array([1.0, 1.0]))
    # (1.75,0.5) lies between the centre and the reflection; it fails, and the reflection, which
    # has replaced the worst, shrinks with the rest.
    assert points(seen)[3:] == [[2, 0], [1.75, 0.5], [1.5, 1], [1.5, 0.5]]


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 4),
    st.lists(st.floats(0.5, 4), min_size=4, max_size=4),
    st.lists(st.floats(-3, 3), min_size=4, max_size=4),
)
def test_a_quadratic_ends_where_scipy_ends(
    n: int, curvatures: list[float], centre: list[float]
) -> None:
    scale, middle = np.array(curvatures[:n]), np.array(centre[:n])

    def function(p: Vector) -> float:
        return float(scale @ (p - middle) ** 2) + 1.0

    start = np.ones(n)
    ours = PATIENT.minimise(function, start)
    theirs = minimize(
        function, start, method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-12}
    )
    np.testing.assert_allclose(ours.point, theirs.x, atol=1e-4)
    assert ours.error == pytest.approx(theirs.fun, abs=1e-8)


@pytest.mark.parametrize("start", [[-1.2, 1.0], [0.5, 2.0], [1.3, 0.7, 0.8]])
def test_rosenbrock_ends_where_scipy_ends(start: list[float]) -> None:
    ours = PATIENT.minimise(lambda p: float(rosen(p)), np.array(start))
    theirs = minimize(
        rosen,
        start,
        method="Nelder-Mead",
        options={"xatol": 1e-8, "fatol": 1e-12, "maxiter": 5000, "maxfev": 5000},
    )
    np.testing.assert_allclose(ours.point, theirs.x, atol=1e-4)
    assert ours.reason == "converged"


def test_on_a_plateau_the_start_stays_and_the_search_ends() -> None:
    function, seen = watched(lambda p: 0.5)
    found = search().minimise(function, np.array([1.0, 2.0, 3.0]))
    assert found.point.tolist() == [1, 2, 3]
    assert found.reason == "converged"
    assert found.n_evaluations == len(seen) < 200


def test_steps_like_those_of_a_corpus_score_do_not_stop_the_descent() -> None:
    def function(p: Vector) -> float:
        return math.floor(20 * float(((p - [0.4, 1.7]) ** 2).sum())) / 20

    found = search().minimise(function, np.array([1.0, 1.0]))
    assert found.error == 0.0


def test_one_weight_works() -> None:
    found = PATIENT.minimise(lambda p: float((p[0] - 2) ** 2), np.array([1.0]))
    assert found.point[0] == pytest.approx(2, abs=1e-6)


def test_the_best_point_ever_evaluated_is_returned() -> None:
    generator = np.random.default_rng(1)
    function, seen = watched(lambda p: float(generator.random()))
    found = search(max_evaluations=50).minimise(function, np.ones(3))
    errors = np.random.default_rng(1).random(len(seen))
    assert found.error == errors.min()
    assert found.point.tolist() == seen[int(errors.argmin())].tolist()


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_no_number_is_the_worst(bad: float) -> None:
    def function(p: Vector) -> float:
        return bad if p[0] > 1.2 else float(((p - 0.5) ** 2).sum())

    found = PATIENT.minimise(function, np.ones(2))
    np.testing.assert_allclose(found.point, [0.5, 0.5], atol=1e-5)


def test_nothing_but_bad_values_ends_at_the_limit() -> None:
    found = search(max_evaluations=30).minimise(lambda p: math.nan, np.ones(2))
    assert (found.reason, found.error, found.point.tolist()) == ("evaluations", math.inf, [1, 1])


def test_the_limit_holds_for_each_descent() -> None:
    generator = np.random.default_rng(2)
    function, seen = watched(lambda p: float(generator.random()))
    found = search(max_evaluations=40, error_tolerance=0).minimise(function, np.ones(4))
    assert found.reason == "evaluations"
    assert 80 <= len(seen) <= 2 * (40 + 4 + 2)


def test_a_start_at_zero_has_a_simplex() -> None:
    found = search().minimise(lambda p: float(((p - 0.1) ** 2).sum()), np.zeros(2))
    assert found.error < 0.02

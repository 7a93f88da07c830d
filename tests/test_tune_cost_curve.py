"""Working points: the scale of weights that gives a wanted search cost."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.errors import CalqueError
from calque.features import SparseWeights, Weights
from calque.tune.cost_curve import operating_points, working_point
from calque.tune.evaluation import Evaluation

ONE = Weights(dict.fromkeys(Weights.default(), 1.0))


def costing(cost: Callable[[float], float]) -> Callable[[Weights], Evaluation]:
    """An evaluation whose cost is a function of the scale."""

    def evaluate(weights: Weights) -> Evaluation:
        [scale] = set(weights.values())
        return Evaluation({"bleu": 30 - scale}, round(cost(scale)), 50)

    return evaluate


def bounded(scale: float) -> float:
    """Costs as they are: bounded by the stacks on one side, by one survivor on the other."""
    return 1_000 + 99_000 / (1 + scale**2)


@given(st.integers(1_100, 99_500), st.sampled_from([0.001, 0.01, 0.05]))
def test_the_wanted_cost_is_met_within_the_tolerance(wanted: int, tolerance: float) -> None:
    point = working_point(costing(bounded), ONE, wanted, tolerance=tolerance)
    assert abs(point.n_hypotheses - wanted) <= tolerance * wanted
    assert point.n_hypotheses == round(bounded(point.scale))
    assert point.scores == {"bleu": 30 - point.scale}


def test_a_cost_that_is_met_already_takes_one_evaluation() -> None:
    assert working_point(costing(bounded), ONE, 50_500).scale == 1.0


def test_costs_that_fall_unevenly_are_met_too() -> None:
    def uneven(scale: float) -> float:
        return 10_000 / scale * (1 + 0.02 * math.sin(40 * scale))

    assert abs(working_point(costing(uneven), ONE, 3_000).n_hypotheses - 3_000) <= 30


@pytest.mark.parametrize(
    ("wanted", "bound"), [(200_000, "the most are 100,000"), (500, "the fewest are 1,000")]
)
def test_a_cost_out_of_reach_is_one_clear_line(wanted: int, bound: str) -> None:
    with pytest.raises(CalqueError, match=bound):
        working_point(costing(bounded), ONE, wanted)


def test_a_jump_over_the_wanted_cost_is_one_clear_line() -> None:
    with pytest.raises(CalqueError, match="it jumps from 1,000 to 2,000"):
        working_point(costing(lambda scale: 2_000 if scale < 3 else 1_000), ONE, 1_500)


def test_a_cost_of_nothing_is_refused() -> None:
    with pytest.raises(CalqueError, match="expected at least 1"):
        working_point(costing(bounded), ONE, 0)


def test_a_curve_has_the_points_asked_for_in_their_order() -> None:
    points = operating_points(costing(bounded), ONE, [2.0, 0.5])
    assert [point.scale for point in points] == [2.0, 0.5]
    assert points[0].n_hypotheses < points[1].n_hypotheses


def test_scaling_touches_every_weight() -> None:
    sparse = SparseWeights.from_arrays(np.array([7], np.uint64), np.array([4.0], np.float32))
    both = Weights(dict(ONE), sparse)
    asked: list[Weights] = []

    def evaluate(weights: Weights) -> Evaluation:
        asked.append(weights)
        return Evaluation({"bleu": 1.0}, 1, 1)

    operating_points(evaluate, both, [0.25])
    assert set(asked[0].values()) == {0.25}
    assert asked[0].sparse[7] == 1.0

"""Rules for whole gradients: the core against the readable forms, and RPROP on quadratics."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.tune.problem import Vector
from calque.tune.sentence import Direction
from calque.tune.updates.adagrad import AdaGrad
from calque.tune.updates.gradient import (
    GradientAdaGrad,
    GradientRprop,
    GradientRule,
    GradientSgd,
)
from calque.tune.updates.rprop import Rprop
from calque.tune.updates.sgd import Sgd

RPROP: dict[str, Any] = {
    "increase": 1.2,
    "decrease": 0.5,
    "least": 1e-9,
    "most": 1.0,
    "as_printed": False,
}


@given(seed=st.integers(0, 10**6), as_printed=st.booleans(), threads=st.sampled_from([1, 3]))
@settings(max_examples=50, deadline=None)
def test_rprop_moves_as_its_readable_form_does(seed: int, as_printed: bool, threads: int) -> None:
    rng = np.random.default_rng(seed)
    options = {**RPROP, "as_printed": as_printed, "least": 0.02, "most": 0.15}
    firsts = np.where(np.arange(6) < 2, 0.05, 0.1)
    fast, slow = GradientRprop(0.05, 0.1, **options), Rprop(6, first=firsts, **options)
    fast.grow(6, 2)
    weights = rng.normal(size=6)
    expected = weights.copy()
    for _ in range(30):
        gradient = rng.integers(-1, 2, 6) * rng.random(6) * 1e-200  # whose products vanish
        fast.step(weights, gradient, 2, threads)
        slow.move(expected, Direction(np.arange(6), gradient, 0.0))
        assert weights.tolist() == expected.tolist()


@pytest.mark.parametrize("l1", [0.0, 0.3])
def test_steps_of_rates_are_those_of_the_readable_forms(l1: float) -> None:
    rng = np.random.default_rng(2)
    n, n_dense = 100_000, 3
    rates = np.where(np.arange(n) < n_dense, 0.3, 0.2)
    penalties = np.where(np.arange(n) < n_dense, 0.0, l1)
    pairs: list[tuple[GradientRule, Sgd | AdaGrad]] = [
        (GradientSgd(0.3, 0.2, l1), Sgd(rates, l1=penalties)),
        (GradientAdaGrad(0.3, 0.2, l1), AdaGrad(rates, n, l1=penalties, least=1e-10)),
    ]
    for fast, slow in pairs:
        fast.grow(n, n_dense)
        weights = rng.normal(size=n)
        expected = weights.copy()
        for _ in range(3):
            gradient = rng.normal(size=n) * (rng.random(n) < 0.7)
            touched = np.flatnonzero(gradient)
            fast.step(weights, gradient, n_dense, 2)
            slow.move(expected, Direction(touched, gradient[touched], 0.0))
        assert weights == pytest.approx(expected, abs=1e-12)
        assert (weights == 0).any() == (l1 > 0)


def climbed(rule: GradientRule, start: Vector, n_steps: int) -> list[Vector]:
    """The way up a hill of very different steepness, whose top is at 1, 2, .."""
    top = np.arange(1.0, len(start) + 1)
    curvature: Vector = np.logspace(-3, len(start) - 4, len(start))
    weights, way = start.copy(), [start.copy()]
    rule.grow(len(start), 0)
    for _ in range(n_steps):
        rule.step(weights, -curvature * (weights - top), 0, 1)
        way.append(weights.copy())
    return way


def test_rprop_finds_the_top_of_quadratics_whatever_their_scale() -> None:
    way = climbed(GradientRprop(0.1, 0.1, **RPROP), np.zeros(6), 150)
    assert way[-1] == pytest.approx(np.arange(1.0, 7.0), abs=1e-6)


def test_the_printed_rule_goes_to_and_fro_for_ever() -> None:
    way = climbed(GradientRprop(0.1, 0.1, **{**RPROP, "as_printed": True}), np.zeros(1), 150)
    places = {float(place[0]) for place in way[-50:]}
    assert len(places) == 2
    assert min(abs(place - 1) for place in places) > 1e-6


def test_memory_grows_and_comes_back() -> None:
    rng = np.random.default_rng(1)
    gradients = rng.normal(size=(6, 5))
    for make in (lambda: GradientRprop(0.1, 0.1, **RPROP), lambda: GradientAdaGrad(0.1, 0.1, 0.0)):
        whole, weights = make(), np.zeros(5)
        whole.grow(3, 0)
        for gradient in gradients[:3]:
            whole.step(weights[:3], gradient[:3], 0, 1)
        whole.grow(5, 0)
        whole.step(weights, gradients[3], 0, 1)
        kept = {name: array.copy() for name, array in whole.state().items()}
        copied, others = make(), weights.copy()
        copied.restore(kept)
        for rule, moved in ((whole, weights), (copied, others)):
            for gradient in gradients[4:]:
                rule.step(moved, gradient, 0, 1)
        assert weights.tolist() == others.tolist()

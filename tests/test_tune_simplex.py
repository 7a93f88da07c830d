"""The simplex method on weights: what it varies, what it keeps, what it remembers."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.config import fill
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.progress import SILENT, Stage
from calque.tune.methods.simplex import SimplexOptions, Value, descent, distinct, loosened
from calque.tune.weight_space import WeightSpace, weight_space

NAMES = tuple(Weights.default())
VARIED = ("language_model", "word_count")
CONSTANT = [name for name in NAMES if name not in VARIED]


class Listener:
    """Keeps warnings."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def stage(self, name: str, total: float | None = None) -> AbstractContextManager[Stage]:
        return SILENT.stage(name, total)

    def warn(self, message: str) -> None:
        self.warnings.append(message)


class Bowl:
    """An error that is least at given weights; the cost falls with their size."""

    def __init__(self, cost_bound: int = 5_000, **best: float) -> None:
        self.best = best
        self.cost_bound = cost_bound
        self.asked: list[dict[str, float]] = []

    def __call__(self, weights: Weights) -> Value:
        self.asked.append(dict(weights))
        distance = sum((weights[name] - value) ** 2 for name, value in self.best.items())
        size = sum(abs(value) for value in weights.values()) / len(weights)
        cost = min(self.cost_bound, round(1_000 / max(size, 1e-9)))
        return Value(distance / 10, cost)


def uniform(value: float = 1.0) -> Weights:
    return Weights(dict.fromkeys(NAMES, value))


def drive(
    search: Generator[Weights, Value, Any], function: Callable[[Weights], Value]
) -> tuple[Weights, Any]:
    """The best weights that a search asks for, and what it ends with."""
    best, least = uniform(), math.inf
    try:
        weights = next(search)
        while True:
            value = function(weights)
            if value.error < least:
                best, least = weights, value.error
            weights = search.send(value)
    except StopIteration as end:
        return best, end.value


def run(
    function: Callable[[Weights], Value], listener: Listener | None = None, **options: Any
) -> tuple[Weights, str]:
    settings = fill(
        SimplexOptions(shrink_first_weights=False, error_tolerance=1e-9, vertex_tolerance=1e-6),
        options,
    )
    return drive(distinct(descent(uniform(), CONSTANT, settings, listener or SILENT)), function)


def test_the_best_weights_are_found_and_others_stay() -> None:
    found, reason = run(Bowl(language_model=1.5, word_count=-0.5))
    assert found["language_model"] == pytest.approx(1.5, abs=1e-3)
    assert found["word_count"] == pytest.approx(-0.5, abs=1e-3)
    assert {found[name] for name in CONSTANT} == {1.0}
    assert reason == "converged"


def test_a_fixed_weight_keeps_its_start_value() -> None:
    bowl = Bowl(language_model=1.5, word_count=-0.5)
    found, _ = run(bowl, fixed="language_model")
    assert {asked["language_model"] for asked in bowl.asked} == {1.0}
    assert found["word_count"] == pytest.approx(-0.5, abs=1e-3)


def test_clamped_weights_are_never_negative() -> None:
    bowl = Bowl(language_model=1.5, word_count=-0.5)
    found, _ = run(bowl, clamp=True)
    assert min(asked["word_count"] for asked in bowl.asked) == 0.0
    assert found["word_count"] == 0.0
    assert found["language_model"] == pytest.approx(1.5, abs=1e-3)


def test_normed_weights_have_a_mean_size_of_one() -> None:
    bowl = Bowl(language_model=1.5, word_count=-0.5)
    found, _ = run(bowl, norm="l1")
    for asked in bowl.asked:
        assert sum(abs(asked[name]) for name in VARIED) == pytest.approx(2)
    assert found["language_model"] == pytest.approx(1.5, abs=1e-3)


def test_weights_of_nothing_but_zero_are_not_divided_by_zero() -> None:
    space = WeightSpace(uniform(), VARIED, norm=True)
    assert space.weights(np.zeros(2))["language_model"] == 0.0


@given(st.lists(st.floats(-3, 3), min_size=2, max_size=2))
def test_a_point_and_its_weights_agree(values: list[float]) -> None:
    space = WeightSpace(uniform(), VARIED)
    weights = space.weights(np.array(values))
    assert [weights[name] for name in VARIED] == values
    assert WeightSpace(weights, VARIED).origin().tolist() == values


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fixed": "distance, language_modle"}, "did you mean 'language_model'?"),
        ({"fixed": "unknown", "norm": "l1"}, "both keep the scale"),
    ],
)
def test_options_that_cannot_be_are_one_clear_line(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        next(descent(uniform(), [], fill(SimplexOptions(), options)))


def test_weights_without_effect_are_one_clear_line() -> None:
    with pytest.raises(CalqueError, match="nothing to tune"):
        weight_space(uniform(), NAMES, fixed="", norm=False, clamp=False)


def test_the_start_is_halved_until_halving_means_nothing() -> None:
    # The cost is 1000 / size up to 5000: from a size of 1/8 on, the bound holds.
    bowl = Bowl()
    _, found = drive(loosened(uniform()), bowl)
    assert set(found.values()) == {0.125}
    assert len(bowl.asked) == 5


def test_a_start_that_is_loose_already_stays() -> None:
    assert drive(loosened(uniform(0.01)), Bowl())[1] == uniform(0.01)


def test_a_start_that_never_gets_loose_ends() -> None:
    _, found = drive(loosened(uniform()), Bowl(cost_bound=10**12))
    assert max(found.values()) == 2.0**-20


def test_every_point_is_asked_for_once() -> None:
    def search() -> Generator[Weights, Value, str]:
        first = yield uniform()
        near = yield uniform().with_dense({"distance": 1 + 1e-8})
        assert near is first
        other = yield uniform().with_dense({"distance": 1.001})
        assert other is not first
        return "done"

    bowl = Bowl()
    assert drive(distinct(search()), bowl)[1] == "done"
    assert len(bowl.asked) == 2


def test_a_score_that_is_no_number_is_the_worst() -> None:
    def error(weights: Weights) -> Value:
        lm = weights["language_model"]
        return Value(math.inf if lm > 1.1 else 0.5 - lm / 100, 100)

    found, _ = run(error)
    assert 1.0 < found["language_model"] <= 1.1


def test_a_gain_that_search_has_bought_is_told_once() -> None:
    listener = Listener()
    run(Bowl(cost_bound=10**9, language_model=4.0, word_count=4.0), listener)
    assert listener.warnings == []
    run(Bowl(cost_bound=10**9, **dict.fromkeys(VARIED, 0.0)), listener)
    [warning] = listener.warnings
    assert "bought with search" in warning


def test_many_weights_are_worth_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calque.tune.methods.simplex.MANY_WEIGHTS", 1)
    listener = Listener()
    run(Bowl(), listener)
    assert "2 weights are many" in listener.warnings[0]

"""The simplex method on weights: what it varies, what it keeps, what it remembers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.config import SimplexOptions, fill
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.progress import SILENT, Stage
from calque.tune.evaluation import Evaluation
from calque.tune.nelder_mead import Minimum
from calque.tune.simplex import descend, loosened
from calque.tune.values import ErrorFunction, Value
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
    """Scores that are best at given weights; the cost falls with their size."""

    def __init__(self, cost_bound: int = 5_000, **best: float) -> None:
        self.best = best
        self.cost_bound = cost_bound
        self.asked: list[dict[str, float]] = []

    def __call__(self, weights: Weights) -> Evaluation:
        self.asked.append(dict(weights))
        distance = sum((weights[name] - value) ** 2 for name, value in self.best.items())
        size = sum(abs(value) for value in weights.values()) / len(weights)
        cost = min(self.cost_bound, round(1_000 / max(size, 1e-9)))
        return Evaluation(dict(weights), {"bleu": 100 - 10 * distance, "nist": 5.0}, cost, 50)


def error(scores: Mapping[str, float]) -> float:
    return 1 - scores["bleu"] / 100


def uniform(value: float = 1.0) -> Weights:
    return Weights(dict.fromkeys(NAMES, value))


def run(bowl: Bowl, listener: Listener | None = None, **options: Any) -> tuple[Weights, Minimum]:
    function = ErrorFunction(bowl, error, progress=listener or SILENT)
    settings = fill(SimplexOptions(loosen=False, spread=1e-9, size=1e-6), options)
    return descend(function, uniform(), CONSTANT, settings, listener or SILENT)


def test_the_best_weights_are_found_and_others_stay() -> None:
    found, minimum = run(Bowl(language_model=1.5, word_count=-0.5))
    assert found["language_model"] == pytest.approx(1.5, abs=1e-3)
    assert found["word_count"] == pytest.approx(-0.5, abs=1e-3)
    assert {found[name] for name in CONSTANT} == {1.0}
    assert minimum.reason == "converged"


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
        weight_space(uniform(), [], fill(SimplexOptions(), options))


def test_weights_without_effect_are_one_clear_line() -> None:
    with pytest.raises(CalqueError, match="nothing to tune"):
        weight_space(uniform(), NAMES, SimplexOptions())


def test_the_start_is_halved_until_halving_means_nothing() -> None:
    # The cost is 1000 / size up to 5000: from a size of 1/8 on, the bound holds.
    bowl = Bowl()
    found = loosened(uniform(), ErrorFunction(bowl, error))
    assert set(found.values()) == {0.125}
    assert len(bowl.asked) == 5


def test_a_start_that_is_loose_already_stays() -> None:
    assert loosened(uniform(0.01), ErrorFunction(Bowl(), error)) == uniform(0.01)


def test_a_start_that_never_gets_loose_ends() -> None:
    bowl = Bowl(cost_bound=10**12)
    assert max(loosened(uniform(), ErrorFunction(bowl, error)).values()) == 2.0**-20


def test_every_point_is_evaluated_once() -> None:
    bowl = Bowl()
    function = ErrorFunction(bowl, error)
    first = function(uniform())
    near = Weights({**uniform(), "distance": 1 + 1e-8})
    assert function(near) is function(uniform()) is first
    assert len(bowl.asked) == function.n_values == 1
    function(Weights({**uniform(), "distance": 1.001}))
    assert len(bowl.asked) == function.n_values == 2


@pytest.mark.parametrize("kept", [0, 1, 2, 7, 30, 10_000])
def test_a_search_that_is_given_its_past_goes_on_as_if_nothing_had_happened(kept: int) -> None:
    options = fill(SimplexOptions(), {"max_evaluations": 30})
    log: list[tuple[int, Weights, Value]] = []

    def search(known: list[tuple[Weights, Value]]) -> tuple[Weights, int]:
        bowl = Bowl(language_model=0.2, word_count=0.3)
        function = ErrorFunction(bowl, error, known=known, record=lambda *line: log.append(line))
        return descend(function, uniform(), CONSTANT, options)[0], len(bowl.asked)

    whole, n_whole = search([])
    lines, log[:] = list(log), []
    again, n_again = search([(weights, value) for _, weights, value in lines[:kept]])
    assert dict(again) == dict(whole)
    assert n_again == max(0, n_whole - kept)
    assert lines[:kept] + log == lines
    assert [number for number, _, _ in lines] == list(range(n_whole))


def test_a_score_that_is_no_number_is_the_worst() -> None:
    def evaluate(weights: Weights) -> Evaluation:
        bleu = math.nan if weights["language_model"] > 1.1 else 50 + weights["language_model"]
        return Evaluation(dict(weights), {"bleu": bleu, "nist": 0.0}, 100, 50)

    function = ErrorFunction(evaluate, error)
    found, _ = descend(function, uniform(), CONSTANT, SimplexOptions())
    assert 1.0 < found["language_model"] <= 1.1
    assert function(Weights({**uniform(), "language_model": 2.0})).error == math.inf


def test_a_gain_that_search_has_bought_is_told_once() -> None:
    listener = Listener()
    run(Bowl(cost_bound=10**9, language_model=4.0, word_count=4.0), listener)
    assert listener.warnings == []
    run(Bowl(cost_bound=10**9, **dict.fromkeys(VARIED, 0.0)), listener)
    [warning] = listener.warnings
    assert "bought with search" in warning


def test_many_weights_are_worth_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("calque.tune.simplex.MANY_WEIGHTS", 1)
    listener = Listener()
    run(Bowl(), listener)
    assert "2 weights are many" in listener.warnings[0]

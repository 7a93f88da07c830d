"""Ways uphill: an iteration over all lists, in one step or in many small ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque._core import small_steps
from calque.tune.problem import Vector
from calque.tune.updates.gradient import GradientAdaGrad, GradientRule, GradientSgd
from calque.tune.xbleu.mixing import Steps
from calque.tune.xbleu.objective import ExpectedWorth

SGD_RATES = tuple(10.0**power for power in range(-1, 5))
"""What plain gradient steps try where they are given no rate."""
TRIED_ITERATIONS = 5

State: TypeAlias = Mapping[str, NDArray[Any]]


class Ascent(Protocol):
    """Moves weights, in place, by one iteration; remembers what the next one needs."""

    def advance(
        self, objective: ExpectedWorth, weights: Vector, n_dense: int, rng: np.random.Generator
    ) -> None:
        """One iteration; the first `n_dense` weights are of dense features."""

    def grow(self, n_weights: int, n_dense: int) -> None:
        """Make room for so many weights, the first of which are dense; some may be known."""

    def state(self) -> State:
        """Everything that the next iteration depends on beside the weights."""

    def restore(self, state: State) -> None:
        """Go on from what `state` gave."""


class FullSteps:
    """One step along the gradient of all lists."""

    def __init__(self, rule: GradientRule) -> None:
        """Take the rule of the step."""
        self.rule = rule

    def advance(
        self, objective: ExpectedWorth, weights: Vector, n_dense: int, rng: np.random.Generator
    ) -> None:
        """The step."""
        _, gradient = objective.gradient(weights)
        self.rule.step(weights, gradient, n_dense, objective.threads)

    def grow(self, n_weights: int, n_dense: int) -> None:
        """Make room in the memory of the rule."""
        self.rule.grow(n_weights, n_dense)

    def state(self) -> State:
        """The memory of the rule."""
        return self.rule.state()

    def restore(self, state: State) -> None:
        """Go on from it."""
        self.rule.restore(state)


class BatchSteps:
    """A step after every few sentences, in random order.

    The gradient is that of log U with U of the iteration before: that of a few sentences would
    count bad sentences more than good ones. Penalties are for the features of the batch only.
    """

    def __init__(self, rule: GradientSgd | GradientAdaGrad, batch: int) -> None:
        """Take the rule, and of how many sentences a step is made."""
        self.rule = rule
        self.batch = batch
        self.expected = 0.0

    def advance(
        self, objective: ExpectedWorth, weights: Vector, n_dense: int, rng: np.random.Generator
    ) -> None:
        """One pass over all sentences."""
        expected = self.expected or objective.value(weights).expected
        moving, penalised = (
            flags.astype(np.uint8) for flags in (objective.moving, objective.penalised)
        )
        squares = self.rule.memory.get("squares")
        if objective.learners is not None:
            steps = Steps(
                weights,
                squares,
                moving,
                penalised,
                type(self.rule.core),
                self.rule.rates,
                self.batch,
                1 / expected,
                objective.l2,
            )
            total = objective.learners.learn(steps, rng)
        else:
            total = small_steps(
                objective.lists,
                objective.worths,
                objective.scale,
                rng.permutation(objective.n_sentences),
                self.batch,
                1 / expected,
                objective.l2,
                moving,
                penalised,
                self.rule.core,
                weights,
                squares,
            )
        self.expected = total / objective.n_sentences

    def grow(self, n_weights: int, n_dense: int) -> None:
        """Make room in the memory of the rule."""
        self.rule.grow(n_weights, n_dense)

    def state(self) -> State:
        """The memory of the rule, and the last U."""
        return {**self.rule.state(), "expected": np.array(self.expected)}

    def restore(self, state: State) -> None:
        """Go on from it."""
        self.rule.restore(state)
        self.expected = float(state["expected"])


class RateSearch:
    """Plain steps whose rate is found at the first iteration: the best of several after a few."""

    def __init__(self, make: Callable[[float], Ascent]) -> None:
        """Take what makes an ascent of a rate."""
        self._make = make
        self._chosen: Ascent | None = None
        self._sizes = 0, 0
        self.rate = 0.0

    def advance(
        self, objective: ExpectedWorth, weights: Vector, n_dense: int, rng: np.random.Generator
    ) -> None:
        """One iteration, after some trials where the rate is not known."""
        if self._chosen is None:
            value_of = {rate: self._try(rate, objective, weights, n_dense) for rate in SGD_RATES}
            self._choose(max(value_of, key=lambda rate: value_of[rate]))
        assert self._chosen is not None
        self._chosen.advance(objective, weights, n_dense, rng)

    def _try(self, rate: float, objective: ExpectedWorth, weights: Vector, n_dense: int) -> float:
        ascent, tried = self._make(rate), weights.copy()
        ascent.grow(len(weights), n_dense)
        rng = np.random.default_rng(0)
        for _ in range(TRIED_ITERATIONS):
            ascent.advance(objective, tried, n_dense, rng)
            if not np.isfinite(tried).all():
                return -np.inf
        value = objective.value(tried).objective
        return value if np.isfinite(value) else -np.inf

    def _choose(self, rate: float) -> None:
        self.rate = rate
        self._chosen = self._make(rate)
        self._chosen.grow(*self._sizes)

    def grow(self, n_weights: int, n_dense: int) -> None:
        """Make room for so many weights."""
        self._sizes = n_weights, n_dense
        if self._chosen is not None:
            self._chosen.grow(n_weights, n_dense)

    def state(self) -> State:
        """The rate, and what the steps remember."""
        kept = {} if self._chosen is None else self._chosen.state()
        return {**kept, "rate": np.array(self.rate)}

    def restore(self, state: State) -> None:
        """Go on from it."""
        if rate := float(state["rate"]):
            self._choose(rate)
            assert self._chosen is not None
            self._chosen.restore(state)

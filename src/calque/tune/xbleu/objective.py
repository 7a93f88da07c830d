from __future__ import annotations

import math
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from calque._core import (
    DifferenceLists,
    expected_worth,
    finish_gradient,
    penalised_squares,
)
from calque.errors import CalqueError
from calque.tune.problem import Vector
from calque.tune.xbleu.mixing import Learners


class Value(NamedTuple):
    """What weights are worth on lists."""

    expected: float
    """The mean over sentences of the expected worth of a candidate, U."""
    objective: float
    """log U less penalties; higher is better."""


class Pass(Protocol):
    """One pass over all lists."""

    def __call__(self, weights: Vector, gradient: Vector | None = None) -> float:
        """The sum over sentences of the expected worth of a candidate.

        Its derivatives by the weights are added to `gradient`.
        """


class ExpectedWorth:
    """log U - l2 * |sparse weights|^2, where U is the expected worth of a candidate.

    The posterior of a candidate is in proportion to exp(scale * score). `moving` are the weights
    that have a gradient, `penalised` those that the penalty is for (Wuebker et al. 2015, eq. 8-13,
    scores instead of costs).
    """

    def __init__(
        self,
        lists: DifferenceLists,
        worths: Vector,
        n_sentences: int,
        *,
        moving: NDArray[np.bool_],
        penalised: NDArray[np.bool_],
        scale: float = 1.0,
        l2: float = 0.0,
        threads: int = 1,
        total: Pass | None = None,
        learners: Learners | None = None,
    ) -> None:
        """Take lists and what each candidate is worth; `total` sums up, by default the core.

        `learners` are who takes small steps, by default one here.
        """
        self.lists = lists
        self.worths = worths
        self.n_sentences = n_sentences
        self.moving = moving
        self.penalised = penalised
        self.scale = scale
        self.l2 = l2
        self.threads = threads
        self.total = total or self._core_total
        self.learners = learners

    def value(self, weights: Vector) -> Value:
        """The objective alone."""
        return self._value(self.total(weights), weights)

    def gradient(self, weights: Vector) -> tuple[Value, Vector]:
        """The objective, and its derivatives by the weights that may move."""
        sums = np.zeros(len(weights))
        value = self._value(self.total(weights, sums), weights)
        factor = 1 / (self.n_sentences * value.expected)
        moving, penalised = self.moving.view(np.uint8), self.penalised.view(np.uint8)
        finish_gradient(sums, factor, self.l2, weights, moving, penalised, self.threads)
        return value, sums

    def _core_total(self, weights: Vector, gradient: Vector | None = None) -> float:
        return expected_worth(self.lists, self.worths, self.scale, weights, self.threads, gradient)

    def _value(self, total: float, weights: Vector) -> Value:
        expected = total / self.n_sentences
        if expected <= 0:  # what is no number shows in the weights
            raise CalqueError(
                f"the expected worth of a candidate is {expected:g}: expected candidates that share"
                " some words with their references"
            )
        objective = math.log(expected)
        if self.l2:
            penalised = self.penalised.view(np.uint8)
            objective -= self.l2 * penalised_squares(weights, penalised, self.threads)
        return Value(expected, objective)

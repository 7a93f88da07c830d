from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from calque.features import Weights
from calque.progress import SILENT, Progress
from calque.tune.evaluation import Evaluation

DECIMALS = 6
"""Weights that are equal to so many decimals are the same point."""
MORE_SEARCH = 1.1
"""Growth of the cost that makes a better error suspicious."""


@dataclass(frozen=True)
class Value:
    """One value of the error function, and everything that was seen there."""

    error: float
    """Infinite where the score is no number."""
    scores: Mapping[str, float]
    n_hypotheses: int
    n_words: int


class ErrorFunction:
    """The error of the translated text as a function of the weights.

    Every point is evaluated once, whoever asks again. `known` are the values of a run that was
    interrupted: since nothing is random, a search that is given them repeats its steps and goes on
    where it stopped. `record` hears of every new value and its number, counted from 0.
    """

    def __init__(
        self,
        evaluate: Callable[[Weights], Evaluation],
        error: Callable[[Mapping[str, float]], float],
        *,
        known: Iterable[tuple[Weights, Value]] = (),
        record: Callable[[int, Weights, Value], None] = lambda number, weights, value: None,
        progress: Progress = SILENT,
    ) -> None:
        """Take how weights are evaluated and which error their scores have."""
        self._evaluate = evaluate
        self._error = error
        self._values = {_key(weights): value for weights, value in known}
        self._record = record
        self._progress = progress
        self._asked = set[tuple[float, ...]]()
        self._start: Value | None = None
        self._best: Value | None = None
        self._has_warned = False

    @property
    def n_values(self) -> int:
        """How many points were evaluated so far, those of `known` only if asked for again."""
        return len(self._asked)

    def begin(self, weights: Weights) -> None:
        """From here on, a better error that more search has bought is worth a warning."""
        self._start = self._best = self(weights)

    def __call__(self, weights: Weights) -> Value:
        """The value at a point, evaluated where it is new."""
        key = _key(weights)
        is_new = key not in self._values
        if is_new:
            self._values[key] = self._measure(weights)
        value = self._values[key]
        if key not in self._asked:
            if is_new:
                self._record(len(self._asked), weights, value)
            self._asked.add(key)
            self._watch(value)
        return value

    def _measure(self, weights: Weights) -> Value:
        found = self._evaluate(weights)
        error = self._error(found.scores)
        error = error if math.isfinite(error) else math.inf
        return Value(error, found.scores, found.n_hypotheses, found.n_words)

    def _watch(self, value: Value) -> None:
        if self._start is None or self._best is None or value.error >= self._best.error:
            return
        self._best = value
        growth = value.n_hypotheses / max(self._start.n_hypotheses, 1)
        if growth > MORE_SEARCH and not self._has_warned:
            self._has_warned = True
            self._progress.warn(
                f"the error falls while the search grows by {growth - 1:.0%}: part of the gain is"
                " bought with search (norm=l1 or fixed=NAME keep the scale of the weights)"
            )


def _key(weights: Weights) -> tuple[float, ...]:
    rounded = np.round(np.array(list(weights.values())), DECIMALS) + 0.0  # no minus zero
    return tuple(rounded.tolist())

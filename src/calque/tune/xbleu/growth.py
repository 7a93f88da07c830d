"""Growth transformation: the two phrase distributions of a model, re-estimated (He & Deng 2012)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError
from calque.features import Weights
from calque.model import Model
from calque.tune.problem import Vector
from calque.tune.xbleu.objective import ExpectedWorth

LEAST_DAMPING = 1e-2
MOST_DOUBLINGS = 60
DIRECTIONS = {"target_given_source": 2, "source_given_target": 0}
"""The features whose distributions are re-estimated, and the column of scores that each is."""


@dataclass(frozen=True, eq=False)
class Conditional:
    """One phrase distribution: of all blocks that share a source phrase, or a target phrase."""

    group: NDArray[np.int64]
    """Of every block, which phrase it shares."""
    n_groups: int
    first: Vector
    """The probabilities at the start; those of a group add up to 1."""
    weight: float
    """How much the log probability of a block weighs in scores."""

    @classmethod
    def of(cls, group: NDArray[Any], log_probs: NDArray[Any], weight: float) -> Conditional:
        """That of these blocks; what pruning took away is taken from nobody."""
        group = group.astype(np.int64)
        n_groups = int(group.max(initial=-1)) + 1
        probs = np.exp(log_probs.astype(np.float64))
        totals = np.bincount(group, probs, n_groups)
        return cls(group, n_groups, probs / totals[group], weight)

    def sums(self, values: Vector) -> Vector:
        """The sum of the values of every group."""
        return np.bincount(self.group, values, self.n_groups).astype(np.float64, copy=False)

    def moved(self, probs: Vector, slopes: Vector, kl: float, damping: float) -> Vector:
        """New probabilities: p <- (gamma + kl p0 + D p) / (sum gamma + kl + D).

        `slopes` are the derivatives of log U by the score of each block. D keeps numerators
        positive (a damping of 1 is the least that does); groups without a slope stay.
        """
        gamma = self.weight * slopes
        wanted = gamma + kl * self.first
        largest = np.full(self.n_groups, LEAST_DAMPING)
        np.maximum(largest, self.sums(np.abs(gamma)), out=largest)
        needed = np.divide(-wanted, probs, out=np.zeros_like(probs), where=probs > 0)
        np.maximum.at(largest, self.group, needed)
        factor = 2 * damping * largest
        divisor = self.sums(gamma) + kl + factor
        return (wanted + factor[self.group] * probs) / divisor[self.group]

    def divergence(self, probs: Vector) -> float:
        """KL(first || probs), summed over all groups."""
        seen = self.first > 0
        return float((self.first[seen] * np.log(self.first[seen] / probs[seen])).sum())


class Growth:
    """Both phrase distributions of all blocks, moved together; the objective never falls.

    What a block gains in log probability, times the weight of that feature, is the weight of its
    sparse feature: scores are the same as if both columns of the table were written anew, and the
    model stays as it is. Blocks that share a phrase with an active one move with it.
    """

    def __init__(
        self, conditionals: tuple[Conditional, ...], columns: NDArray[np.int64], kl: float
    ) -> None:
        """Take the distributions, the column of every block, and the weight of the divergence."""
        self.conditionals = conditionals
        self.columns = columns
        self.kl = kl
        self.probs = [conditional.first for conditional in conditionals]
        self.damping = 1.0
        self.start: Vector | None = None

    @classmethod
    def of(cls, model: Model, weights: Weights, columns: NDArray[np.int64], kl: float) -> Growth:
        """Those of a model; raises `CalqueError` where neither counts in scores."""
        blocks = model.blocks
        groups: dict[str, NDArray[Any]] = {
            "target_given_source": np.repeat(
                np.arange(blocks.n_sources), np.diff(blocks.block_offsets)
            ),
            "source_given_target": blocks.target_phrase,
        }
        conditionals = tuple(
            Conditional.of(groups[name], blocks.scores[:, column], weights[name])
            for name, column in DIRECTIONS.items()
            if weights.get(name, 0.0) != 0
        )
        if not conditionals:
            raise CalqueError(
                "update=gt re-estimates target_given_source and source_given_target: expected a"
                " model in which one of them has a weight"
            )
        return cls(conditionals, columns, kl)

    def advance(
        self, objective: ExpectedWorth, weights: Vector, n_dense: int, rng: np.random.Generator
    ) -> None:
        """One step of both; damped more and more until the objective does not fall."""
        places = n_dense + self.columns
        if self.start is None:
            self.start = weights[places]
        value, gradient = objective.gradient(weights)
        before = value.objective - self._divergence(self.probs)
        damping = max(1.0, self.damping / 2)
        for _ in range(MOST_DOUBLINGS):
            probs = [
                conditional.moved(now, gradient[places], self.kl, damping)
                for conditional, now in zip(self.conditionals, self.probs, strict=True)
            ]
            moved = weights.copy()
            moved[places] = self.start + self.gains(probs)
            after = objective.value(moved).objective - self._divergence(probs)
            if after >= before:
                self.probs, self.damping = probs, damping
                weights[places] = moved[places]
                return
            damping *= 2

    def gains(self, probs: list[Vector]) -> Vector:
        """What the blocks have gained in scores since the start."""
        total = np.zeros(len(self.columns))
        for conditional, now in zip(self.conditionals, probs, strict=True):
            change = np.zeros_like(now)
            seen = conditional.first > 0
            change[seen] = np.log(now[seen] / conditional.first[seen])
            total += conditional.weight * change
        return total

    def _divergence(self, probs: list[Vector]) -> float:
        if not self.kl:
            return 0.0
        pairs = zip(self.conditionals, probs, strict=True)
        return self.kl * sum(conditional.divergence(now) for conditional, now in pairs)

    def grow(self, n_weights: int, n_dense: int) -> None:
        """Nothing: it remembers blocks, of which there are no more."""

    def state(self) -> Mapping[str, NDArray[Any]]:
        """The probabilities, and the weights before the first step."""
        probs = {f"probs_{at}": now for at, now in enumerate(self.probs)}
        start = {} if self.start is None else {"start": self.start}
        return {**probs, **start, "damping": np.array(self.damping)}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from it."""
        self.probs = [np.array(state[f"probs_{at}"]) for at in range(len(self.conditionals))]
        self.start = np.array(state["start"]) if "start" in state else None
        self.damping = float(state["damping"])

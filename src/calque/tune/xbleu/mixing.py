"""Small steps by several learners, wherever an engine runs its tasks; their weights are mixed.

After McDonald, Hall & Mann (2010): in every iteration each learner goes over sentences of its own,
from the same weights. How many learners there are decides what is learned, so it is an option of
the method; where they work decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque._core import AdaGradStep, SgdStep, small_steps
from calque.parallel import Engine, Shared
from calque.tune.mixture import Mixture
from calque.tune.problem import Vector
from calque.tune.shard import dealt, rows_of, shard_of
from calque.tune.working_copy import WorkingCopy
from calque.tune.xbleu.worth_shard import WorthShard


class Steps(NamedTuple):
    """How a pass of small steps goes; of weights, those of whoever goes it."""

    weights: Vector
    squares: Vector | None
    """What a rule with shrinking rates remembers."""
    moving: NDArray[np.uint8]
    penalised: NDArray[np.uint8]
    rule: type[AdaGradStep] | type[SgdStep]
    rates: tuple[float, float, float]
    batch: int
    factor: float
    l2: float

    def of(self, own: NDArray[np.int64]) -> Steps:
        """The same with copies of some of the weights."""
        squares = None if self.squares is None else self.squares[own]
        return self._replace(
            weights=self.weights[own],
            squares=squares,
            moving=self.moving[own],
            penalised=self.penalised[own],
        )


@dataclass(frozen=True, eq=False)
class _Learner:
    """The sentences of a learner, and the weights that it knows, by their number here."""

    shard: Shared[WorthShard]
    own: NDArray[np.int64]
    n_sentences: int


class Learners:
    """Learners of lists, each of consecutive sentences."""

    def __init__(
        self, copy: WorkingCopy, worths: Vector, scale: float, n: int, engine: Engine
    ) -> None:
        """Deal the sentences out to `n` learners, or to as many as there are sentences."""
        self._engine = engine
        self._learners = []
        dense = np.arange(copy.dense.shape[1])
        for first, last in dealt(copy.n_sentences, n):
            lists, sparse, _ = shard_of(copy, first, last)
            shard = WorthShard(lists, worths[rows_of(copy, first, last)], scale)
            own = np.concatenate([dense, len(dense) + sparse.astype(np.int64)])
            self._learners.append(_Learner(engine.share(shard), own, last - first))

    def learn(self, steps: Steps, rng: np.random.Generator) -> float:
        """Move weights and squares, in place, by a pass of all learners; the sum of worths."""
        items = [
            (learner.shard, steps.of(learner.own), rng.permutation(learner.n_sentences))
            for learner in self._learners
        ]
        mixed, total = Mixture(steps.weights), 0.0
        grown = None if steps.squares is None else Mixture(steps.squares)
        results = self._engine.ordered_map(_learn, items)
        for learner, (weights, squares, worth) in zip(self._learners, results, strict=True):
            mixed.add(learner.own, weights)
            if grown is not None and squares is not None:
                grown.add(learner.own, squares)
            total += worth
        steps.weights[:] = mixed.result()
        if grown is not None and steps.squares is not None:
            steps.squares[:] = grown.result()
        return total


def _learn(
    given: tuple[Shared[WorthShard], Steps, NDArray[np.int64]],
) -> tuple[Vector, Vector | None, float]:
    """The task of an engine: weights, squares and the sum of worths after a learner's pass."""
    shared, steps, order = given
    shard, weights = shared.get(), steps.weights.copy()  # what was sent may be read only
    squares = None if steps.squares is None else steps.squares.copy()
    total = small_steps(
        shard.lists,
        shard.worths,
        shard.scale,
        order,
        steps.batch,
        steps.factor,
        steps.l2,
        steps.moving,
        steps.penalised,
        steps.rule(*steps.rates),
        weights,
        squares,
    )
    return weights, squares, total

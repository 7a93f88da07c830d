"""A pass over gold lattices: here, or by several learners wherever an engine runs its tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque.config import DecodeOptions
from calque.decode import GoldLattices, GoldText
from calque.decode.gold import Selection
from calque.features import Weights
from calque.model import Model
from calque.parallel import Shared
from calque.progress import Stage
from calque.tune.decoder_source import group_of
from calque.tune.force.gold_texts import GoldTexts
from calque.tune.force.learned_weights import LearnedWeights

if TYPE_CHECKING:
    from calque.tune.force.trainer import MaxForceOptions

COUNTS = ("examples", "updates", "invalid", "won")
State: TypeAlias = Mapping[str, NDArray[Any]]
Dealt: TypeAlias = tuple[Sequence[tuple[int, GoldLattices]], tuple[int, ...]]
"""Parts of the store with their numbers, and the seed of a learner."""


@dataclass(frozen=True)
class ModelFeatures:
    """The features of a model by name; it can be pickled."""

    model: Model
    dense_names: tuple[str, ...]
    fixed: tuple[str, ...]

    def sparse_group(self, name: str, keys: NDArray[np.uint64]) -> NDArray[np.bool_] | None:
        """Which of the keys are of a family or feature of the model."""
        return group_of(self.model, name, keys)


@dataclass(frozen=True, eq=False)
class LatticeLearner:
    """How weights learn from lattices; it can be pickled, and keeps no state."""

    options: MaxForceOptions
    search: DecodeOptions
    selection: Selection
    texts: GoldTexts
    features: ModelFeatures

    def weights(self, start: Weights, threads: int) -> LearnedWeights:
        """Weights that have not learned yet."""
        options = self.options
        return LearnedWeights(
            self.features,
            start,
            options.fixed,
            (options.dense_rate, options.sparse_rate),
            adaptive=options.update == "adagrad",
            keeps_dense_size=options.keep_dense_size,
            threads=threads,
        )

    def learn(
        self,
        weights: LearnedWeights,
        text: GoldText,
        rng: np.random.Generator,
        threads: int,
        stage: Stage | None = None,
    ) -> NDArray[np.int64]:
        """Move weights on all lattices of a text, a batch at a time, in random order; the counts.

        It stops where weights are no finite numbers.
        """
        options, counts = self.options, np.zeros(len(COUNTS), np.int64)
        order = rng.permutation(len(text))
        for first in range(0, len(order), options.batch):
            chosen = order[first : first + options.batch]
            violations = text.violations(
                chosen,
                weights.current,
                self.search,
                self.selection,
                good=options.correct_hypotheses,
                future_in_margin=options.future_cost == "margin",
                total=True,
                threads=threads,
            )
            share = 1 / len(chosen)
            values = violations.sparse.counts.astype(np.float64) * share
            weights.move(violations.dense[0] * share, violations.sparse.keys, values)
            if not weights.is_finite:
                break
            won = int(violations.is_won.sum())
            counts += (len(chosen), violations.n_updates, violations.n_invalid, won)
            if stage is not None:
                stage.advance(len(chosen))
        return counts

    @cached_property
    def _start(self) -> Weights:
        return Weights(dict.fromkeys(self.features.dense_names, 0.0))

    def pass_over(
        self, state: State, dealt: Dealt, threads: int
    ) -> tuple[State, NDArray[np.int64]]:
        """The state after a pass over some parts from another state, and the counts."""
        parts, seed = dealt
        weights, rng = self.weights(self._start, threads), np.random.default_rng(seed)
        weights.restore(state)
        counts = np.zeros(len(COUNTS), np.int64)
        for at, lattices in parts:
            counts += self.learn(weights, self.texts.text(at, lattices), rng, threads)
            if not weights.is_finite:
                break
        return weights.state(), counts


def learned_pass(
    learner: Shared[LatticeLearner], state: Shared[State], threads: int, dealt: Dealt
) -> tuple[State, NDArray[np.int64]]:
    """The task of an engine: the pass of a learner."""
    return learner.get().pass_over(state.get(), dealt, threads)

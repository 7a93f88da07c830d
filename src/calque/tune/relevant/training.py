from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from calque.decode import CandidateLists
from calque.features import Weights
from calque.hyps import Lists
from calque.tune.candidate_trainer import first_of_each
from calque.tune.judge import Verdict
from calque.tune.loop import Place
from calque.tune.pool_trainer import PoolTraining
from calque.tune.problem import Problem
from calque.tune.run import Round
from calque.tune.task import Task

if TYPE_CHECKING:
    from calque.tune.relevant.trainer import RelevantSetTrainer


class RelevantSetTraining(PoolTraining):
    """Rounds in which truths may come before all other candidates."""

    _trainer: RelevantSetTrainer

    def __init__(self, trainer: RelevantSetTrainer, task: Task, place: Place) -> None:
        """Begin with an empty pool."""
        super().__init__(trainer, task, place)
        self._n_truths: NDArray[np.int64] | None = None

    def state(self) -> Mapping[str, NDArray[Any]]:
        """What every pool training has, and how many of the first candidates are truths."""
        truths = {} if self._n_truths is None else {"n_truths": self._n_truths}
        return {**super().state(), **truths}

    def restore(self, rounds: Sequence[Round], state: Mapping[str, NDArray[Any]]) -> None:
        """Fill the pool with what the finished rounds brought."""
        super().restore(rounds, state)
        self._n_truths = state.get("n_truths")

    @property
    def _is_seeded(self) -> bool:
        return self._trainer.options.first_candidates == "seeds" or super()._is_seeded

    def _keeps_parts(self, round: int) -> bool:
        return super()._keeps_parts(round) and not self._trainer.seeks_truths

    def _gather(self, round: int, weights: Weights) -> tuple[int, Verdict | None]:
        if round > 0 or not self._trainer.seeks_truths:
            return super()._gather(round, weights)
        options, source, progress = self._trainer.options, self._task.source, self._place.progress
        truths = source.truths(options.n_truths, progress, brevity_penalty=options.brevity_penalty)
        n_truths, _ = self._collect(round, truths)
        lists = self._pool.lists()
        self._n_truths = np.diff(lists.offsets)
        if options.first_candidates != "bag":
            n_new, verdict = super()._gather(round, weights)
            return n_truths + n_new, verdict
        families = [name.strip() for name in options.bag_families.split(",")]
        concat = options.bag_worth == "concat"
        bags = source.bags(self._trainer.seed, families, progress, concat=concat)
        n_new, _ = self._collect(round, _beside(bags, lists))
        # What the first weights give is measured, but not learned from.
        batches = source.lists(weights, progress)
        chosen = [text for some in batches for text in first_of_each(some)]
        return n_truths + n_new, self._task.judge.verdict(chosen)

    def _problem(self, round: int, lists: Lists) -> Problem:
        return replace(super()._problem(round, lists), n_truths=self._n_truths)


def _beside(bags: Iterable[CandidateLists], truths: Lists) -> Iterator[CandidateLists]:
    """Bags with the dense features of the first truth of their sentence.

    A bag is no translation and has none of its own: equal ones cancel.
    """
    first = 0
    for lists in bags:
        sentences = np.repeat(np.arange(first, first + len(lists.lengths)), lists.lengths)
        begins, ends = truths.offsets[sentences], truths.offsets[sentences + 1]
        known = ends > begins
        dense = lists.dense.copy()
        dense[known] = truths.dense[begins[known]]
        yield replace(lists, dense=dense)
        first += len(lists.lengths)

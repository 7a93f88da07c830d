"""Trainers on pools: all candidates up to now, and one function that moves the weights on them."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from calque.features import Weights
from calque.hyps import Lists
from calque.tune.candidate_trainer import CandidateTrainer, CandidateTraining
from calque.tune.loop import Place, Training
from calque.tune.problem import Problem, Vector
from calque.tune.task import Task
from calque.tune.working_copy import WORKING_COPIES


class PoolTrainer(CandidateTrainer):
    """A method that moves weights on all candidates found so far, in one function."""

    @abstractmethod
    def update(self, problem: Problem, weights: Vector) -> Vector:
        """Better weights on the candidates up to now; the arguments stay as they are."""

    def begin(self, task: Task, place: Place) -> tuple[Training, Weights]:
        """A pool of candidates, empty as yet."""
        self.check(task, place)
        return PoolTraining(self, task, place), task.start


class PoolTraining(CandidateTraining):
    """Rounds of candidates and updates; all lists are by sentence, in memory or in mapped files."""

    _trainer: PoolTrainer

    def _updated(self, round: int, weights: Vector) -> Vector:
        return self._trainer.update(self._problem(round, self._pool.lists()), weights)

    def _problem(self, round: int, lists: Lists) -> Problem:
        trainer, task = self._trainer, self._task
        free = self._free()
        dense = np.array([task.start.get(name, 0.0) for name in lists.dense_names])
        return Problem(
            lists,
            task.metric,
            free,
            size=float(np.abs(dense[free[: lists.n_dense]]).sum()) or 1.0,
            rng=np.random.default_rng([trainer.seed, round]),
            threads=self._place.threads,
            is_first=round == 0,
            start=lambda: self._pool.vector(task.start),
            on_disk=not self._pool.store.has_room(WORKING_COPIES),
            engine=task.source.engine,
        )

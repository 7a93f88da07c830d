"""Trainers that move weights sentence by sentence: any loss with any update rule."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from calque.config import RoundOptions, option
from calque.hyps import Lists
from calque.tune.gain import background_gains
from calque.tune.losses.loss import Loss
from calque.tune.pool_trainer import PoolTrainer
from calque.tune.problem import Problem, Vector
from calque.tune.sentence import Sentence
from calque.tune.updates.update import Update


@dataclass(frozen=True)
class OnlineOptions(RoundOptions):
    """What every method has that learns sentence by sentence; methods add their own."""

    passes: int = option(10, "passes over the lists per round", least=1)


class OnlineTrainer(PoolTrainer):
    """A loss and an update rule, in several passes over the pool in random order.

    Dense features are taken in units of their spread within lists, so that a step means the same to
    each. The result is the mean of the weights over all sentences of all passes. For millions of
    updates write a kernel, as `mira` has one; this is the plain form.
    """

    can_repeat = True
    Options = OnlineOptions
    options: OnlineOptions

    @abstractmethod
    def loss(self) -> Loss:
        """What is wrong with weights."""

    @abstractmethod
    def rule(self, n_features: int) -> Update:
        """How they move; fresh for every round."""

    def update(self, problem: Problem, weights: Vector) -> Vector:
        """The averaged weights after all passes."""
        lists = problem.lists
        units = np.ones(len(weights))
        units[: lists.n_dense] = lists.spread()
        scaled = replace(lists, dense=lists.dense / units[: lists.n_dense])
        moved, mean = weights * units, Mean(len(weights))
        loss, rule = self.loss(), self.rule(len(weights))
        for _ in range(self.options.passes):
            gains = self._gains(problem, moved / units)
            for number in problem.rng.permutation(lists.n_sentences).tolist():
                sentence = _sentence(scaled, number, gains)
                direction = loss.direction(sentence, moved, problem.free)
                if direction is not None:
                    before = moved[direction.features]
                    rule.move(moved, direction)
                    mean.add(direction.features, moved[direction.features] - before)
                mean.n_seen += 1
        return np.where(problem.free, mean.of(moved) / units, weights)

    def _gains(self, problem: Problem, weights: Vector) -> Vector:
        """What every candidate adds to the corpus that the weights choose now."""
        lists = problem.lists
        background = lists.statistics[lists.best(weights)].sum(axis=0)
        return background_gains(problem.metric, lists.statistics, lists.offsets, background)


class Mean:
    """The mean of weights over time, of which each step changes only a few."""

    def __init__(self, n_features: int) -> None:
        """Begin before the first step."""
        self.n_seen = 0
        self._lag = np.zeros(n_features)

    def add(self, features: NDArray[np.int64], changes: Vector) -> None:
        """Tell of a change of the weights of these features, each once."""
        self._lag[features] += self.n_seen * changes

    def of(self, weights: Vector) -> Vector:
        """The mean over all steps, given the weights after the last."""
        return weights - self._lag / max(self.n_seen, 1)


def _sentence(lists: Lists, number: int, gains: Vector) -> Sentence:
    return Sentence(lists, number, gains[lists.offsets[number] : lists.offsets[number + 1]])

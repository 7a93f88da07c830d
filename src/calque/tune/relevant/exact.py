"""Relevant sets with exact minimisation, and how fast they converge (Tillmann & Zhang 2008).

The appendix of the paper proves that few alternatives per sentence are enough: each round adds, for
every truth, the alternative that the present weights lose most on, and then minimises the loss over
the sets exactly. That needs every candidate of a sentence, so it is for small problems: to see what
the online methods approximate, and how good the bound is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError, OptionError
from calque.tune.problem import Vector
from calque.tune.relevant.enumerated import EnumeratedSentence

PRECISION = 1e-7
"""How far the objective may lie above the dual one, relatively, before a minimum is none."""


@dataclass(frozen=True, eq=False)
class ExactRound:
    """What is known after a round l; round 0 is before any alternative was added."""

    number: int
    weights: Vector
    """w_l, the minimum of Q_l."""
    n_relevant: int
    """Alternatives in all sets together."""
    objective: float
    """Q_l(w_l): the regularised loss over the relevant sets."""
    full_objective: float
    """Q(w_l): the same over all candidates."""
    gap: float
    """delta_l = min Q - Q_l(w_l)."""
    steepest: float
    """M_l: the longest gradient of the loss of a truth, regularised, at the weights before.

    The gradient of lambda |w|^2 is 2 lambda w; the paper prints lambda w.
    """
    distance: float
    """Of w_l from the minimum of Q."""


@dataclass(frozen=True, eq=False)
class ExactTraining:
    """The minimum of the loss over all candidates, and the way there."""

    rounds: tuple[ExactRound, ...]
    regularisation: float

    @property
    def weights(self) -> Vector:
        """The minimum of Q."""
        return self.rounds[-1].weights

    @property
    def minimum(self) -> float:
        """Q there."""
        return self.rounds[-1].full_objective

    @property
    def constant(self) -> float:
        """A = 2 max M_l^2 / lambda, what the bound depends on instead of numbers of candidates."""
        steepest = max(done.steepest for done in self.rounds)
        return 2 * steepest**2 / self.regularisation

    @property
    def first_bounded(self) -> float:
        """l*: the bound holds from here on; before, the gap halves in every round."""
        at_zero = self.rounds[0].full_objective  # Q_1(0): the first alternatives lose most at 0
        if at_zero == 0:
            return 0.0
        return max(0.0, math.log2(at_zero / self.constant)) if self.constant > 0 else math.inf

    def bound(self, number: int) -> float:
        """The most that the gap can be after a round: 2A / (l - l* + 2); no bound before l*."""
        after = number - self.first_bounded
        return 2 * self.constant / (after + 2) if after >= 0 else math.inf

    def distance_bound(self, number: int) -> float:
        """The most that weights can lie from the minimum after a round."""
        return math.sqrt(self.bound(number) / self.regularisation)


def train_exactly(sentences: Sequence[EnumeratedSentence], regularisation: float) -> ExactTraining:
    """The weights that minimise the loss over all candidates, by growing relevant sets.

    The loss of a truth z is the largest (gain(z) - gain(z')) max(0, 1 - (s(z) - s(z')))^2 of the
    alternatives z'; Q is its mean over truths and sentences plus `regularisation` |w|^2. Rounds go
    on until no set grows, which is the minimum. Time grows with the alternatives that are added,
    not with those there are.
    """
    if regularisation <= 0:
        raise OptionError(f"regularisation={regularisation}: expected more than 0")
    if not sentences:
        raise CalqueError("no sentences: expected at least one")
    sets = _RelevantSets(sentences, regularisation)
    weights = np.zeros(sentences[0].features.shape[1])
    history = [(weights, 0, 0.0, sets.full_objective(weights), 0.0)]
    while (steepest := sets.grow(weights)) is not None:
        weights = sets.minimum()
        objectives = sets.objective(weights), sets.full_objective(weights)
        history.append((weights, sets.n_relevant, *objectives, steepest))
    best, _, _, minimum, _ = history[-1]
    rounds = [
        ExactRound(
            number=number,
            weights=weights,
            n_relevant=n_relevant,
            objective=objective,
            full_objective=full,
            gap=minimum - objective,
            steepest=steepest,
            distance=float(np.linalg.norm(weights - best)),
        )
        for number, (weights, n_relevant, objective, full, steepest) in enumerate(history)
    ]
    return ExactTraining(tuple(rounds), regularisation)


class _RelevantSets:
    """The alternatives that have been added, and the objectives over them and over all."""

    def __init__(self, sentences: Sequence[EnumeratedSentence], regularisation: float) -> None:
        self._sentences = sentences
        self._lambda = regularisation
        self._all = [sentence.alternatives for sentence in sentences]
        self._relevant: list[list[int]] = [[] for _ in sentences]

    @property
    def n_relevant(self) -> int:
        return sum(map(len, self._relevant))

    def objective(self, weights: Vector) -> float:
        return self._objective(weights, [np.array(some, np.int64) for some in self._relevant])

    def full_objective(self, weights: Vector) -> float:
        return self._objective(weights, self._all)

    def _objective(self, weights: Vector, sets: Sequence[NDArray[np.int64]]) -> float:
        total = 0.0
        for sentence, some in zip(self._sentences, sets, strict=True):
            if len(some):
                total += float(_losses(sentence, some, weights).max(axis=1).mean())
        return total / len(sets) + self._lambda * float(weights @ weights)

    def grow(self, weights: Vector) -> float | None:
        """Add the alternatives that lose most; the longest gradient, none if all were there."""
        steepest, grown = float(np.linalg.norm(2 * self._lambda * weights)), False
        for sentence, every, relevant in zip(
            self._sentences, self._all, self._relevant, strict=True
        ):
            if not len(every):
                continue
            chosen = every[_losses(sentence, every, weights).argmax(axis=1)]
            for truth, other in zip(sentence.truths, chosen, strict=True):
                difference = sentence.features[truth] - sentence.features[other]
                short = max(0.0, 1 - float(weights @ difference))
                slope = -2 * (sentence.gains[truth] - sentence.gains[other]) * short
                gradient = slope * difference + 2 * self._lambda * weights
                steepest = max(steepest, float(np.linalg.norm(gradient)))
                if int(other) not in relevant:
                    relevant.append(int(other))
                    grown = True
        return steepest if grown else None

    def minimum(self) -> Vector:
        """The weights of lowest objective.

        With u the root of the loss of a truth this is a quadratic problem: the smallest sum of
        share u^2 and lambda |w|^2 such that u >= sqrt(gain difference) (1 - w . features
        difference), for every truth and relevant alternative.
        """
        differences, roots, owners = [], [], []
        shares: list[float] = []
        for sentence, relevant in zip(self._sentences, self._relevant, strict=True):
            for truth in sentence.truths:
                gains = sentence.gains[truth] - sentence.gains[relevant]
                worse = np.array(relevant, np.int64)[gains > 0]
                if not len(worse):
                    continue
                differences.append(sentence.features[truth] - sentence.features[worse])
                roots.append(np.sqrt(gains[gains > 0]))
                owners.append(np.full(len(worse), len(shares)))
                shares.append(1 / (len(self._sentences) * len(sentence.truths)))
        n_features = self._sentences[0].features.shape[1]
        if not shares:
            return np.zeros(n_features)
        least, owner = np.concatenate(roots), np.concatenate(owners)
        rows = np.zeros((len(least), n_features + len(shares)))
        rows[:, :n_features] = (
            np.concatenate(differences) * least[:, None] / math.sqrt(self._lambda)
        )
        rows[np.arange(len(least)), n_features + owner] = 1 / np.sqrt(np.array(shares)[owner])
        return np.asarray(_least_norm(rows, least)[:n_features] / math.sqrt(self._lambda))


def _losses(
    sentence: EnumeratedSentence, others: NDArray[np.int64], weights: Vector
) -> NDArray[np.float64]:
    """What every truth, a row, loses on each of some alternatives."""
    scores = sentence.features @ weights
    short = np.maximum(0.0, 1 - (scores[sentence.truths][:, None] - scores[others]))
    return np.asarray(
        (sentence.gains[sentence.truths][:, None] - sentence.gains[others]) * short**2
    )


def _least_norm(rows: NDArray[np.float64], least: Vector) -> Vector:
    """The shortest vector v with rows @ v >= least (Lawson & Hanson 1974, chapter 23).

    Raises `CalqueError` where the dual problem does not confirm it.
    """
    from scipy.optimize import nnls  # here: it takes longer to import than commands to run

    system = np.vstack([rows.T, least])
    scale = np.linalg.norm(system, axis=0)
    wanted = np.zeros(len(system))
    wanted[-1] = 1.0
    multipliers, _ = nnls(system / scale, wanted)
    binding = multipliers > 0
    shortest = np.linalg.lstsq(rows[binding], least[binding], rcond=None)[0]
    # The multipliers, scaled best, give a lower bound on the norm.
    multipliers = multipliers / scale
    dual = float(least @ multipliers) ** 2 / float(np.sum((multipliers @ rows) ** 2))
    primal = float(shortest @ shortest)
    missing = float(np.max(least - rows @ shortest))
    if abs(primal - dual) > PRECISION * primal or missing > PRECISION * (1 + math.sqrt(primal)):
        raise CalqueError(
            "the exact minimum was not found: features of the sentences differ too much in size, or"
            " the regularisation is too small"
        )
    return np.asarray(shortest)

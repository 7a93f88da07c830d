"""Learning from relevant sets (Tillmann & Zhang 2008): all that its methods share.

The decoder is a black box: every round its output joins the candidates that were found before, and
weights are learned from all of them, from nothing or from where they were.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.config import RoundOptions, option
from calque.decode import CandidateLists
from calque.errors import OptionError
from calque.features import Weights
from calque.hyps import Lists
from calque.tune.differences import online_lists, seen_often
from calque.tune.freezing import free_features
from calque.tune.gain import background_gains, sentence_gains
from calque.tune.judge import Verdict
from calque.tune.loop import Place, Training
from calque.tune.pool_trainer import PoolTrainer, PoolTraining, first_of_each
from calque.tune.problem import Problem, Vector
from calque.tune.run import Round
from calque.tune.task import Task

FLAT = 0.1
"""The weight of every dense feature before anything is learned."""


@dataclass(frozen=True)
class RelevantSetOptions(RoundOptions):
    """What methods have that learn from relevant sets (Tillmann & Zhang 2008)."""

    rounds: int = option(30, "most rounds of decoding and learning", least=1)
    settled: float = option(
        0.0, "stop where no weight changes by more than this share of the largest", least=0
    )
    passes: int = option(40, "passes over the candidates per round", least=1)
    first: Literal["decoder", "seeds", "bag"] = option(
        "decoder",
        "the first candidates: the decoder's output under the first weights; under weights of 0.1"
        " each and others near them; or truths and a bag of random blocks",
    )
    truth: Literal["pool", "oracle", "all"] = option(
        "pool",
        "what should win: the best candidate found so far; the best of the translations closest to"
        " the reference that the model can produce; or each of these, on average",
    )
    n_truths: int = option(5, "translations closest to the reference that are sought", least=1)
    w0: Literal["zero", "flat", "start"] = option(
        "zero",
        "weights at the beginning of a round: 0; 0.1 for dense features; those of the start",
    )
    warm_start: bool = option(False, "begin a round with the weights of the one before")
    update: Literal["sgd", "adagrad", "passive-aggressive"] = option(
        "adagrad", "how weights move: by constant rates, by rates that shrink, or as far as needed"
    )
    dense_rate: float = option(0.1, "rate of dense features in sgd and adagrad", least=0)
    sparse_rate: float = option(0.02, "rate of sparse features in sgd and adagrad", least=0)
    step: float = option(0.01, "largest step of passive-aggressive updates", least=0)
    regularization: float = option(
        0.0, "weight of the squared norm: weights shrink by twice this times their rate", least=0
    )
    dense_units: Literal["plain", "spread"] = option(
        "spread", "dense features as they are, or in units of how much they vary within lists"
    )
    average: bool = option(True, "take the mean of the weights over all sentences of all passes")
    gain: Literal["sentence", "corpus"] = option(
        "sentence",
        "what a candidate is worth: its own score, or what it adds to that of all output",
    )
    brevity_penalty: bool = option(True, "whether the BLEU of a candidate counts its length")
    bag_families: str = option("P1,W1", "families of sparse features that a bag of blocks has")
    least_occurrences: int = option(
        2, "sparse features on fewer candidates than this are not learned", least=1, most=255
    )
    clip01: bool = option(False, "learn from whether a sparse feature is there, not from how often")


class RelevantSetTrainer(PoolTrainer):
    """A loss over relevant sets with any update rule, in passes over all sentences."""

    guards_length = False  # who starts from nothing begins with output of any length
    Options = RelevantSetOptions
    options: Any

    def __init__(self, *, seed: int = 1, **options: Any) -> None:
        """Take hyper-parameters by name."""
        super().__init__(seed=seed, **options)
        self.can_repeat = self.options.warm_start

    @abstractmethod
    def loss(self) -> _core.CostmarginLoss | _core.PerceptronLoss:
        """What is wrong with weights."""

    @property
    def seeks_truths(self) -> bool:
        """Whether translations closest to the references are looked for."""
        return bool(self.options.first == "bag" or self.options.truth != "pool")

    def begin(self, task: Task, place: Place) -> tuple[Training, Weights]:
        """A pool of candidates, empty as yet, and the first weights."""
        self.check(task, place)
        return RelevantSetTraining(self, task, place), self._first_weights(task)

    def _first_weights(self, task: Task) -> Weights:
        if self.options.first != "seeds":
            return task.start
        if not task.source.decodes_again:
            raise OptionError("first=seeds: only a model can decode with weights of its own")
        free = free_features(str(self.options.fixed), task.source, np.empty(0, np.uint64))
        names = zip(task.source.dense_names, free.tolist(), strict=True)
        return task.start.with_dense({name: FLAT for name, moves in names if moves})

    def update(self, problem: Problem, weights: Vector) -> Vector:
        """The weights after all passes."""
        options, lists = self.options, problem.lists
        begin = self._begin(problem, weights)
        moving = problem.free.copy()
        moving[lists.n_dense :] &= seen_often(lists, options.least_occurrences)
        units = np.ones(lists.n_dense)
        if options.dense_units == "spread":
            units = lists.spread()
        with online_lists(
            lists,
            moving,
            begin,
            units,
            clip=options.clip01,
            on_disk=problem.on_disk,
            threads=problem.threads,
        ) as compared:
            is_dense = moving[: lists.n_dense]
            dense = (begin[: lists.n_dense] * units)[is_dense]
            learned = self._learn(
                compared,
                np.concatenate([dense, begin[lists.n_dense :]]),
                len(dense),
                self._gains(problem, weights),
                self._n_truths(problem),
                problem.rng,
            )
        after = np.concatenate([begin[: lists.n_dense], learned[len(dense) :]])
        after[: lists.n_dense][is_dense] = learned[: len(dense)] / units[is_dense]
        return after

    def _begin(self, problem: Problem, weights: Vector) -> Vector:
        """The weights that a round begins with; fixed ones are as they were."""
        options = self.options
        if options.warm_start:
            return weights
        if options.w0 == "start":
            if problem.start is None:
                raise RuntimeError("a problem without a start")
            return problem.start()
        begin = np.where(problem.free, 0.0, weights)
        if options.w0 == "flat":
            n_dense = problem.lists.n_dense
            begin[:n_dense][problem.free[:n_dense]] = FLAT
        return begin

    def _gains(self, problem: Problem, weights: Vector) -> Vector:
        """What every candidate is worth."""
        lists, metric = problem.lists, problem.metric
        if self.options.gain == "sentence":
            return sentence_gains(metric, lists.statistics, self.options.brevity_penalty)
        background = lists.statistics[lists.best(weights)].sum(axis=0)
        return background_gains(metric, lists.statistics, lists.offsets, background)

    def _n_truths(self, problem: Problem) -> NDArray[np.int64]:
        if self.options.truth == "pool" or problem.n_truths is None:
            return np.zeros(problem.lists.n_sentences, np.int64)
        return problem.n_truths

    def _learn(
        self,
        lists: _core.OnlineLists,
        weights: Vector,
        n_dense: int,
        gains: Vector,
        n_truths: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> Vector:
        """The weights, dense ones first, after all passes, or their mean."""
        options = self.options
        rates = options.dense_rate, options.sparse_rate
        dense, sparse = (1 - 2 * rate * options.regularization for rate in rates)
        if min(dense, sparse) <= 0:
            raise OptionError(
                f"regularization={options.regularization}: expected less than 1 / (2 * rate)"
            )
        rule = _rule(options.update, rates, options.step)
        squares = np.zeros(len(weights)) if options.update == "adagrad" else None
        lag = np.zeros(len(weights)) if options.average else None
        times, loss, n_sentences = np.zeros(2), self.loss(), len(n_truths)
        for _ in range(options.passes):
            order = rng.permutation(n_sentences)
            lists.learn(
                order, gains, n_truths, loss, rule, dense, sparse, weights, times, lag, squares
            )
        if lag is None:
            return weights
        weights[:n_dense] *= times[0]
        weights[n_dense:] *= times[1]
        weights -= lag
        weights /= options.passes * n_sentences
        return weights


def _rule(
    name: str, rates: tuple[float, float], step: float
) -> _core.SgdUpdate | _core.AdaGradUpdate | _core.PassiveAggressiveUpdate:
    if name == "sgd":
        return _core.SgdUpdate(*rates)
    if name == "adagrad":
        return _core.AdaGradUpdate(*rates)
    return _core.PassiveAggressiveUpdate(step)


class RelevantSetTraining(PoolTraining):
    """Rounds in which truths may come before everything else."""

    _trainer: RelevantSetTrainer

    def __init__(self, trainer: RelevantSetTrainer, task: Task, place: Place) -> None:
        """Begin with an empty pool."""
        super().__init__(trainer, task, place)
        self._n_truths: NDArray[np.int64] | None = None

    def state(self) -> Mapping[str, NDArray[Any]]:
        """How many of the first candidates of each sentence are truths."""
        return {} if self._n_truths is None else {"n_truths": self._n_truths}

    def restore(self, rounds: Sequence[Round], state: Mapping[str, NDArray[Any]]) -> None:
        """Fill the pool with what the finished rounds brought."""
        super().restore(rounds, state)
        self._n_truths = state.get("n_truths")

    @property
    def _is_seeded(self) -> bool:
        return self._trainer.options.first == "seeds" or super()._is_seeded

    def _gather(self, round: int, weights: Weights) -> tuple[int, Verdict | None]:
        options, source, n_new = self._trainer.options, self._task.source, 0
        if round == 0 and self._trainer.seeks_truths:
            found = source.truths(
                options.n_truths,
                self._place.progress,
                brevity_penalty=options.brevity_penalty,
            )
            n_new, _ = self._collect(round, found)
            lists = self._pool.lists()
            self._n_truths = np.diff(lists.offsets)
            if options.first == "bag":
                families = [name.strip() for name in options.bag_families.split(",")]
                bags = source.bags(self._trainer.seed, families, self._place.progress)
                n_new += self._collect(round, _beside(bags, lists))[0]
                # What the first weights give is measured, but nothing to learn from.
                chosen = [
                    text
                    for some in source.lists(weights, self._place.progress)
                    for text in first_of_each(some)
                ]
                return n_new, self._task.judge.verdict(chosen)
        more, verdict = super()._gather(round, weights)
        return n_new + more, verdict

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

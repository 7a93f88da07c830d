"""Learning from relevant sets (Tillmann & Zhang 2008): all that its methods share.

The decoder is a black box: every round its output joins the candidates that were found before, and
weights are learned from all of them, from nothing or from where they were.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.config import RoundOptions, option
from calque.errors import OptionError
from calque.features import Weights
from calque.parallel import Engine, Here
from calque.tune.freezing import free_features
from calque.tune.gain import background_gains, sentence_gains
from calque.tune.loop import Place, Training
from calque.tune.pool_trainer import PoolTrainer
from calque.tune.problem import Problem, Vector
from calque.tune.relevant.mixed_passes import How, MixedPasses
from calque.tune.relevant.passes import CoreLoss, CoreUpdate, Passes
from calque.tune.relevant.training import RelevantSetTraining
from calque.tune.relevant.whole_passes import WholePasses
from calque.tune.task import Task
from calque.tune.updates.gradient import GradientRprop
from calque.tune.working_copy import WorkingCopy, seen_often

SomePasses: TypeAlias = Passes | MixedPasses | WholePasses

RPROP = (1.2, 0.5, 1e-9, 1.0, False)
"""By what steps grow and shrink, and their limits (Wuebker et al. 2015); not to the letter."""
FLAT = 0.1
"""The weight of every dense feature before anything is learned."""


@dataclass(frozen=True)
class RelevantSetOptions(RoundOptions):
    """What methods have that learn from relevant sets (Tillmann & Zhang 2008)."""

    rounds: int = option(30, "maximum number of rounds of decoding and learning", least=1)
    min_change: float = option(
        0.0,
        "stop when no weight changes by more than this fraction of the largest weight",
        least=0,
        was="settled",
    )
    passes: int = option(40, "passes over the candidates per round", least=1)
    first_candidates: Literal["decoder", "seeds", "bag"] = option(
        "decoder",
        "the first candidates: the decoder's output under the first weights (decoder), its"
        " output under weights of 0.1 each and others near them (seeds), or truths and a bag"
        " of random blocks (bag)",
        was="first",
    )
    truth: Literal["pool", "oracle", "all"] = option(
        "pool",
        "which candidate should win: the best one found so far (pool); the best of the"
        " translations closest to the reference that the model can produce (oracle); or each"
        " of these, with the mean of their losses (all)",
    )
    truth_candidates: int = option(
        0,
        "look for the best candidate among only this many, those with the highest model"
        " scores; 0 for all",
        least=0,
        was="near",
    )
    n_truths: int = option(
        5, "how many of the translations closest to the reference are searched for", least=1
    )
    first_weights: Literal["zero", "flat", "start"] = option(
        "zero",
        "weights at the beginning of each round: 0 (zero), 0.1 for dense features (flat),"
        " or those that the run started with (start)",
        was="w0",
    )
    warm_start: bool = option(False, "begin each round with the weights of the one before")
    update: Literal["sgd", "adagrad", "passive-aggressive", "rprop"] = option(
        "adagrad",
        "how weights are updated: at constant rates (sgd), at shrinking rates (adagrad),"
        " just as far as needed (passive-aggressive), or once per pass by the signs of the"
        " summed directions (rprop)",
    )
    shards: int = option(
        1,
        "number of learners among which the sentences are divided; learners may run on a"
        " cluster; after each pass over its own sentences, every learner continues with the"
        " mean of all weights",
        least=1,
    )
    dense_rate: float = option(
        0.1, "learning rate of dense weights in sgd and adagrad, their first step in rprop", least=0
    )
    sparse_rate: float = option(
        2e-4,
        "learning rate of sparse weights in sgd and adagrad, their first step in rprop",
        least=0,
    )
    step: float = option(0.01, "largest step of a passive-aggressive update", least=0)
    regularization: float = option(
        0.0,
        "weight of the squared norm in the loss: each update shrinks the weights by twice"
        " this times their rate",
        least=0,
    )
    dense_units: Literal["plain", "spread"] = option(
        "spread",
        "take dense features as they are (plain), or in units of how much they vary"
        " within lists (spread)",
    )
    average: bool = option(True, "average the weights over all sentences of all passes")
    keep: Literal["last", "best"] = option(
        "best",
        "which weights a round ends with: those after its last pass (last), or those of its"
        " best pass (best)",
    )
    candidate_score: Literal["sentence", "corpus"] = option(
        "corpus",
        "how a candidate is judged: by its own score (sentence), or by what it adds to the"
        " score of the whole output (corpus)",
        was="gain",
    )
    brevity_penalty: bool = option(
        True, "take the length of a candidate into account in its own BLEU"
    )
    bag_families: str = option("P1,W1", "families of sparse features used in a bag of blocks")
    bag_worth: Literal["zero", "concat"] = option(
        "zero",
        "how a bag is judged: as worth nothing (zero), or by its target phrases joined in"
        " source order (concat)",
    )
    least_occurrences: int = option(
        2,
        "sparse features that occur in fewer candidates than this are not learned",
        least=1,
        most=255,
    )
    binary_sparse: bool = option(
        False, "use only whether a sparse feature occurs (0 or 1), not how often", was="clip01"
    )


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
    def loss(self) -> CoreLoss:
        """What is wrong with weights."""

    @property
    def seeks_truths(self) -> bool:
        """Whether translations closest to the references are looked for."""
        return bool(self.options.first_candidates == "bag" or self.options.truth != "pool")

    def check(self, task: Task, place: Place) -> None:
        """Raise where options do not go with each other or with the task."""
        super().check(task, place)
        if self.options.shards > 1 and self.options.update == "rprop":
            raise OptionError(
                "shards goes with update=sgd, adagrad or passive-aggressive, not with rprop, whose"
                " steps are along sums over all sentences"
            )

    def begin(self, task: Task, place: Place) -> tuple[Training, Weights]:
        """A pool of candidates, empty as yet, and the first weights."""
        self.check(task, place)
        return RelevantSetTraining(self, task, place), self._first_weights(task)

    def _first_weights(self, task: Task) -> Weights:
        if self.options.first_candidates != "seeds":
            return task.start
        if not task.source.decodes_again:
            raise OptionError(
                "first_candidates=seeds: only a model can decode with weights of its own"
            )
        free = free_features(str(self.options.fixed), task.source, np.empty(0, np.uint64))
        names = zip(task.source.dense_names, free.tolist(), strict=True)
        return task.start.with_dense({name: FLAT for name, moves in names if moves})

    def update(self, problem: Problem, weights: Vector) -> Vector:
        """The weights after all passes."""
        options, lists = self.options, problem.lists
        begin = self._begin(problem, weights)
        moving = problem.free.copy()
        moving[lists.n_dense :] &= seen_often(lists, options.least_occurrences)
        units = lists.spread() if options.dense_units == "spread" else np.ones(lists.n_dense)
        is_dense = moving[: lists.n_dense]
        dense = (begin[: lists.n_dense] * units)[is_dense]
        copy = WorkingCopy(
            [lists],
            moving,
            begin,
            units,
            clip=options.binary_sparse,
            on_disk=problem.on_disk,
            threads=problem.threads,
        )
        inner = np.concatenate([dense, begin[lists.n_dense :]])
        passes = self._passes(copy, inner, len(dense), problem.engine or Here(problem.threads))
        learned = self._learned(passes, problem, weights)
        is_sparse = moving[lists.n_dense :]
        begin[lists.n_dense :][is_sparse] = learned[len(dense) :][is_sparse]
        begin[: lists.n_dense][is_dense] = learned[: len(dense)] / units[is_dense]
        return begin

    def _passes(
        self, copy: WorkingCopy, weights: Vector, n_dense: int, engine: Engine
    ) -> SomePasses:
        options, loss, lists = self.options, self.loss(), copy.lists
        if options.update == "rprop":
            return WholePasses(
                lists,
                weights,
                n_dense,
                loss,
                GradientRprop(options.dense_rate, options.sparse_rate, *RPROP),
                penalty=options.regularization,
                average=options.average,
            )
        shrink = self._shrink()
        if options.shards > 1:
            how = How(self, n_dense, shrink, options.average)
            return MixedPasses(copy, weights, how, options.shards, engine)
        rule = self.rule()
        return Passes(lists, weights, n_dense, loss, rule, shrink=shrink, average=options.average)

    def _learned(self, passes: SomePasses, problem: Problem, weights: Vector) -> Vector:
        """The last or the best result of all passes; `weights` are those before the round."""
        options, lists, metric = self.options, problem.lists, problem.metric
        n_truths = self._n_truths(problem)
        by_corpus, by_score = options.candidate_score == "corpus", options.keep == "best"
        if by_corpus:
            background = lists.statistics[lists.best(weights)].sum(axis=0)
        else:
            gains = sentence_gains(metric, lists.statistics, options.brevity_penalty)
        kept, highest = np.empty(0), -np.inf
        for at in range(options.passes):
            if by_corpus:
                gains = background_gains(metric, lists.statistics, lists.offsets, background)
            passes.learn(problem.rng.permutation(lists.n_sentences), gains, n_truths)
            is_last = at + 1 == options.passes
            if by_score or (by_corpus and not is_last):
                result = passes.result
                chosen = passes.best(result, problem.threads)
                background = lists.statistics[chosen].sum(axis=0)
                score = problem.sign * float(metric.score(background))
                if by_score and (score > highest or not len(kept)):
                    kept, highest = result, score
        return kept if by_score else passes.result

    def _begin(self, problem: Problem, weights: Vector) -> Vector:
        """A copy of the weights that a round begins with; fixed ones are as they were."""
        options = self.options
        if options.warm_start:
            return weights.copy()
        if options.first_weights == "start":
            if problem.start is None:
                raise RuntimeError("a problem without a start")
            return problem.start()
        begin = np.where(problem.free, 0.0, weights)
        if options.first_weights == "flat":
            n_dense = problem.lists.n_dense
            begin[:n_dense][problem.free[:n_dense]] = FLAT
        return begin

    def _n_truths(self, problem: Problem) -> NDArray[np.int64]:
        if self.options.truth == "pool" or problem.n_truths is None:
            return np.zeros(problem.lists.n_sentences, np.int64)
        return problem.n_truths

    def _shrink(self) -> tuple[float, float]:
        options = self.options
        dense, sparse = (
            1 - 2 * rate * options.regularization
            for rate in (options.dense_rate, options.sparse_rate)
        )
        if min(dense, sparse) <= 0:
            raise OptionError(
                f"regularization={options.regularization}: expected less than 1 / (2 * rate)"
            )
        return dense, sparse

    def rule(self) -> CoreUpdate:
        """How weights move."""
        options = self.options
        if options.update == "sgd":
            return _core.SgdUpdate(options.dense_rate, options.sparse_rate)
        if options.update == "adagrad":
            return _core.AdaGradUpdate(options.dense_rate, options.sparse_rate)
        return _core.PassiveAggressiveUpdate(options.step)

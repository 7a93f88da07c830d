"""MaxForce (Yu et al. 2013): learning from search errors on the training corpus.

The positive example of a sentence pair is the best derivation that gives its reference, out of a
gold lattice that forced decoding found; the negative one is what the beam search prefers. They are
compared where the search goes wrong, in the middle of a sentence, so that an update mends what made
the beam lose the reference. Methods differ in where that is. With rules the places are spans (Zhao
et al. 2014).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from calque.config import DecodeOptions, ForceOptions, LeaveOneOutOptions, option
from calque.decode.gold import Selection
from calque.errors import CalqueError, OptionError
from calque.features import SparseWeights, Weights
from calque.parallel import Here, Shared
from calque.progress import Stage
from calque.tune.decoder_task import DecoderTask
from calque.tune.force.gold_store import GoldStore
from calque.tune.force.learner import (
    COUNTS,
    LatticeLearner,
    ModelFeatures,
    State,
    learned_pass,
)
from calque.tune.force.outcome import Outcome
from calque.tune.freezing import free_features
from calque.tune.loop import Measured, Place, Step, Trainer, Training
from calque.tune.run import Round
from calque.tune.task import Task


@dataclass(frozen=True)
class MaxForceOptions:
    """How weights are learned from search errors (Yu et al. 2013)."""

    rounds: int = option(15, "iterations over the training corpus", least=1)
    beam: int = option(
        30,
        "hypotheses kept per stack, or per span with engine=chart, while learning",
        least=1,
    )
    pop_limit: int = option(
        400,
        "hypotheses that cube pruning tries per stack, or per span, while learning; 0 tries all",
        least=0,
    )
    future_cost: Literal["none", "ranking", "margin"] = option(
        "none",
        "where the estimated future cost is used while learning: nowhere (none), in the"
        " ranking of the beam (ranking), or also in the choice of the two derivations of an"
        " update (margin)",
    )
    batch: int = option(24, "number of sentence pairs per update, which is their mean", least=1)
    shards: int = option(
        1,
        "number of learners among which the sentence pairs are divided, in portions of a"
        " thousand; learners may run on a cluster; after each iteration over its own pairs,"
        " every learner continues with the mean of all weights",
        least=1,
    )
    first_weights: Literal["zero", "start"] = option(
        "start", "weights to begin with: 0 (zero), or those of the model (start)", was="w0"
    )
    update: Literal["perceptron", "adagrad"] = option(
        "adagrad",
        "step sizes: constant (perceptron), or shrinking for each feature separately (adagrad)",
    )
    dense_rate: float = option(
        0.001, "learning rate of dense weights; 1 in the paper's perceptron", least=0
    )
    sparse_rate: float = option(
        5e-5, "learning rate of sparse weights; 1 in the paper's perceptron", least=0
    )
    keep_dense_size: bool = option(
        False,
        "after every step, rescale the dense weights so that their absolute values add up"
        " to the same sum as at the start; otherwise references that score badly make all of"
        " them shrink",
    )
    average: bool = option(
        True, "average the weights over all updates; this average is what is measured and returned"
    )
    reset_at_end: str = option(
        "",
        "weights that are learned, but reset at the end, named as in 'fixed': they absorb"
        " what all references have in common, which other weights would have to learn"
        " otherwise",
        was="aside",
    )
    sparse_factors: str = option(
        "1",
        "factor by which the sparse weights are multiplied in the end; if several are"
        " given, separated by commas, the best one on the development set is chosen after"
        " every iteration",
        was="factors",
    )
    correct_hypotheses: Literal["lattice", "all_prefixes"] = option(
        "lattice",
        "which hypotheses count as right: those that can still become the reference"
        " (lattice), or all that agree with its beginning (all_prefixes); with lattice,"
        " those that agree with its beginning but can no longer become the reference are"
        " neither right nor wrong",
        was="good",
    )
    prefixes: Literal["longest", "all", "none"] = option(
        "longest", "which prefix pairs stand in for a sentence pair that cannot be derived"
    )
    min_prefix: int = option(5, "shortest prefix pair to use, in source words", least=1)
    leave_one_out: Literal["one-count", "counts", "none"] = option(
        "one-count",
        "what the model forgets about a sentence pair while learning from it: the blocks"
        " that occur in no other pair (one-count), its share of all counts, including those"
        " blocks (counts), or nothing (none)",
    )
    lm_folds: int = option(
        0,
        "while learning, split the text into this many parts, and score each with language"
        " models trained on the others; 0 uses the model's own, which are overconfident on"
        " text that they were trained on",
        least=0,
    )
    n_pairs: int = option(
        0, "number of sentence pairs to learn from, the first ones of the text; 0 for all", least=0
    )
    max_words: int = option(80, "sentence pairs with a longer source are skipped", least=1)
    forced_mb: int = option(
        500,
        "memory for forced decoding, in MB per thread; sentence pairs that need more are skipped",
        least=1,
    )
    fixed: str = option(
        "",
        "weights that stay as they are, separated by commas: names of features, families of"
        " sparse features, or 'dense' or 'sparse' for all weights of a kind",
    )


class MaxForceTrainer(Trainer):
    """Updates on search errors; a method says which."""

    guards_length = False  # who starts from nothing begins with output of any length
    Options = MaxForceOptions
    options: MaxForceOptions
    selection: ClassVar[Selection]

    def begin(self, task: Task, place: Place) -> tuple[Training, Weights]:
        """The gold lattices, found, and the first weights."""
        if not isinstance(task, DecoderTask):
            raise CalqueError(
                f"{self.method} learns from the sentence pairs of a model: it needs one, not n-best"
                " lists or condensed weights"
            )
        if task.source.leaves_one_out:
            raise CalqueError(
                f"{self.method} learns from the sentence pairs that the model keeps, and leaves"
                " each of them out as its option leave_one_out says: the text to tune on is a"
                " development set"
            )
        if task.model.decode_options.normaliser != "none":
            raise OptionError(
                f"{self.method} learns scores that are not normalised: expected"
                " decode.normaliser=none"
            )
        if task.model.decode_options.engine == "chart" and self.options.future_cost != "none":
            raise OptionError(
                f"future_cost={self.options.future_cost}: {self.method} with engine=chart has no"
                " estimate of future cost, expected none"
            )
        free = free_features(self.options.fixed, task.source, np.empty(0, np.uint64))
        key = free_features(self.options.fixed, task.source, np.zeros(1, np.uint64))
        if not free.any() and not (task.source.has_families and key[-1]):
            raise OptionError("every feature is fixed: expected one to tune")
        start = self._start(task)
        return MaxForceTraining(self, task, place, start), start

    def _start(self, task: DecoderTask) -> Weights:
        """The first weights; with first_weights=zero those that may move are 0."""
        start = task.start
        if self.options.first_weights == "start":
            return start
        keys, values = start.sparse.to_arrays().values()
        free = free_features(self.options.fixed, task.source, keys)
        moves, sparse = free[: len(start)], ~free[len(start) :]
        dense = np.where(moves, 0.0, start.vector(task.source.dense_names))
        return Weights(
            dict(zip(task.source.dense_names, dense.tolist(), strict=True)),
            SparseWeights.from_arrays(keys[sparse], values[sparse]),
        )


class MaxForceTraining(Training):
    """Iterations over the gold lattices; the text of the task is decoded between them."""

    def __init__(
        self, trainer: MaxForceTrainer, task: DecoderTask, place: Place, start: Weights
    ) -> None:
        """Find the lattices, or read them where a killed run left them."""
        options, model = trainer.options, task.model
        self._trainer = trainer
        self._task = task
        self._place = place
        self._search = _search(model.decode_options, options)
        self._outcome = Outcome(task, start, options.reset_at_end, options.sparse_factors)
        self._store = GoldStore(
            model,
            ForceOptions(
                **self._search.rules(),
                memory_mb=options.forced_mb,
                max_words=options.max_words,
                min_prefix=options.min_prefix,
            ),
            prefixes=options.prefixes,
            leave_one_out=(
                None
                if options.leave_one_out == "none"
                else LeaveOneOutOptions(what=options.leave_one_out, unseen_log_prob=None)
            ),
            n_pairs=options.n_pairs,
            lm_folds=options.lm_folds,
            memory_mb=place.memory_mb,
            folder=place.run.pool,
            threads=place.threads,
            engine=task.source.engine,
            progress=place.progress,
        )
        if self._store.n_lattices == 0:
            raise CalqueError(
                "no sentence pair can be derived, nor a prefix of one: there is nothing to learn"
                " from"
            )
        names, fixed = task.source.dense_names, task.source.fixed
        self._learner = LatticeLearner(
            options,
            self._search,
            trainer.selection,
            self._store.texts,
            ModelFeatures(model, names, fixed),
        )
        self._weights = self._learner.weights(start, place.threads)
        self._engine = task.source.engine or Here(place.threads)
        self._shared: Shared[LatticeLearner] | None = None
        self._counts = np.zeros(len(COUNTS), np.int64)

    def state(self) -> Mapping[str, NDArray[Any]]:
        """The weights without their mean, what their rates depend on, and the last counts."""
        return {"counts": self._counts, **self._weights.state()}

    def restore(self, rounds: Sequence[Round], state: Mapping[str, NDArray[Any]]) -> None:
        """Go on with the weights of the last round."""
        self._counts = state["counts"]
        self._weights.restore(state)

    def measure(self, round: int, weights: Weights) -> Measured:
        """The score of the text of the task, decoded; shares of updates are recorded."""
        verdict = self._task.judge.verdict(self._task.translate(weights))
        scores = None
        if round:
            counts = dict(zip(COUNTS, self._counts.tolist(), strict=True))
            scores = {
                "updates": counts["updates"] / counts["examples"],
                "invalid_updates": counts["invalid"] / max(counts["updates"], 1),
                "references_won": counts["won"] / counts["examples"],
                "sparse_features": float(self._weights.n_sparse),
            }
        return Measured(verdict, n_candidates=self._store.n_lattices, scores=scores)

    def step(self, round: int, weights: Weights, measured: Measured) -> Step:
        """The weights after one iteration over all lattices."""
        self._counts = np.zeros(len(COUNTS), np.int64)
        rng = np.random.default_rng([self._trainer.seed, round])
        name = f"{self._trainer.method}, iteration {round + 1}"
        with self._place.progress.stage(name, self._store.n_lattices) as stage:
            parts = rng.permutation(len(self._store)).tolist()
            if self._trainer.options.shards > 1:
                self._mix(round, parts, stage)
            else:
                self._learn(parts, rng, stage)
        if not self._weights.is_finite:
            return Step(guard="weights are no finite numbers: expected smaller rates")
        return Step(weights=self._outcome.of(self._weights.kept(self._trainer.options.average)))

    def _learn(self, parts: Sequence[int], rng: np.random.Generator, stage: Stage) -> None:
        """Learn from the lattices of one part after the other."""
        for at in parts:
            text, threads = self._store[at], self._place.threads
            self._counts += self._learner.learn(self._weights, text, rng, threads, stage)
            if not self._weights.is_finite:
                break

    def _mix(self, round: int, parts: Sequence[int], stage: Stage) -> None:
        """Let learners go over parts of their own from the same weights; the mean of theirs."""
        engine, n = self._engine, self._trainer.options.shards
        if self._shared is None:
            self._shared = engine.share(self._learner)
        state = engine.share(self._weights.state())
        work = partial(learned_pass, self._shared, state, engine.threads_per_task)
        dealt = (
            ([(at, self._store.lattices(at)) for at in some], (self._trainer.seed, round, number))
            for number in range(n)
            if (some := parts[number::n])
        )

        def states() -> Iterator[State]:
            for after, counts in engine.ordered_map(work, dealt):
                self._counts += counts
                stage.advance(int(counts[0]))
                yield after

        self._weights.mix(states())


def _search(decode: DecodeOptions, options: MaxForceOptions) -> DecodeOptions:
    """The search of the task with the beam of training; results must not hang on the clock."""
    return replace(
        decode,
        stack_size=options.beam,
        pop_limit=options.pop_limit,
        future_cost=options.future_cost != "none",
        time_limit_s=0.0,
    )

"""Training of the local model: one classifier for every step from a block to the next.

Tillmann & Zhang 2005: the events of the bitext (a block follows another, on its right or left) are
examples of a choice among a few blocks, and stochastic gradient descent makes the true ones likely.
Nothing is decoded but the development set, to see what the weights are worth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calque.config import option
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.model import Model
from calque.progress import Stage
from calque.tune.decoder_task import DecoderTask
from calque.tune.freezing import free_features
from calque.tune.local.events import bitext_stretches
from calque.tune.local.nbest_events import nbest_stretch
from calque.tune.local.space import ADJACENT, LocalSpace, Vectors
from calque.tune.local.store import EventStore, Stretch
from calque.tune.loop import Measured, Place, Step, Trainer, Training
from calque.tune.run import Round
from calque.tune.task import Task


@dataclass(frozen=True)
class LocalOptions:
    """How the local model learns from events (Tillmann & Zhang 2005)."""

    events: Literal["bitext", "nbest"] = option(
        "bitext",
        "what is learned from: neighbouring blocks in the model's sentence pairs (bitext),"
        " or in the best of n_best translations of the development set (nbest)",
    )
    n_best: int = option(1000, "translations per sentence, with events=nbest", least=2)
    rounds: int = option(5, "rounds of passes, each measured on the development set", least=1)
    passes: int = option(1, "passes over the events per round", least=1)
    event_share: float = option(
        1.0,
        "fraction of the events that a pass visits, drawn at random for each pass",
        least=1e-6,
        most=1,
        was="share",
    )
    weights_learned: Literal["both", "adjacent", "neutral"] = option(
        "both",
        "which weights are learned: those used in steps to the right or left (adjacent),"
        " those used in neutral steps (neutral), or all (both)",
        was="train",
    )
    update: Literal["sgd", "perceptron"] = option(
        "sgd",
        "how weights are updated after each event: by a gradient step (sgd), or by the"
        " multi-class perceptron (perceptron)",
        was="rule",
    )
    rate: float = option(1e-5, "step size of dense weights", least=0)
    bigram_rate: float = option(
        1e-5, "step size of the weights of block bigrams", least=0, was="pair_rate"
    )
    rate_decay: float = option(
        1.0,
        "factor by which both rates are multiplied after a pass that does not lower the"
        " loss; with 1 they never change",
        least=0,
        most=1,
        was="lower",
    )
    candidates: int = option(
        9, "number of blocks per source phrase that compete in an event", least=1
    )
    lm_folds: int = option(
        0,
        "split the text into this many parts, and score each with a language model trained"
        " on the others; 0 uses the model's own, which should then not have been trained on"
        " this text",
        least=0,
    )
    hold_out_every: int = option(
        0,
        "hold out every N-th sentence pair: the loss on its events is measured, but nothing"
        " is learned from them; 0 holds out none",
        least=0,
        was="held_out",
    )
    first_weights: Literal["zero", "start"] = option(
        "zero", "weights to begin with: 0 (zero), or those of the model (start)", was="w0"
    )
    take: Literal["best", "last"] = option(
        "best",
        "which weights are the result: those of the best round on the development set"
        " (best), or of the last round (last)",
    )
    fixed: str = option(
        "",
        "weights that stay as they are, separated by commas: names of features, families of"
        " sparse features, or 'dense' or 'sparse' for all weights of a kind",
    )


class Local(Trainer):
    """The local block prediction model (Tillmann & Zhang 2005).

    A model that lacks some of its features is trained without them; other dense features keep
    their weights, which have no part in the choice between candidates.
    """

    method = "local"
    Options = LocalOptions
    options: LocalOptions

    @property
    def takes_last(self) -> bool:
        """Whether the last round counts, whatever the others scored."""
        return self.options.take == "last"

    def begin(self, task: Task, place: Place) -> tuple[Training, Weights]:
        """The events, collected, and the first weights."""
        if not isinstance(task, DecoderTask):
            raise CalqueError(
                "local learns from the sentence pairs of a model: it needs one, not n-best lists or"
                " condensed weights"
            )
        model, options = task.model, self.options
        space = LocalSpace(model, place.threads)
        rates = Rates.of(space, task, options)
        if options.events == "bitext" and (trouble := first_block_trouble(model)) is not None:
            place.progress.warn(trouble)
        store = EventStore(
            self._stretches(task, space, place),
            space.values,
            len(space.keys),
            memory_mb=place.memory_mb,
            folder=place.run.pool,
        )
        if store.n_events == store.n_held_out:
            raise CalqueError(
                "there are no events to learn from: expected blocks that follow others"
            )
        start = task.start
        if options.first_weights == "zero":
            start = space.weights(rates.zeroed(space.vectors(start)), start)
        return LocalTraining(self, space, rates, store, task, place), start

    def _stretches(self, task: DecoderTask, space: LocalSpace, place: Place) -> Iterable[Stretch]:
        options = self.options
        shared: dict[str, Any] = {
            "n_alternatives": options.candidates,
            "held_out": options.hold_out_every,
            "threads": place.threads,
            "progress": place.progress,
        }
        if options.events == "bitext":
            return bitext_stretches(task.model, space, lm_folds=options.lm_folds, **shared)
        if options.lm_folds:
            raise OptionError(
                "lm_folds requires events=bitext: the development set is unseen text anyway"
            )
        return [nbest_stretch(task, space, n_best=options.n_best, **shared)]


def first_block_trouble(model: Model) -> str | None:
    """How the search and the events contradict each other, in one line."""
    in_events = "right" if model.feature_options.local_model.events.boundary_block else "neutral"
    in_search = model.decode_options.first_block
    if in_events == in_search:
        return None
    return (
        f"the first block of a sentence is {in_events} in the events and {in_search} in the search:"
        f" train the model with --set decode.first_block={in_events}"
    )


@dataclass(frozen=True, eq=False)
class Rates:
    """How far each weight of the learner moves."""

    dense: NDArray[np.float64]
    """0 where a weight is fixed or the model lacks the feature."""
    pairs: float
    fixed_pairs: NDArray[np.uint8]

    @classmethod
    def of(cls, space: LocalSpace, task: DecoderTask, options: LocalOptions) -> Rates:
        """The rates of the options; raises `OptionError` where nothing could move."""
        names = task.source.dense_names
        free = free_features(options.fixed, task.source, space.keys)
        is_free = dict(zip(names, free.tolist(), strict=False))
        dense = np.array([options.rate * is_free.get(name, False) for name in space.names])
        fixed = ~free[len(names) :] | (options.bigram_rate == 0)
        if options.weights_learned == "neutral":
            dense[: len(ADJACENT)], fixed[:] = 0, True
        if options.weights_learned == "adjacent":
            dense[len(ADJACENT) :] = 0
        if not dense.any() and fixed.all():
            raise OptionError("every feature of the local model is fixed: expected one to tune")
        return cls(dense, options.bigram_rate, fixed.astype(np.uint8))

    def zeroed(self, vectors: Vectors) -> Vectors:
        """The weights with 0 where they can move."""
        return Vectors(
            np.where(self.dense > 0, 0.0, vectors.dense),
            np.where(self.fixed_pairs, vectors.pairs, 0.0),
        )


class LocalTraining(Training):
    """Passes over the events; the development set is decoded between rounds."""

    def __init__(
        self,
        trainer: Local,
        space: LocalSpace,
        rates: Rates,
        store: EventStore,
        task: DecoderTask,
        place: Place,
    ) -> None:
        """Take the events, and what may move how far."""
        self._options = trainer.options
        self._seed = trainer.seed
        self._space = space
        self._rates = rates
        self._store = store
        self._task = task
        self._place = place
        self._factor = 1.0
        self._loss = math.inf

    def state(self) -> Mapping[str, NDArray[Any]]:
        """How far the rates have fallen, and the loss of the last pass."""
        return {"factor": np.array(self._factor), "loss": np.array(self._loss)}

    def restore(self, rounds: Sequence[Round], state: Mapping[str, NDArray[Any]]) -> None:
        """Go on with the rates and the loss of the last pass."""
        self._factor, self._loss = float(state["factor"]), float(state["loss"])

    def measure(self, round: int, weights: Weights) -> Measured:
        """The score of the development set, decoded; the losses of events are recorded."""
        verdict = self._task.judge.verdict(self._task.translate(weights))
        scores = {"event_loss": self._loss} if round else {}
        if self._store.n_held_out:
            scores["held_out_event_loss"] = self._held_out_loss(self._space.vectors(weights))
        return Measured(verdict, n_candidates=self._store.n_candidates, scores=scores)

    def step(self, round: int, weights: Weights, measured: Measured) -> Step:
        """The weights after the passes of a round."""
        options, before = self._options, self._space.vectors(weights)
        vectors = Vectors(before.dense.copy(), before.pairs.copy())
        total = options.passes * len(self._store)
        with self._place.progress.stage(f"local, round {round + 1}", total) as stage:
            for number in range(options.passes):
                rng = np.random.default_rng([self._seed, round, number])
                loss = self._pass(vectors, rng, stage)
                if not vectors.is_finite:
                    return Step(guard="weights are no finite numbers: expected a smaller rate")
                if loss >= self._loss:
                    self._factor *= options.rate_decay
                self._loss = loss
            stage.say(f"mean loss {self._loss:.4f} of {self._store.n_events:,} events")
        largest = max(_largest(before.dense), _largest(before.pairs))
        moved = max(_largest(vectors.dense - before.dense), _largest(vectors.pairs - before.pairs))
        change = moved / largest if largest else 1.0
        return Step(weights=self._space.weights(vectors, weights), change=change)

    def _pass(self, vectors: Vectors, rng: np.random.Generator, stage: Stage) -> float:
        """Visit the events, stretch by stretch, both in random order; their mean loss."""
        total, n_seen = 0.0, 0
        for at in rng.permutation(len(self._store)).tolist():
            lesson = self._store[at]
            order = rng.permutation(lesson.learned)
            order = order[: math.ceil(self._options.event_share * len(order))]
            total += lesson.problem.learn(
                order,
                self._options.update,
                self._factor * self._rates.dense,
                self._factor * self._rates.pairs,
                self._rates.fixed_pairs,
                vectors.dense,
                vectors.pairs,
            )[0]
            n_seen += len(order)
            stage.advance()
        return total / max(n_seen, 1)

    def _held_out_loss(self, vectors: Vectors) -> float:
        total = 0.0
        for at in range(len(self._store)):
            lesson = self._store[at]
            losses = lesson.problem.losses(
                lesson.held_out, vectors.dense, vectors.pairs, self._place.threads
            )
            total += float(losses.sum())
        return total / self._store.n_held_out


def _largest(values: NDArray[np.float64]) -> float:
    return float(np.abs(values).max(initial=0))

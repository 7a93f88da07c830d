"""The one loop of all trainers: rounds, checkpoints, guards, stopping, and the choice of a round.

It knows nothing of lists or decoders. A round asks the training to measure the weights it begins
with, then to take a step from them; both depend on nothing but the round's number, the weights and
the training's own state, which are on disk before the round begins.
"""

from __future__ import annotations

import inspect
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeAlias

from numpy.typing import NDArray

from calque.config import TASK_DEFAULTS, fill, to_mapping
from calque.config.signature import with_meanings, with_options
from calque.errors import OptionError
from calque.features import Weights
from calque.model import activate_weights
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.tune import guards
from calque.tune.examples import EXAMPLES, changed, write_examples
from calque.tune.judge import Verdict
from calque.tune.run import Round, Run, header
from calque.tune.task import Task

Watch: TypeAlias = "Callable[[int, Weights], None]"
"""Sees the number and the weights of every round, at the latest before the round is kept."""


@dataclass(frozen=True)
class Result:
    """What a training gave."""

    weights: Weights
    """The weights of the chosen round, ready for the model."""
    score: float
    """The score of the chosen round on the development set."""
    chosen: int
    """The round of the best score; round 0 is the start."""
    history: tuple[Round, ...]
    metric: str
    """The signature behind the scores."""
    how: Mapping[str, Any]
    """Method, seed and options of the trainer."""

    def save(self, model: Path | str, name: str | None = None) -> None:
        """Add the weights to a model folder and make them the active ones; others stay.

        Their name is that of the method where none is given.
        """
        activate_weights(model, name or str(self.how["method"]), self.weights, self.how)

    def __repr__(self) -> str:
        n_rounds = len(self.history)
        return f"<Result: {self.score:.2f} in round {self.chosen} of {n_rounds}, {self.weights!r}>"

    @property
    def trouble(self) -> str | None:
        """Why the result may not be what was hoped for: a guard, or no round above the start."""
        last = self.history[-1]
        if last.guard is not None:
            return f"stopped in round {last.round}: {last.guard}; the best weights before that stay"
        if self.chosen == 0:
            return "nothing was learned: no round is better than the start"
        return None


class Place(NamedTuple):
    """Where a training works."""

    run: Run
    threads: int
    memory_mb: int
    progress: Progress


@dataclass(frozen=True)
class Measured:
    """What the weights of a round are worth on the text that is learned from."""

    verdict: Verdict
    n_candidates: int = 0
    n_new: int = 0
    n_hypotheses: int | None = None
    scores: Mapping[str, float] | None = None
    """By other metrics too, where they were asked."""
    stopped: str | None = None
    """Why no step from here can help."""


@dataclass(frozen=True)
class Step:
    """Where a training goes from the weights of a round: on, or nowhere for a reason."""

    weights: Weights | None = None
    pool_score: float | None = None
    change: float | None = None
    guard: str | None = None
    stopped: str | None = None


class Training(ABC):
    """One training at work, a tenant of the loop."""

    @abstractmethod
    def measure(self, round: int, weights: Weights) -> Measured:
        """What these weights are worth."""

    @abstractmethod
    def step(self, round: int, weights: Weights, measured: Measured) -> Step:
        """The weights of the next round."""

    def state(self) -> Mapping[str, NDArray[Any]]:
        """What the next round needs beside the weights."""
        return {}

    @abstractmethod
    def restore(self, rounds: Sequence[Round], state: Mapping[str, NDArray[Any]]) -> None:
        """Go on after these rounds, with what `state` gave after the last of them."""


class Trainer(ABC):
    """A method with its hyper-parameters; `fit` learns weights on a task."""

    method: ClassVar[str]
    """What `--method` calls it."""
    Options: ClassVar[type[Any]]
    """The dataclass of its hyper-parameters."""
    guards_length: ClassVar[bool] = True
    """Whether output of collapsed length ends a training."""

    def __init_subclass__(cls, **arguments: Any) -> None:
        """Show the options of a method in its signature and its docstring."""
        super().__init_subclass__(**arguments)
        if hasattr(cls, "Options"):
            own = list(inspect.signature(Trainer.__init__).parameters.values())[1:]
            shown = with_options(inspect.Signature(own), cls.Options)
            cls.__signature__ = shown  # type: ignore[attr-defined]  # inspect reads it, typeshed has no name for it
            cls.__doc__ = with_meanings(cls.__doc__ or "", cls.Options)

    def __init__(self, *, seed: int = 1, **options: Any) -> None:
        """Take hyper-parameters by name; results depend on the seed, never on threads."""
        self.options = fill(self.Options(), options, self.method)
        if seed < 0:
            raise OptionError(f"seed={seed}: expected a whole number from 0")
        self.seed = seed

    def __repr__(self) -> str:
        values = {"seed": self.seed, **to_mapping(self.options)}
        shown = ", ".join(f"{name}={value!r}" for name, value in values.items())
        return f"{type(self).__name__}({shown})"

    @property
    def takes_last(self) -> bool:
        """Whether the last round counts, whatever the others scored."""
        return False

    @property
    def most_rounds(self) -> int | None:
        """After how many rounds it ends at the latest."""
        return getattr(self.options, "rounds", None)

    @abstractmethod
    def begin(self, task: Task, place: Place) -> tuple[Training, Weights]:
        """A training on this task, and the weights that it starts from."""

    def fit(
        self,
        task: Task,
        *,
        run: Path | str | None = None,
        threads: int | None = None,
        memory_mb: int = TASK_DEFAULTS.memory_mb,
        progress: Progress = SILENT,
        watch: Watch | None = None,
    ) -> Result:
        """The weights learned on a task; with a folder `run`, continued where it was killed.

        `watch` sees the weights of every round; after a kill those of rounds that were not kept.
        """
        log = Run(run, header(self.method, self.options, self.seed, task), self.Options)
        try:
            if not log.is_finished:
                place = Place(log, n_workers(threads), memory_mb, progress)
                training, start = self.begin(task, place)
                if log.rounds:
                    training.restore(log.rounds, log.state())
                else:
                    log.begin(0, start, training.state())
                while not log.is_finished:
                    _round(self, training, task, place, watch)
            result = _result(self, log, task)
            _keep_examples(log, task, result)
            if result.trouble is not None:
                progress.warn(f"{self.method}: {result.trouble}")
            return result
        finally:
            log.close()


def _round(
    trainer: Trainer, training: Training, task: Task, place: Place, watch: Watch | None
) -> None:
    begin, log = time.monotonic(), place.run
    round = len(log.rounds)
    weights = log.weights(round)
    measured = training.measure(round, weights)
    if watch is not None:
        watch(round, weights)
    verdict, train_score = measured.verdict, None
    if task.selection is not None:
        train_score = measured.verdict.score
        verdict = task.selection.verdict(weights, place.progress)
    guard, step = None, Step()
    if trainer.guards_length and round > 0:
        guard = guards.length_trouble(verdict.length_ratio, log.rounds[0].length_ratio)
    stopped = measured.stopped if guard is None else "guard"
    if stopped is None and round == trainer.most_rounds:
        stopped = "all rounds done"
    if stopped is None:
        step = training.step(round, weights, measured)
        guard, stopped = step.guard, step.stopped if step.guard is None else "guard"
    done = Round(
        round=round,
        score=verdict.score,
        length_ratio=verdict.length_ratio,
        n_candidates=measured.n_candidates,
        n_new=measured.n_new,
        train_score=train_score,
        pool_score=step.pool_score,
        change=step.change,
        n_hypotheses=measured.n_hypotheses,
        scores=None if measured.scores is None else dict(measured.scores),
        stopped=stopped,
        guard=guard,
        seconds=time.monotonic() - begin,
    )
    best = _best(trainer, [*log.rounds, done], task)
    following = None if stopped is not None else step.weights
    log.finish(done, following, training.state(), {0, best.round})


def _best(trainer: Trainer, rounds: Sequence[Round], task: Task) -> Round:
    """The round of the best score, the first of equals, or the last, whatever its step led to."""
    good = [
        done
        for done in rounds
        if done.round == 0
        or not trainer.guards_length
        or guards.length_trouble(done.length_ratio, rounds[0].length_ratio) is None
    ]
    if trainer.takes_last:
        return good[-1]
    sign = task.judge.sign

    def rank(done: Round) -> tuple[float, int]:
        return (sign * done.score if math.isfinite(done.score) else -math.inf), -done.round

    return max(good, key=rank)


def _result(trainer: Trainer, log: Run, task: Task) -> Result:
    chosen = _best(trainer, log.rounds, task)
    signature = (task.judge if task.selection is None else task.selection.judge).metric.signature
    weights = task.finished(log.weights(chosen.round))
    how = {
        "method": trainer.method,
        "seed": trainer.seed,
        "options": to_mapping(trainer.options),
        "metric": task.metric.name,
        "score": chosen.score,
    }
    return Result(
        weights=weights,
        score=chosen.score,
        chosen=chosen.round,
        history=tuple(log.rounds),
        metric=signature,
        how=how,
    )


def _keep_examples(log: Run, task: Task, result: Result) -> None:
    """Put some translations before and after into the folder of a run, once.

    They are of the text on which the round was chosen: that which is learned from may be long.
    """
    text = task if task.selection is None else task.selection
    if log.folder is None or not text.texts or (log.folder / EXAMPLES).exists():
        return
    before, after = (text.translate(log.weights(round)) for round in (0, result.chosen))
    reference = text.judge.reference_lines[0]
    write_examples(log.folder, changed(text.texts, reference, before, after))

"""Minimum error training by the simplex method through the full decoder.

Cettolo & Federico 2004: the error of the decoder's own output is a function of a few weights, and
the downhill simplex method minimises it without gradients and without n-best lists. Every value of
the function costs one translation of the development text.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from calque.config import option
from calque.errors import CalqueError
from calque.features import Weights
from calque.progress import SILENT, Progress
from calque.tune.decoder_task import DecoderTask
from calque.tune.evaluation import FullDecoding, companions, error_of
from calque.tune.judge import Verdict
from calque.tune.loop import Measured, Place, Step, Trainer, Training
from calque.tune.nelder_mead import NelderMead
from calque.tune.run import Round
from calque.tune.task import Task
from calque.tune.weight_space import weight_space

ENDS = {"converged": "the simplex has converged", "evaluations": "all evaluations done"}
MANY_WEIGHTS = 20
"""More need more evaluations than anyone waits for."""
MOST_HALVINGS = 20
SAME_ERROR = 0.0005
SAME_COST = 0.02
"""Loosening the threshold does not matter where error and cost change by less than these."""
MORE_SEARCH = 1.1
"""Growth of the cost that makes a better error suspicious."""
DECIMALS = 6
"""Weights that are equal to so many decimals are the same point."""


@dataclass(frozen=True)
class SimplexOptions:
    """How the simplex method searches for weights, decoding the whole text for each evaluation."""

    first_weights: Literal["uniform", "model"] = option(
        "uniform",
        "weights to begin with: all equal (uniform), or those of the model (model)",
        was="start",
    )
    shrink_first_weights: bool = option(
        True,
        "halve the weights at the start until the pruning threshold no longer affects the result",
        was="loosen",
    )
    norm: Literal["none", "l1"] = option(
        "none",
        "how weights are scaled before decoding: not at all (none), or to a mean absolute"
        " value of 1 (l1)",
    )
    fixed: str = option("", "features whose weights stay as they are, separated by commas")
    clamp: bool = option(False, "use 0 in place of negative weights when decoding")
    step: float = option(
        0.3, "length of the edges of a new simplex, as a share of the mean weight", least=1e-6
    )
    max_evaluations: int = option(200, "maximum number of evaluations in one descent", least=1)
    restarts: int = option(
        1, "number of further descents, each of which starts where the previous one ended", least=0
    )
    error_tolerance: float = option(
        1e-4,
        "stop when the errors of the best and the worst vertex differ by less than this fraction",
        least=0,
        was="spread",
    )
    vertex_tolerance: float = option(
        1e-2,
        "stop when no vertex is farther from the best one than this, as a share of the best"
        " one's mean weight",
        least=0,
        was="size",
    )
    stack_size: int = option(100, "hypotheses kept per stack", least=1)
    threshold: float = option(
        10.0,
        "drop hypotheses that score worse than the best of their stack by more than this; 0"
        " drops none",
        least=0,
    )


@dataclass(frozen=True)
class Value:
    """One value of the error function, and what it cost."""

    error: float
    """Infinite where the score is no number."""
    n_hypotheses: int


Search = Generator[Weights, Value, str]
"""The weights to evaluate, one after the other; gives back why it ended."""


class Simplex(Trainer):
    """Tunes weights by the simplex method; every round is one evaluation.

    Nothing is random; the seed is there because every trainer has one.
    """

    method = "simplex"
    Options = SimplexOptions
    options: SimplexOptions
    guards_length = False

    def begin(self, task: Task, place: Place) -> tuple[Training, Weights]:
        """The search at its first point."""
        if not isinstance(task, DecoderTask):
            raise CalqueError(
                "simplex decodes anew for every evaluation: it needs a model, not n-best lists or"
                " condensed weights"
            )
        if task.source.leaves_one_out:
            raise CalqueError(
                "simplex decodes with the whole model: it cannot use leave-one-out or"
                " jackknife; use mert, pro or mira"
            )
        if len(task.start.sparse):
            raise CalqueError(
                "simplex tunes dense features only, but the first weights have sparse ones: start"
                " from weights without, or use mert, pro or mira"
            )
        options = self.options
        decoding = FullDecoding(
            task.model,
            task.texts,
            task.judge.reference_lines,
            companions(task.metric),
            stack_size=options.stack_size,
            threshold=options.threshold,
            threads=place.threads,
            engine=task.source.engine,
        )
        fixed = task.source.fixed
        start = task.start
        if options.first_weights == "uniform":
            start = start.with_dense({n: 1.0 for n in start if n not in fixed})
        constant = {*fixed, *decoding.constant_features(start)}
        search = distinct(descent(start, constant, options, place.progress))
        training = SimplexTraining(search, decoding, task, place.progress)
        return training, training.first


class SimplexTraining(Training):
    """The search as the loop drives it: a round measures a point, a step asks for the next."""

    def __init__(
        self, search: Search, decoding: FullDecoding, task: Task, progress: Progress
    ) -> None:
        """Take a search that has not begun."""
        self._search = search
        self._decoding = decoding
        self._task = task
        self._progress = progress
        self.first = next(search)

    def restore(self, rounds: Sequence[Round], state: Mapping[str, NDArray[Any]]) -> None:
        """Repeat the steps of finished rounds, which lead to the same point: nothing is random."""
        for done in rounds:
            self._search.send(self._value(done.score, done.n_hypotheses or 0))

    def measure(self, round: int, weights: Weights) -> Measured:
        """The score of the whole text, translated with these weights."""
        decoded = self._decoding(weights)
        ratio = self._task.judge.ratio(decoded.n_words)
        verdict = Verdict(decoded.scores[self._task.metric.name], decoded.n_words, ratio)
        return Measured(verdict, n_hypotheses=decoded.n_hypotheses, scores=decoded.scores)

    def step(self, round: int, weights: Weights, measured: Measured) -> Step:
        """The next point, unless the search has ended."""
        score = measured.verdict.score
        value = self._value(score, measured.n_hypotheses or 0)
        with self._progress.stage(f"simplex, round {round}") as stage:
            stage.say(f"{self._task.metric.name} {score:.2f}")
        try:
            return Step(weights=self._search.send(value))
        except StopIteration as end:
            return Step(stopped=ENDS[end.value])

    def _value(self, score: float, n_hypotheses: int) -> Value:
        error = error_of(self._task.metric, score)
        return Value(error if math.isfinite(error) else math.inf, n_hypotheses)


def distinct(search: Search) -> Search:
    """The same search, which asks for every point once."""
    known: dict[tuple[float, ...], Value] = {}
    weights = next(search)
    while True:
        key = _key(weights)
        if key not in known:
            known[key] = yield weights
        try:
            weights = search.send(known[key])
        except StopIteration as end:
            reason: str = end.value
            return reason


def descent(
    start: Weights,
    constant: Collection[str],
    options: SimplexOptions,
    progress: Progress = SILENT,
) -> Search:
    """The points of the simplex method, after those that loosen the start.

    Weights of `constant` features stay as they are: they have no effect.
    """
    norm = options.norm == "l1"
    space = weight_space(start, constant, fixed=options.fixed, norm=norm, clamp=options.clamp)
    if len(space.free) > MANY_WEIGHTS:
        progress.warn(
            f"{len(space.free)} weights are many for the simplex method: up to {MANY_WEIGHTS} are"
            " found in reasonable time; mert, pro and mira take more"
        )
    if options.shrink_first_weights and not norm:
        space = replace(space, start=(yield from loosened(start)))
    search = NelderMead(
        step=options.step,
        max_evaluations=options.max_evaluations,
        restarts=options.restarts,
        error_tolerance=options.error_tolerance,
        vertex_tolerance=options.vertex_tolerance,
    )
    points = search.points(space.origin())
    watch = _Watch(progress)
    point = next(points)
    while True:
        value = yield space.weights(point)
        watch.see(value)
        try:
            point = points.send(value.error)
        except StopIteration as end:
            reason: str = end.value.reason
            return reason


def loosened(weights: Weights) -> Generator[Weights, Value, Weights]:
    """The weights, halved until halving them once more changes neither error nor cost.

    From there on the stacks bound the search, and these do not depend on the scale of weights: an
    optimiser cannot buy a better score with more search.
    """
    now = yield weights
    for _ in range(MOST_HALVINGS):
        half = weights.scaled(0.5)
        then = yield half
        same_cost = abs(then.n_hypotheses - now.n_hypotheses) < SAME_COST * now.n_hypotheses
        if same_cost and abs(then.error - now.error) < SAME_ERROR:
            break
        weights, now = half, then
    return weights


class _Watch:
    """Warns, once, where a better error was bought with more search."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._start: Value | None = None
        self._best = math.inf
        self._has_warned = False

    def see(self, value: Value) -> None:
        """Look at one more value; the first is the start."""
        if self._start is None:
            self._start, self._best = value, value.error
        if value.error >= self._best:
            return
        self._best = value.error
        growth = value.n_hypotheses / max(self._start.n_hypotheses, 1)
        if growth > MORE_SEARCH and not self._has_warned:
            self._has_warned = True
            self._progress.warn(
                f"the error falls while the search grows by {growth - 1:.0%}: part of the gain is"
                " bought with search (norm=l1 or fixed=NAME keep the scale of the weights)"
            )


def _key(weights: Weights) -> tuple[float, ...]:
    rounded = np.round(np.array(list(weights.values())), DECIMALS) + 0.0  # no minus zero
    return tuple(rounded.tolist())

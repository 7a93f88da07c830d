"""Minimum error training by the simplex method through the full decoder.

Cettolo & Federico 2004: the error of the decoder's own output is a function of a few weights, and
the downhill simplex method minimises it without gradients and without n-best lists. Every value of
the function costs one translation of the development text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from calque.config import SimplexOptions, fill
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.progress import SILENT, Progress
from calque.tune.decoder_task import DecoderTask
from calque.tune.evaluation import FullDecoding, companions, error_of
from calque.tune.evaluation_log import EvaluationLog
from calque.tune.examples import Example, changed, write_examples
from calque.tune.nelder_mead import Minimum, NelderMead
from calque.tune.run import Round, Run, header
from calque.tune.task import Task
from calque.tune.trainer import Result
from calque.tune.values import ErrorFunction, Value
from calque.tune.weight_space import weight_space
from calque.tune.working import scaled

EVALUATIONS = "evaluations.jsonl"
"""The log in the run folder: all that an interrupted run needs to go on."""
ENDS = {"converged": "the simplex has converged", "evaluations": "all evaluations done"}
MANY_WEIGHTS = 20
"""More need more evaluations than anyone waits for."""
MOST_HALVINGS = 20
SAME_ERROR = 0.0005
SAME_COST = 0.02
"""Loosening the threshold does not matter where error and cost change by less than these."""


class Simplex:
    """Tunes weights by the simplex method, decoding the whole text for every evaluation.

    Nothing is random; the seed is there because every trainer has one. In a run the whole search
    is one round, and its evaluations have a log of their own.
    """

    method: ClassVar[str] = "simplex"

    def __init__(self, *, seed: int = 1, **options: Any) -> None:
        """Take the options of `SimplexOptions` by name."""
        self.options = fill(SimplexOptions(), options, self.method)
        if seed < 0:
            raise OptionError(f"seed={seed}: expected a whole number from 0")
        self.seed = seed

    def fit(
        self,
        task: Task,
        *,
        run: Path | str | None = None,
        threads: int | None = None,
        progress: Progress = SILENT,
    ) -> Result:
        """The best weights ever evaluated; with a folder `run`, continued where it was killed."""
        if not isinstance(task, DecoderTask):
            raise CalqueError(
                "simplex decodes anew for every evaluation: it needs a model, not n-best lists"
            )
        if any(name not in task.dense_names for name in task.start):
            raise CalqueError(
                "simplex tunes dense features only, but the first weights have sparse ones: start"
                " from weights without, or use mert, pro or mira"
            )
        whole = Run(run, header(self.method, self.options, self.seed, task))
        try:
            log = EvaluationLog(None if run is None else Path(run) / EVALUATIONS)
            decoding = self._decoding(task, threads)
            reason = self._search(task, decoding, log, progress)
            result = _result(task, log)
            if not whole.rounds:
                if run is not None:
                    write_examples(run, _examples(task, decoding, log.lines[0].weights, result))
                whole.begin(0, result.weights)
                chosen = result.history[result.chosen]
                seconds = sum(line.seconds for line in log.lines)
                whole.finish(replace(chosen, round=0, stopped=reason, seconds=seconds), None)
            return result
        finally:
            whole.close()

    def _decoding(self, task: DecoderTask, threads: int | None) -> FullDecoding:
        return FullDecoding(
            task.model,
            task.source,
            task.reference_lines,
            companions(task.metric),
            stack_size=self.options.stack_size,
            threshold=self.options.threshold,
            threads=threads,
        )

    def _search(
        self, task: DecoderTask, decoding: FullDecoding, log: EvaluationLog, progress: Progress
    ) -> str:
        """Fill the log; why the search ended."""
        options, metric = self.options, task.metric
        with progress.stage("simplex") as stage:

            def record(number: int, weights: Weights, value: Value) -> None:
                log.append(number, weights, value)
                best = min(log.lines, key=lambda line: line.value.error).value
                stage.advance()
                stage.say(
                    f"{metric.name} {best.scores[metric.name]:.2f} in {number + 1} evaluations"
                )

            function = ErrorFunction(
                decoding,
                lambda scores: error_of(metric, scores[metric.name]),
                known=log.known,
                record=record,
                progress=progress,
            )
            start = _start(task, options)
            constant = {*task.fixed, *decoding.constant_features(start)}
            _, found = descend(function, start, constant, options, progress)
        return ENDS[found.reason]


def _start(task: DecoderTask, options: SimplexOptions) -> Weights:
    """Where the search begins: 1 for every weight that may move, or the model's weights."""
    if options.start == "model":
        return Weights(task.start)
    return Weights({name: w if name in task.fixed else 1.0 for name, w in task.start.items()})


def _result(task: DecoderTask, log: EvaluationLog) -> Result:
    """The best evaluation, the first of equals; every one counts as a round of the history."""
    rounds = tuple(
        Round(
            round=number,
            score=line.value.scores[task.metric.name],
            length_ratio=line.value.n_words / max(task.reference_words, 1),
            n_candidates=0,
            n_new=0,
            pool_score=None,
            change=None,
            stopped=None,
            guard=None,
            seconds=line.seconds,
        )
        for number, line in enumerate(log.lines)
    )
    chosen = min(range(len(rounds)), key=lambda number: log.lines[number].value.error)
    weights = dict(log.lines[chosen].weights)
    return Result(weights, rounds[chosen].score, chosen, rounds, task.metric.signature)


def _examples(
    task: DecoderTask, decoding: FullDecoding, start: Weights, result: Result
) -> list[Example]:
    before, after = (decoding.translate(w)[0] for w in (start, Weights(result.weights)))
    return changed(task.source, task.reference_lines[0], before, after)


def descend(
    function: ErrorFunction,
    start: Weights,
    constant: Collection[str],
    options: SimplexOptions,
    progress: Progress = SILENT,
) -> tuple[Weights, Minimum]:
    """The weights of least error that the simplex method finds, and how it ended.

    Weights of `constant` features stay as they are: they have no effect.
    """
    space = weight_space(start, constant, options)
    if len(space.free) > MANY_WEIGHTS:
        progress.warn(
            f"{len(space.free)} weights are many for the simplex method: up to {MANY_WEIGHTS} are"
            " found in reasonable time; mert, pro and mira take more"
        )
    if options.loosen and not space.norm:
        space = replace(space, start=loosened(start, function))
    origin = space.origin()
    function.begin(space.weights(origin))
    search = NelderMead(
        step=options.step,
        max_evaluations=options.max_evaluations,
        restarts=options.restarts,
        spread=options.spread,
        size=options.size,
    )
    minimum = search.minimise(lambda point: function(space.weights(point)).error, origin)
    return space.weights(minimum.point), minimum


def loosened(weights: Weights, measure: Callable[[Weights], Value]) -> Weights:
    """The weights, halved until halving them once more changes neither error nor cost.

    From there on the stacks bound the search, and these do not depend on the scale of weights: an
    optimiser cannot buy a better score with more search.
    """
    now = measure(weights)
    for _ in range(MOST_HALVINGS):
        half = scaled(weights, 0.5)
        then = measure(half)
        same_cost = abs(then.n_hypotheses - now.n_hypotheses) < SAME_COST * now.n_hypotheses
        if same_cost and abs(then.error - now.error) < SAME_ERROR:
            break
        weights, now = half, then
    return weights

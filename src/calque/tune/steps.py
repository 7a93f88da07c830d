"""From parallel text to a finished model: training, then the steps of a preset."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from calque.config import TASK_DEFAULTS
from calque.config.presets import TuningStep
from calque.decode import Translator, load
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.model import DEFAULT, activate_weights
from calque.parallel import Engine
from calque.progress import SILENT, Progress
from calque.text import BitextSource, Text
from calque.text.files import STANDARD_STREAM
from calque.text.given import GivenText
from calque.text.working import WorkingFolder
from calque.tune.decoder_task import DecoderTask
from calque.tune.loop import Result
from calque.tune.registry import find_method

MOST_PAIRS = 100_000
"""Sentence pairs of the training text that weights are learned on: the first so many."""
PARTS = "parts"
"""The folder, in that of a run, of models that have not seen a part of the training text."""


@dataclass(frozen=True)
class DevelopmentSet:
    """A text with one or more translations, which training does not see."""

    source: Text
    references: Sequence[Text]

    def check(self) -> None:
        """Raise `CalqueError` where the texts cannot be read or differ in length."""
        source = GivenText.of(self.source, "dev source")
        if not self.references:
            raise OptionError("a development set is a source and references: expected both")
        for number, reference in enumerate(self.references, 1):
            given = GivenText.of(reference, f"dev reference {number}")
            if len(given) != len(source):
                raise CalqueError(
                    f"{given.name}: {len(given):,} lines, but {source.name} has {len(source):,};"
                    " expected one translation per line"
                )


@dataclass(frozen=True)
class StepDone:
    """What a step of tuning came to."""

    step: TuningStep
    metric: str
    results: tuple[Result, ...]
    """Of each run."""
    sign: float = 1.0
    """-1 where low scores are good."""

    @property
    def learned(self) -> list[Result]:
        """The runs whose weights are no worse, within the tolerance, than what they began with."""
        return [
            result
            for result in self.results
            if result.chosen > 0
            and self.sign * (result.score - result.history[0].score)
            >= -self.step.tolerance * abs(result.history[0].score)
        ]

    @property
    def trouble(self) -> str | None:
        """Why the step may not be what was hoped for: no run of it ended well."""
        troubles = [result.trouble for result in self.results]
        if self.learned:
            return troubles[0] if all(troubles) else None
        return troubles[0] or "nothing was learned: the last round is worse than the start"

    @property
    def summary(self) -> str:
        """One line: scores on the development set before and after."""
        before = f"{self.results[0].history[0].score:.2f}"
        after = ", ".join(f"{result.score:.2f}" for result in self.results)
        scores = f"{self.step.method}: {self.metric} {before} -> {after} on the development set"
        n_learned, n_runs = len(self.learned), len(self.results)
        if not n_learned:
            return f"{scores}; the weights stay as they were"
        if n_runs == 1:
            return scores
        which = f"{n_runs} runs" if n_learned == n_runs else f"the runs that learned ({n_learned})"
        return f"{scores}; weights are the mean of {which}"


def check_steps(steps: Sequence[TuningStep], text: BitextSource) -> None:
    """Raise `OptionError` where the steps need the training text and cannot read it again."""
    if any(step.jackknife for step in steps):
        for path in text.paths:
            if path == STANDARD_STREAM or path.is_fifo():
                raise OptionError(
                    f"{path}: weights are learned on the training text, which is read twice:"
                    " expected a file"
                )


def tune_in_steps(
    model: Path,
    steps: Sequence[TuningStep],
    text: BitextSource,
    dev: DevelopmentSet,
    *,
    metric: str = TASK_DEFAULTS.metric,
    memory_mb: int = TASK_DEFAULTS.memory_mb,
    run: Path | None = None,
    seed: int = 1,
    threads: int | None = None,
    engine: Engine | None = None,
    progress: Progress = SILENT,
) -> list[StepDone]:
    """Tune the model in a folder; the weights of each step become its active ones.

    `text` is what the model was learned from. Each step has a folder with the name of its method in
    `run`, where an interrupted run goes on. A step that learned nothing leaves the model as it was.
    With an `engine` work runs where that runs its tasks.
    """
    done: list[StepDone] = []
    start: Weights | None = None
    temporary = None
    if run is None:
        temporary = WorkingFolder("runs")
        run = temporary.path
    try:
        for step in steps:
            task = _task(model, step, text, dev, metric, start, run / PARTS, threads, engine)
            results = []
            for number in range(step.runs):
                trainer = find_method(step.method)(seed=seed + number, **step.options)
                name = step.method if step.runs == 1 else f"{step.method}-{number + 1}"
                result = trainer.fit(
                    task,
                    run=run / name,
                    threads=threads,
                    memory_mb=memory_mb,
                    progress=progress,
                )
                results.append(result)
            finished = StepDone(step, metric, tuple(results), task.judge.sign)
            start = _weights(finished, task.start if start is None else start, task.source.fixed)
            if finished.learned:
                how = {**finished.learned[0].how, "runs": len(finished.learned)}
                activate_weights(model, step.method, start, how)
            done.append(finished)
    finally:
        if temporary is not None:
            temporary.close()
    return done


def _weights(done: StepDone, start: Weights, fixed: Collection[str]) -> Weights:
    """What the next step begins with: the mean over runs that learned, or the start of this one."""
    learned = [result.weights for result in done.learned]
    weights = Weights.averaged(learned) if learned else start
    return weights if done.step.size is None else _resized(weights, done.step.size, fixed)


def _task(
    model: Path,
    step: TuningStep,
    text: BitextSource,
    dev: DevelopmentSet,
    metric: str,
    start: Weights | None,
    parts: Path,
    threads: int | None,
    engine: Engine | None,
) -> DecoderTask:
    translator = _searching(load(model, DEFAULT), step.pop_limit)
    if not step.jackknife:
        return DecoderTask(
            translator,
            dev.source,
            dev.references,
            metric,
            n_best=step.list_length,
            start=DEFAULT if start is None else start,
            dense_only=step.dense_only,
            folder=model,
            threads=threads,
            engine=engine,
        )
    source, target = (list(islice(_lines(text, side), MOST_PAIRS)) for side in (0, 1))
    return DecoderTask(
        translator,
        source,
        [target],
        metric,
        dev_source=dev.source,
        dev_references=dev.references,
        jackknife=step.jackknife,
        part_models=parts,
        n_best=step.list_length,
        start=DEFAULT if start is None else start,
        folder=model,
        threads=threads,
        engine=engine,
    )


def _searching(translator: Translator, pop_limit: int) -> Translator:
    """The same with this effort."""
    return Translator(translator.model, replace(translator.options, pop_limit=pop_limit))


def _resized(weights: Weights, size: float, fixed: Collection[str]) -> Weights:
    """The weights times a factor: dense ones that are not fixed then have the size."""
    now = sum(abs(value) for name, value in weights.items() if name not in fixed)
    return weights.scaled(size / now) if now > 0 else weights


def _lines(text: BitextSource, side: int) -> Iterator[str]:
    """The sentences of one side: 0 is the source, 1 the target."""
    for block in text.blocks():
        if block[side]:
            yield from block[side].removesuffix("\n").split("\n")

"""From parallel text to a finished model: training, then the steps of a preset."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from calque.config import TASK_DEFAULTS
from calque.config.presets import TuningStep
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.model import DEFAULT, activate_weights
from calque.progress import SILENT, Progress
from calque.text import BitextSource, Text
from calque.text.files import STANDARD_STREAM
from calque.text.given import GivenText
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
    results: tuple[Result, ...]
    """Of each run; the weights are the mean of theirs."""

    @property
    def summary(self) -> str:
        """One line: scores on the development set before and after."""
        before = f"{self.results[0].history[0].score:.2f}"
        after = ", ".join(f"{result.score:.2f}" for result in self.results)
        mean = f"; weights are the mean of {len(self.results)} runs" if self.step.runs > 1 else ""
        return f"{self.step.method}: bleu {before} -> {after} on the development set{mean}"


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
    progress: Progress = SILENT,
) -> list[StepDone]:
    """Tune the model in a folder; the weights of each step become its active ones.

    `text` is what the model was learned from. Each step has a folder with the name of its method in
    `run`, where an interrupted run goes on.
    """
    done: list[StepDone] = []
    start = DEFAULT
    with ExitStack() as stack:
        if run is None:
            run = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="calque-")))
        for step in steps:
            task = _task(model, step, text, dev, metric, start, run / PARTS, threads)
            results = []
            for number in range(step.runs):
                trainer = find_method(step.method)(seed=seed + number, **step.options)
                folder = run / (step.method if step.runs == 1 else f"{step.method}-{number + 1}")
                results.append(
                    trainer.fit(
                        task, run=folder, threads=threads, memory_mb=memory_mb, progress=progress
                    )
                )
            weights = Weights.averaged([result.weights for result in results])
            if step.size is not None:
                weights = _resized(weights, step.size, task.source.fixed)
            how = {**results[0].how, "runs": step.runs}
            activate_weights(model, step.method, weights, how)
            done.append(StepDone(step, tuple(results)))
            start = step.method
    return done


def _task(
    model: Path,
    step: TuningStep,
    text: BitextSource,
    dev: DevelopmentSet,
    metric: str,
    start: str,
    parts: Path,
    threads: int | None,
) -> DecoderTask:
    if not step.jackknife:
        return DecoderTask(
            model,
            dev.source,
            dev.references,
            metric,
            n_best=step.list_length,
            start=start,
            dense_only=step.dense_only,
            threads=threads,
        )
    source, target = (list(islice(_lines(text, side), MOST_PAIRS)) for side in (0, 1))
    return DecoderTask(
        model,
        source,
        [target],
        metric,
        dev_source=dev.source,
        dev_references=dev.references,
        jackknife=step.jackknife,
        part_models=parts,
        n_best=step.list_length,
        start=start,
        threads=threads,
    )


def _resized(weights: Weights, size: float, fixed: Collection[str]) -> Weights:
    """The weights times a factor: dense ones that are not fixed then have the size."""
    now = sum(abs(value) for name, value in weights.items() if name not in fixed)
    return weights.scaled(size / now) if now > 0 else weights


def _lines(text: BitextSource, side: int) -> Iterator[str]:
    """The sentences of one side: 0 is the source, 1 the target."""
    for block in text.blocks():
        if block[side]:
            yield from block[side].removesuffix("\n").split("\n")

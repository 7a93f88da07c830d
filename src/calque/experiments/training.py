"""Cells of trainings: weights learned, and what they give on every text."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal

from calque.decode import Translator
from calque.experiments.bench import Bench, variant
from calque.experiments.cell import Cell
from calque.experiments.corpus import Text
from calque.features import Weights
from calque.metrics import make_metric, score
from calque.model import Model
from calque.progress import Progress
from calque.report import System
from calque.text import read_lines, write_lines
from calque.tune import CondensedTask, DecoderTask, Task
from calque.tune.checkpoint import read_weights
from calque.tune.condensed import Condense
from calque.tune.loop import Result
from calque.tune.registry import find_method
from calque.tune.run import POOL, WEIGHTS

METRICS = ("bleu", "avg-bleu", "meteor", "avg-mwer")
"""By which all outputs are scored."""


@dataclass(frozen=True)
class Setting:
    """Features, first weights and search of a model."""

    dense: str
    weights: Mapping[str, float]
    """Of the dense features, before anything is learned."""
    sparse: str = ""
    decode: Mapping[str, Any] = field(default_factory=dict)
    features: Mapping[str, Any] = field(default_factory=dict)
    """Options of sparse features that are not those of the model."""

    def of(self, model: Model) -> Model:
        """The model with these."""
        return variant(
            model,
            dense=self.dense,
            sparse=self.sparse,
            weights=self.weights,
            decode=self.decode,
            features=self.features,
        )

    def described(self) -> dict[str, Any]:
        """As JSON; without options of sparse features where they are those of the model."""
        plain = {name: dict(getattr(self, name)) for name in ("weights", "decode", "features")}
        values = {**vars(self), **plain}
        return {name: value for name, value in values.items() if name != "features" or value}


@dataclass(frozen=True)
class Training:
    """How weights are learned."""

    method: str
    text: Text
    """What they are learned on."""
    options: Mapping[str, Any] = field(default_factory=dict)
    metric: Mapping[str, Any] = field(default_factory=lambda: {"name": "bleu"})
    """What is tuned for: the name, and settings of the metric."""
    list_length: int = 1
    takes: Literal["best", "last"] = "best"
    """The round whose weights are taken: the best on the text, or the last."""
    watched: bool = False
    """Whether the test text is translated in every round, for a curve."""
    condense: Condense | None = None
    """Whether sparse weights stay in proportion, all of them or family by family."""

    def described(self) -> dict[str, Any]:
        """As JSON; without what stands for a training of every weight."""
        plain = {"options": dict(self.options), "metric": dict(self.metric)}
        values = {**vars(self), **plain, "text": self.text.digest}
        return {name: value for name, value in values.items() if name != "condense" or value}


def decoded(
    bench: Bench,
    name: str,
    model: Model,
    setting: Setting,
    *,
    after: Cell | None = None,
    changed: Mapping[str, float] | None = None,
) -> Cell:
    """What weights give on dev and test; nothing is learned.

    They are those of the setting, or of the cell `after` with some dense ones changed.
    """

    def work(folder: Path, progress: Progress) -> Cell:
        chosen = setting.of(model)
        weights = chosen.weights if after is None or after.weights is None else after.weights
        weights = weights.with_dense(changed or {})
        scores = scored(chosen, weights, bench.corpus.texts[1:], bench.threads, progress)
        return scores if after is None else replace(scores, weights=weights)

    depends: dict[str, Any] = {"model": bench.key_of(model), "setting": setting.described()}
    if after is not None:
        depends |= {"after": after.key, "changed": dict(changed or {})}
    return bench.cell(name, depends, work)


def trained(
    bench: Bench,
    name: str,
    model: Model,
    setting: Setting,
    training: Training,
    *,
    seed: int,
    after: Cell | None = None,
    threads: int | None = None,
) -> Cell:
    """What a training gives on dev, test and the text that it learns from.

    It begins with the weights of the setting, or with those of the cell `after`. Curves: the score
    on the text that is learned from (`learned`), `test` BLEU where it is watched, `seconds` since
    the beginning, and whatever else the method counts in every round but the first. With `threads`
    it takes so many, whatever the bench says: that is for comparing seconds.
    """

    def work(folder: Path, progress: Progress) -> Cell:
        begin, chosen = time.monotonic(), setting.of(model)
        if after is not None and after.weights is not None:
            chosen = replace(chosen, weights=after.weights)
        watch = _Watch(chosen, bench.corpus.test, folder / "test", bench.threads, progress)
        n_threads = threads or bench.threads
        result, last = _fit(n_threads, chosen, training, seed, folder / "run", watch, progress)
        weights = result.weights if training.takes == "best" else last
        texts = {text.name: text for text in (training.text, bench.corpus.dev, bench.corpus.test)}
        scores = scored(chosen, weights, tuple(texts.values()), bench.threads, progress)
        figures = {
            "chosen round": result.chosen,
            "rounds": len(result.history) - 1,
            "sparse weights": len(weights.sparse),
            "seconds": time.monotonic() - begin,
        }
        curves = {"learned": [done.score for done in result.history], **_counted(result)}
        if training.watched:
            curves["test"] = [watch.score(done.round) for done in result.history]
        stopped = result.history[-1].guard or result.history[-1].stopped or ""
        return Cell({**scores.figures, **figures}, curves, scores.outputs, [stopped], weights)

    depends = {
        "model": bench.key_of(model),
        "setting": setting.described(),
        "training": training.described(),
        "seed": seed,
        "after": None if after is None else after.key,
    }
    if threads is not None:
        depends["threads"] = threads
    return bench.cell(f"{name}.seed{seed}", depends, work)


def system(name: str, cells: list[Cell], text: str = "test") -> System:
    """The outputs of cells, one per seed, as a system to compare."""
    return System(name, tuple(cell.outputs[text] for cell in cells))


def mean(cells: list[Cell], figure: str) -> float | None:
    """A figure on average over seeds; none where a cell does not have it."""
    values = [cell.figures[figure] for cell in cells if figure in cell.figures]
    return sum(values) / len(values) if len(values) == len(cells) else None


def _counted(result: Result) -> dict[str, Sequence[float]]:
    """Seconds up to the end of each round, and what the method counted from round 1 on."""
    seconds = list(accumulate(done.seconds for done in result.history))
    counts = [done.scores or {} for done in result.history[1:]]
    names = [name for name in (counts or [{}])[0] if all(name in scores for scores in counts)]
    return {"seconds": seconds, **{name: [scores[name] for scores in counts] for name in names}}


def _fit(
    threads: int | None,
    model: Model,
    training: Training,
    seed: int,
    run: Path,
    watch: _Watch,
    progress: Progress,
) -> tuple[Result, Weights]:
    """The result, and the weights of the last round; what is large of the run is removed."""
    settings = dict(training.metric)
    metric = make_metric(settings.pop("name"), tokenize="none", **settings)
    plain = DecoderTask(
        Translator(model),
        training.text.source,
        training.text.references,
        metric,
        n_best=training.list_length,
        threads=threads,
    )
    task: Task = plain
    if training.condense is not None:
        task = CondensedTask(plain, training.condense)
    trainer = find_method(training.method)(seed=seed, **training.options)
    result = trainer.fit(
        task,
        run=run,
        threads=threads,
        progress=progress,
        watch=(lambda round, now: watch(round, task.finished(now))) if training.watched else None,
    )
    return result, task.finished(last_weights(result, run))


def last_weights(result: Result, run: Path) -> Weights:
    """Those of the last round of a run, as they were tuned; its candidates are removed."""
    shutil.rmtree(run / POOL, ignore_errors=True)
    return read_weights(run / WEIGHTS / f"{result.history[-1].round:03}.npz")


def scored(
    model: Model,
    weights: Weights,
    texts: tuple[Text, ...],
    threads: int | None,
    progress: Progress,
) -> Cell:
    """The translations of texts under these weights, and their scores."""
    outputs, figures = {}, {}
    for text in texts:
        outputs[text.name] = _translated(model, weights, text, threads, progress)
        for metric_score in score(
            outputs[text.name], text.reference_lines, METRICS, tokenize="none"
        ):
            figures[f"{text.name} {metric_score.metric}"] = metric_score.value
    return Cell(figures, outputs=outputs)


def _translated(
    model: Model, weights: Weights, text: Text, threads: int | None, progress: Progress
) -> list[str]:
    translator, lines = Translator(replace(model, weights=weights)), []
    with progress.stage(f"translate {text.name}", len(text.sentences)) as stage:
        for translation in translator.translate_all(text.sentences, threads=threads):
            lines.append(translation.text)
            stage.advance()
    return lines


class _Watch:
    """Translates a text with the weights of every round and keeps what comes out."""

    def __init__(
        self, model: Model, text: Text, folder: Path, threads: int | None, progress: Progress
    ) -> None:
        self._model = model
        self._text = text
        self._folder = folder
        self._how = threads, progress

    def __call__(self, round: int, weights: Weights) -> None:
        self._folder.mkdir(exist_ok=True)
        lines = _translated(self._model, weights, self._text, *self._how)
        write_lines(self._folder / f"{round:03}.txt", lines)

    def score(self, round: int) -> float:
        lines = list(read_lines(self._folder / f"{round:03}.txt"))
        [bleu] = score(lines, self._text.reference_lines, ["bleu"], tokenize="none")
        return bleu.value

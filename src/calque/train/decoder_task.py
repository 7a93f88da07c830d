from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from calque.config import to_mapping
from calque.decode import Translation, Translator, load
from calque.errors import FileError, OptionError
from calque.features import Weights
from calque.hyps import NBest
from calque.metrics.metric import Metric
from calque.metrics.registry import make_metric, settings_of
from calque.model import DEFAULT, Model
from calque.progress import SILENT, Progress
from calque.text import read_lines
from calque.train.task import Task, digest

UNKNOWN = "unknown"
"""The weight of copied words: a matter of the search, not of taste, and so never tuned."""


class DecoderTask(Task):
    """Tunes a model of Calque: decodes the source anew whenever the weights have moved."""

    renews = True

    def __init__(
        self,
        model: Translator | Path | str,
        source: Path | str,
        references: Sequence[Path | str],
        metric: Metric | str = "bleu",
        *,
        n_best: int = 100,
        start: str = DEFAULT,
        threads: int | None = None,
    ) -> None:
        """Take a model, or a folder whose weights called `start` are the first.

        Translations are measured as a user reads them. By name, `metric` splits words as 13a does
        where the model tokenises, and at spaces where its text is tokenised already.
        """
        if n_best < 2:
            raise OptionError(f"n_best={n_best}: expected at least 2, to choose from")
        folder = None if isinstance(model, Translator) else Path(model)
        translator = model if isinstance(model, Translator) else load(model, start)
        if isinstance(metric, str):
            metric = _named_metric(metric, translator)
        super().__init__(references, metric)
        self._translator = Translator(translator.model, translator.options)
        self._source = list(read_lines(source))
        if len(self._source) != self.n_sentences:
            raise FileError(
                source,
                f"has {len(self._source):,} lines, but the references have {self.n_sentences:,}:"
                " expected equal numbers",
            )
        self._start = dict(translator.model.weights)
        self._n_best = n_best
        self._threads = threads
        self._inputs = {
            "model": identity(folder),
            "source": digest(source),
            **self.files,
            "n_best": n_best,
            "decode": to_mapping(translator.options),
            "start": self._start,
        }

    @property
    def model(self) -> Model:
        """The model that is tuned; its search options are those of the task."""
        return replace(self._translator.model, decode_options=self._translator.options)

    @property
    def source(self) -> Sequence[str]:
        """The sentences to translate."""
        return self._source

    @property
    def dense_names(self) -> tuple[str, ...]:
        """The features of the model's weights."""
        return tuple(self._start)

    @property
    def start(self) -> Mapping[str, float]:
        """The weights that the model came with."""
        return self._start

    @property
    def fixed(self) -> tuple[str, ...]:
        """The weight of unknown words, where the model has one."""
        return (UNKNOWN,) if UNKNOWN in self._start else ()

    @property
    def inputs(self) -> dict[str, Any]:
        """The model, the files by content, the options of the search and the first weights."""
        return self._inputs

    def candidates(self, weights: Mapping[str, float], progress: Progress = SILENT) -> NBest:
        """What the decoder finds under these weights, best first."""
        translator = self._translator
        chosen = Weights({name: weights[name] for name in self._start})
        translator.model = replace(translator.model, weights=chosen)
        with progress.stage("decode", len(self._source)) as stage:
            found = translator.n_best(self._source, self._n_best, threads=self._threads)
            return _collected(_watched(found, stage.advance))


def _watched(lists: Iterable[list[Translation]], advance: Any) -> Iterable[list[Translation]]:
    for one in lists:
        yield one
        advance()


def _collected(lists: Iterable[list[Translation]]) -> NBest:
    names: dict[str, int] = {}
    sentences: list[int] = []
    texts: list[str] = []
    offsets, columns, values, totals = [0], list[int](), list[float](), list[float]()
    for sentence, found in enumerate(lists):
        for one in found:
            sentences.append(sentence)
            texts.append(one.text)
            columns += [names.setdefault(name, len(names)) for name in one.features]
            values += one.features.values()
            totals.append(one.score)
            offsets.append(len(columns))
    return NBest(
        tuple(names),
        np.array(sentences, np.int64),
        texts,
        np.array(offsets, np.int64),
        np.array(columns, np.int32),
        np.array(values, np.float64),
        np.array(totals),
    )


def _named_metric(name: str, translator: Translator) -> Metric:
    tokenises = translator.model.preprocessor.options.tokenize
    spaces = "tokenize" in settings_of(name) and not tokenises
    return make_metric(name, **({"tokenize": "none"} if spaces else {}))


def identity(folder: Path | None) -> dict[str, str]:
    """The parts of a model that decide its translations, by content; none for one in memory."""
    if folder is None:
        return {}
    from calque.model import ModelFolder

    entries = ModelFolder(folder).manifest.entries
    return {
        name: entry.sha256
        for name, entry in sorted(entries.items())
        if not name.startswith("weights/")
    }

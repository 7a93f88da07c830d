from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from calque.config import to_mapping
from calque.decode import CandidateLists, CandidateSearch, Translator, load
from calque.errors import FileError, OptionError
from calque.features import SparseWeights, Weights
from calque.features.weights import key_name
from calque.hyps import NBest
from calque.metrics.metric import Metric
from calque.metrics.registry import make_metric, settings_of
from calque.model import DEFAULT, Model
from calque.progress import SILENT, Progress
from calque.text import read_lines
from calque.tune.task import Task, digest

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
        self._search = CandidateSearch(self._translator, self._source)
        first = translator.model.weights
        self._dense_names = tuple(first)
        self._start = first.by_name()
        self._n_best = n_best
        self._threads = threads
        self._inputs = {
            "model": identity(folder),
            "source": digest(source),
            **self.files,
            "n_best": n_best,
            "decode": to_mapping(translator.options),
            "start": dict(first),
            **({"sparse start": _digest(first.sparse)} if len(first.sparse) else {}),
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
        """The dense features of the model's weights."""
        return self._dense_names

    @property
    def has_families(self) -> bool:
        """Whether families of sparse features are active in the model."""
        return bool(self._translator.decoder.features.templates)

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
        """What the decoder finds under these weights, best first; sparse features by key."""
        batches = []
        with progress.stage("decode", len(self._source)) as stage:
            chosen = Weights.from_names(weights)
            for batch in self._search.lists(chosen, self._n_best, self._threads):
                batches.append(batch)
                stage.advance(len(batch.lengths))
        return _together(self._translator.decoder.feature_names, batches)

    def translate(self, weights: Mapping[str, float]) -> list[str]:
        """The best translation of every sentence under these weights."""
        found = self._search.lists(Weights.from_names(weights), 1, self._threads)
        return [text for batch in found for text in batch.texts]


def _together(names: Sequence[str], batches: Sequence[CandidateLists]) -> NBest:
    """The lists of all batches; dense features first on every candidate, then the sparse ones."""
    lengths = np.concatenate([batch.lengths for batch in batches])
    dense = np.concatenate([batch.dense for batch in batches])
    n_sparse = np.concatenate([np.diff(batch.sparse.offsets) for batch in batches])
    keys = np.concatenate([batch.sparse.keys for batch in batches])
    keys, sparse_columns = np.unique(keys, return_inverse=True)
    width = len(names)
    row_offsets = np.concatenate([[0], np.cumsum(width + n_sparse)])
    is_sparse = np.ones(row_offsets[-1], bool)
    is_sparse[(row_offsets[:-1, None] + np.arange(width)).ravel()] = False
    columns, values = np.empty(len(is_sparse), np.int32), np.empty(len(is_sparse))
    columns[~is_sparse], values[~is_sparse] = np.tile(np.arange(width), len(dense)), dense.ravel()
    columns[is_sparse] = width + sparse_columns
    values[is_sparse] = np.concatenate([batch.sparse.counts for batch in batches])
    return NBest(
        (*names, *map(key_name, keys.tolist())),
        np.repeat(np.arange(len(lengths)), lengths),
        [text for batch in batches for text in batch.texts],
        row_offsets,
        columns,
        values,
        np.concatenate([batch.scores for batch in batches]),
    )


def _named_metric(name: str, translator: Translator) -> Metric:
    tokenises = translator.model.preprocessor.options.tokenize
    spaces = "tokenize" in settings_of(name) and not tokenises
    return make_metric(name, **({"tokenize": "none"} if spaces else {}))


def _digest(sparse: SparseWeights) -> str:
    arrays = sparse.to_arrays()
    return hashlib.sha256(arrays["keys"].tobytes() + arrays["values"].tobytes()).hexdigest()


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

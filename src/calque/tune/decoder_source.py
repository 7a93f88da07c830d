"""Candidates that a model finds: the sentences of a text, decoded anew under ever new weights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.config import LeaveOneOutOptions, OracleOptions, to_mapping
from calque.decode import (
    BlockBags,
    CandidateLists,
    CandidateSearch,
    DerivedList,
    Translator,
    oracle_lists,
)
from calque.errors import CalqueError, FileError, OptionError
from calque.features import SparseWeights, Weights
from calque.metrics.metric import Metric
from calque.model import Model, ModelFolder
from calque.parallel import Engine
from calque.progress import SILENT, Progress
from calque.text import GivenText, Text
from calque.tune.judge import Judge, Verdict
from calque.tune.kept_lists import KeptLists
from calque.tune.task import CandidateSource, Selection

UNKNOWN = "unknown"
"""The weight of copied words: a matter of the search, not of taste, and so never tuned."""


class DecoderSource(CandidateSource):
    """Candidates that a model finds for the sentences of a text."""

    decodes_again = True

    def __init__(
        self,
        translator: Translator,
        source: GivenText,
        n_best: int,
        *,
        folder: Path | None = None,
        references: Sequence[Sequence[str]] = (),
        leave_one_out: LeaveOneOutOptions | None = None,
        lists: Path | None = None,
        threads: int | None = None,
        engine: Engine | None = None,
    ) -> None:
        """Take a translator and a text; `folder` is where the model came from.

        `references` are texts with a translation of every sentence each: only `truths` needs them.
        `lists` is a folder where candidates under the first weights are kept.
        """
        if n_best < 1:
            raise OptionError(f"n_best={n_best}: expected at least 1 candidate per sentence")
        self._translator = Translator(translator.model, translator.options)
        self.sentences = source.sentences
        self.n_sentences = len(self.sentences)
        self._leave_one_out = leave_one_out
        self._check_text()
        first = translator.model.weights
        self.dense_names = tuple(first)
        self.fixed = (UNKNOWN,) if UNKNOWN in first else ()
        self.has_families = bool(self._translator.decoder.features.templates)
        self.list_length = n_best
        self.is_linear = translator.options.normaliser == "none"
        self.leaves_one_out = leave_one_out is not None
        self._references = references
        self._lists = lists
        self._threads = threads
        self.engine = engine
        self._inputs: dict[str, Any] = {
            "model": identity(folder),
            "source": source.digest(),
            "n_best": n_best,
            "decode": to_mapping(translator.options),
            "start": dict(first),
            **({"sparse start": _digest(first.sparse)} if len(first.sparse) else {}),
            **({} if leave_one_out is None else {"leave_one_out": to_mapping(leave_one_out)}),
        }

    def _check_text(self) -> None:
        """Raise where the text is not what it should be."""
        _ = self._search  # prepared here so that a mistake shows before the work

    @cached_property
    def _search(self) -> CandidateSearch:
        return CandidateSearch(self._translator, self.sentences, self._leave_one_out)

    @property
    def translator(self) -> Translator:
        """The translator that finds the candidates."""
        return self._translator

    @property
    def model(self) -> Model:
        """The model; its search options are those of the task."""
        return replace(self._translator.model, decode_options=self._translator.options)

    @property
    def start(self) -> Weights:
        """The weights that the model came with."""
        return self._translator.model.weights

    @property
    def inputs(self) -> dict[str, Any]:
        """The model, the file by content, the options of the search and the first weights."""
        return self._inputs

    def lists(
        self, weights: Weights, progress: Progress = SILENT, *, skip: int = 0
    ) -> Iterator[CandidateLists]:
        """What the decoder finds under these weights, best first."""
        batches = self._kept_or_decoded(weights, self.list_length or 1, skip)
        return self._shown("decode", batches, progress)

    def _kept_or_decoded(self, weights: Weights, n: int, skip: int) -> Iterator[CandidateLists]:
        if self._kept is None or weights != self.start:
            return self._decoded(weights, n, skip)
        return self._kept.batches(lambda skip: self._decoded(weights, n, skip), skip)

    @cached_property
    def _kept(self) -> KeptLists | None:
        if self._lists is None:
            return None
        features = to_mapping(self._translator.model.feature_options)
        text = self._inputs["source"]["sha256"]
        return KeptLists(self._lists, {**self._inputs, "source": text, "features": features})

    def _decoded(self, weights: Weights, n: int, skip: int = 0) -> Iterator[CandidateLists]:
        return self._search.lists(weights, n, self._threads, skip=skip, engine=self.engine)

    def derived(
        self, weights: Weights, n: int, progress: Progress = SILENT
    ) -> Iterator[DerivedList]:
        """The best `n` candidates of every sentence under these weights, with derivations."""
        with progress.stage("decode", self.n_sentences) as stage:
            for candidates in self._search.derived(weights, n, self._threads):
                yield candidates
                stage.advance()

    def truths(
        self, n: int, progress: Progress = SILENT, *, brevity_penalty: bool = False
    ) -> Iterator[CandidateLists]:
        """The derivations of highest sentence BLEU, under the reordering of the task."""
        if n < 1:
            raise OptionError(f"n={n}: expected at least 1 truth per sentence")
        search = self._translator.options
        options = OracleOptions(
            **search.rules(), max_targets=search.max_targets, brevity_penalty=brevity_penalty
        )
        batches = oracle_lists(
            self._translator,
            self.sentences,
            self._references,
            options,
            n_best=n,
            leave_one_out=self._leave_one_out,
            threads=self._threads,
            engine=self.engine,
        )
        return self._shown("oracle", batches, progress)

    def bags(
        self,
        seed: int,
        families: Sequence[str],
        progress: Progress = SILENT,
        *,
        concat: bool = False,
    ) -> Iterator[CandidateLists]:
        """A random block for each span of a sentence that blocks match (`BlockBags`)."""
        batches = BlockBags(self._translator, families).lists(
            self.sentences,
            seed,
            concat=concat,
            leave_one_out=self._leave_one_out,
            threads=self._threads,
        )
        return self._shown("bags of blocks", batches, progress)

    def _shown(
        self, name: str, batches: Iterable[CandidateLists], progress: Progress
    ) -> Iterator[CandidateLists]:
        with progress.stage(name, self.n_sentences) as stage:
            for batch in batches:
                yield batch
                stage.advance(len(batch.lengths))

    def translate(self, weights: Weights) -> list[str]:
        """The best translation of every sentence under these weights."""
        return [text for batch in self._decoded(weights, 1) for text in batch.texts]

    def sparse_group(self, name: str, keys: NDArray[np.uint64]) -> NDArray[np.bool_] | None:
        """Which of the keys belong to the family or are the feature of this name."""
        return group_of(self._translator.model, name, keys)


def group_of(model: Model, name: str, keys: NDArray[np.uint64]) -> NDArray[np.bool_] | None:
    """Which of the keys are of a family or feature of a model; none where it has none so called."""
    try:
        if ":" in name:
            return np.asarray(keys == np.uint64(model.features.key_of(name)))
        return model.in_family(name, keys)
    except CalqueError:
        return None


class DecodedText(Selection):
    """A text that is translated under every weights to be judged."""

    def __init__(
        self,
        translator: Translator,
        source: Text,
        references: Sequence[Text],
        metric: Metric,
        threads: int | None = None,
        engine: Engine | None = None,
    ) -> None:
        """Take the text and its references."""
        self.judge = Judge(references, metric)
        text = GivenText.of(source, "dev_source")
        self._candidates = DecoderSource(translator, text, 1, threads=threads, engine=engine)
        check_equal(text, self.judge)

    @property
    def inputs(self) -> dict[str, Any]:
        """The files by content."""
        return {"source": self._candidates.inputs["source"], "references": self.judge.files}

    def verdict(self, weights: Weights, progress: Progress = SILENT) -> Verdict:
        """How good the translations under these weights are."""
        batches = self._candidates.lists(weights, progress)
        return self.judge.verdict([text for batch in batches for text in batch.texts])

    @property
    def texts(self) -> Sequence[str]:
        """The sentences of the text."""
        return self._candidates.sentences

    def translate(self, weights: Weights) -> list[str]:
        """Their best translations."""
        return self._candidates.translate(weights)


def check_equal(source: GivenText, judge: Judge) -> None:
    """Raise `FileError` where a text and its references differ in length."""
    if len(source) != judge.n_sentences:
        raise FileError(
            source.name,
            f"has {len(source):,} lines, but the references have {judge.n_sentences:,}:"
            " expected equal numbers",
        )


def _digest(sparse: SparseWeights) -> str:
    arrays = sparse.to_arrays()
    digest = hashlib.sha256(arrays["keys"].data)
    digest.update(arrays["values"].data)
    return digest.hexdigest()


def identity(folder: Path | None) -> dict[str, str]:
    """The parts of a model that decide its translations, by content; none for one in memory."""
    if folder is None:
        return {}
    entries = ModelFolder(folder).manifest.entries
    return {
        name: entry.sha256
        for name, entry in sorted(entries.items())
        if not name.startswith("weights/")
    }

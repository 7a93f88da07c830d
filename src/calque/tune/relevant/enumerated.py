"""Problems small enough to enumerate: every derivation of short sentences, and its worth."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque.decode.candidate_texts import CandidateTexts
from calque.decode.prepared import PreparedText, prepare
from calque.errors import CalqueError, OptionError
from calque.tune.decoder_task import DecoderTask
from calque.tune.problem import Vector

MOST = 10_000
"""Derivations of a sentence, unless said otherwise."""


@dataclass(frozen=True, eq=False)
class EnumeratedSentence:
    """All candidates of a sentence, some of which are the truth."""

    features: NDArray[np.float64]
    """A row per candidate."""
    gains: Vector
    """What each is worth; higher is better."""
    truths: NDArray[np.int64]
    """The candidates to learn towards; no other is worth more."""

    def __post_init__(self) -> None:
        others = np.delete(self.gains, self.truths)
        if len(self.truths) == 0:
            raise CalqueError("a sentence without a truth: expected at least one candidate of it")
        if len(others) and others.max() > self.gains[self.truths].min():
            raise CalqueError(
                "a candidate is worth more than a truth, so that the loss is not convex: expected"
                " the best candidates as truths"
            )

    @classmethod
    def of_best(
        cls, features: NDArray[np.float64], gains: Vector, n_truths: int
    ) -> EnumeratedSentence:
        """The candidates of highest gain are the truths; of equal ones the first."""
        if n_truths < 1:
            raise OptionError(f"n_truths={n_truths}: expected at least 1")
        best = np.argsort(-gains, kind="stable")[:n_truths]
        return cls(features, gains, np.sort(best))

    @property
    def alternatives(self) -> NDArray[np.int64]:
        """All other candidates."""
        return np.delete(np.arange(len(self.gains)), self.truths)


def enumerate_task(
    task: DecoderTask, n_truths: int = 5, most: int = MOST
) -> list[EnumeratedSentence]:
    """Every derivation of the sentences of a task, nothing pruned, with its score by the metric.

    Reordering and the options of each span are those of the task: they say what there is to be
    found. Features are the dense ones, then those sparse ones that occur. Raises `CalqueError`
    where a sentence has more than `most` derivations.
    """
    translator = task.source.translator
    model, decoder = translator.model, translator.decoder
    text = PreparedText.encode(prepare(task.texts, model, sys.maxsize), model)
    unpruned = replace(
        translator.options, stack_size=0, pop_limit=0, threshold=0.0, time_limit_s=0.0
    )
    batch = decoder.decode_batch(text.source, task.start, unpruned, n_best=most + 1, distinct=False)
    lengths = np.diff(batch.offsets)
    if (lengths > most).any():
        raise CalqueError(
            f"sentence {int(np.argmax(lengths > most)) + 1} has more than {most:,} derivations:"
            " expected shorter sentences, fewer options per span or less reordering"
        )
    features = batch.features.reshape(len(batch.scores), -1)
    if decoder.features.templates:
        rows = decoder.sparse_batch(batch, text.source)
        keys, columns = np.unique(rows.keys, return_inverse=True)
        sparse = np.zeros((len(features), len(keys)))
        sparse[np.repeat(np.arange(len(features)), np.diff(rows.offsets)), columns] = rows.counts
        features = np.concatenate([features, sparse], axis=1)
    sentences = np.repeat(np.arange(len(lengths)), lengths)
    statistics = task.judge.statistics(
        CandidateTexts(translator).read_batch(text, batch), sentences
    )
    gains = task.judge.sign * task.metric.score(statistics) / 100
    return [
        EnumeratedSentence.of_best(features[begin:end], gains[begin:end], n_truths)
        for begin, end in pairwise(batch.offsets.tolist())
    ]

"""Metrics of sentences: the score of a corpus is the mean over them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque.metrics.bleu import prepare_bleu
from calque.metrics.metric import Metric, PreparedReferences, Statistics
from calque.metrics.prepared import ratio
from calque.metrics.word_metric import WordMetric


class SentenceMean(Metric):
    """A metric of sentences; statistics are their scores and their number."""

    statistics_names = ("score", "sentences")

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """The mean of the sentence scores."""
        return ratio(statistics[..., 0], statistics[..., 1])


@dataclass(frozen=True)
class SentenceBleu(SentenceMean, WordMetric):
    """A variant of BLEU that scores sentences from their statistics."""

    higher_is_better = True

    @abstractmethod
    def sentence_scores(self, statistics: Statistics) -> NDArray[np.float64]:
        """From 0 to 100, one per row of statistics of BLEU."""

    def bleu_references(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References that give statistics of BLEU."""
        return prepare_bleu(references, self.split)

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References that give sentence scores."""
        return ScoredSentences(self.bleu_references(references), self.sentence_scores)


class ScoredSentences(PreparedReferences):
    """References that give sentence scores, made from those that give other statistics."""

    def __init__(
        self,
        references: PreparedReferences,
        scores: Callable[[Statistics], NDArray[np.float64]],
    ) -> None:
        """`scores` has a score for every row of their statistics."""
        self.n_sentences = references.n_sentences
        self._references = references
        self._scores = scores

    def statistics(
        self, hypotheses: Sequence[str], sentences: NDArray[np.int64] | None = None
    ) -> Statistics:
        """The score of every hypothesis, and 1."""
        scores = self._scores(self._references.statistics(hypotheses, sentences))
        return np.stack([scores, np.ones_like(scores)], axis=-1)


def add_one(matches: Statistics, ngrams: Statistics) -> NDArray[np.float64]:
    """Precisions with one more match and n-gram for each order from 2 on."""
    extra = np.ones(matches.shape[-1])
    extra[0] = 0
    return ratio(matches + extra, ngrams + extra)

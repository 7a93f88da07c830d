from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque._core import EditKind
from calque.metrics.edits import WordErrorRate
from calque.metrics.metric import PreparedReferences, Statistics
from calque.metrics.sentence_mean import ScoredSentences, SentenceMean
from calque.metrics.signature import calque_signature


@dataclass(frozen=True)
class Mwer(WordErrorRate):
    """Word error rate against several references: the lowest of min_k Lev(h, r_k) / |r_k|.

    The statistics are the edits to that reference and its length, so the rate of a corpus is that
    of all its words. Of references with the same rate the one with fewest edits counts, whatever
    their order.
    """

    name: ClassVar[str] = "mwer"
    kind: ClassVar[EditKind] = EditKind.words


@dataclass(frozen=True)
class ReverseMwer(Mwer):
    """100 minus the word error rate; long outputs may fall below 0."""

    name: ClassVar[str] = "reverse-mwer"
    higher_is_better = True

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """How much of the references needs no edit, in percent."""
        return 100 - super().score(statistics)


@dataclass(frozen=True)
class AvgMwer(SentenceMean, Mwer):
    """The mean word error rate of single sentences: short ones count as much as long ones."""

    name: ClassVar[str] = "avg-mwer"

    @property
    def signature(self) -> str:
        """The settings."""
        return calque_signature(case=self.case, tok=self.tok, len="best", agg="mean")

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References that give the rate of every hypothesis."""
        return ScoredSentences(Mwer.prepare(self, references), self.sentence_rates)

    def sentence_rates(self, statistics: Statistics) -> NDArray[np.float64]:
        """One per row of edits and length."""
        return Mwer.score(self, statistics)


@dataclass(frozen=True)
class AvgReverseMwer(AvgMwer):
    """100 minus the mean word error rate of single sentences (Tillmann & Zhang 2008)."""

    name: ClassVar[str] = "avg-reverse-mwer"
    higher_is_better = True

    def sentence_rates(self, statistics: Statistics) -> NDArray[np.float64]:
        """How much of the reference needs no edit, in percent."""
        return 100 - super().sentence_rates(statistics)

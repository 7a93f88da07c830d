from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque.metrics.bleu import brevity, geometric_mean, split_statistics
from calque.metrics.metric import Statistics
from calque.metrics.prepared import ratio
from calque.metrics.sentence_mean import SentenceBleu, add_one
from calque.metrics.signature import calque_signature


@dataclass(frozen=True)
class AvgBleu(SentenceBleu):
    """Averaged sentence BLEU (Tillmann & Zhang 2008): precisions alone, no brevity penalty."""

    name: ClassVar[str] = "avg-bleu"

    smooth: bool = False
    """Add one to matches and n-grams from order 2 on: a training signal for early outputs."""
    bp: bool = False
    """Multiply by the brevity penalty after all."""

    @property
    def signature(self) -> str:
        """The settings."""
        return calque_signature(
            case=self.case,
            tok=self.tok,
            smooth="add-1" if self.smooth else "none",
            bp=self.bp,
            agg="mean",
        )

    def sentence_scores(self, statistics: Statistics) -> NDArray[np.float64]:
        """The geometric mean of the precisions, 0 to 100."""
        length, reference_length, matches, ngrams = split_statistics(statistics)
        precisions = add_one(matches, ngrams) if self.smooth else ratio(matches, ngrams)
        factor = brevity(length, reference_length) if self.bp else 1.0
        return 100 * factor * geometric_mean(precisions)

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque.metrics.bleu import brevity, geometric_mean, split_statistics
from calque.metrics.metric import Statistics
from calque.metrics.sentence_mean import SentenceBleu, add_one
from calque.metrics.signature import calque_signature


@dataclass(frozen=True)
class BleuPlusOne(SentenceBleu):
    """BLEU+1: sentence BLEU with one more match and n-gram for each order from 2 on."""

    name: ClassVar[str] = "bleu+1"

    @property
    def signature(self) -> str:
        """The settings."""
        return calque_signature(case=self.case, tok=self.tok, smooth="add-1", agg="mean")

    def sentence_scores(self, statistics: Statistics) -> NDArray[np.float64]:
        """Smoothed precisions times the brevity penalty, 0 to 100."""
        return 100 * bleu_plus_one(statistics)


def bleu_plus_one(statistics: Statistics, *, smooth_brevity: bool = False) -> NDArray[np.float64]:
    """BLEU+1 of single candidates from statistics of BLEU, 0 to 1.

    With `smooth_brevity` the reference counts one word more: without it the smoothed precisions
    favour short output, the more the shorter the reference (Nakov et al. 2012).
    """
    length, reference_length, matches, ngrams = split_statistics(statistics)
    penalty = brevity(length, reference_length + (1.0 if smooth_brevity else 0.0))
    return np.asarray(penalty * geometric_mean(add_one(matches, ngrams)))

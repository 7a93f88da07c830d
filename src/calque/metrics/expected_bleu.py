from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque.errors import OptionError
from calque.metrics.bleu import brevity, geometric_mean, prepare_bleu, split_statistics
from calque.metrics.metric import PreparedReferences, Statistics
from calque.metrics.prepared import ratio
from calque.metrics.sentence_mean import SentenceBleu
from calque.metrics.signature import calque_signature


@dataclass(frozen=True)
class ExpectedBleu(SentenceBleu):
    """The sentence BLEU of expected-BLEU training (He & Deng 2012, Wuebker et al. 2015).

    Precisions of orders 3 and 4 lean on those of the two orders below. The brevity factor is not
    capped: long outputs gain, so that errors of length can balance over a corpus; scores may exceed
    100. Of several references the closest length counts.
    """

    name: ClassVar[str] = "expected-bleu"

    clip_bp: bool = False
    """Cap the brevity factor at 1."""
    clip_counts: bool = True
    """Count an n-gram no more often than one reference has it."""
    smoothing: float = 5.0
    """How many n-grams the expected precision of orders 3 and 4 weighs."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.smoothing < np.inf:
            raise OptionError(f"smoothing={self.smoothing}: expected a number of at least 0")

    @property
    def signature(self) -> str:
        """The settings."""
        return calque_signature(
            case=self.case,
            tok=self.tok,
            smooth=f"expected[{self.smoothing:g}]",
            clipbp=self.clip_bp,
            clip=self.clip_counts,
            agg="mean",
        )

    def bleu_references(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References that give statistics of BLEU."""
        return prepare_bleu(references, self.split, clip=self.clip_counts)

    def sentence_scores(self, statistics: Statistics) -> NDArray[np.float64]:
        """Smoothed precisions times the brevity factor; 100 is a perfect match."""
        length, reference_length, matches, ngrams = split_statistics(statistics)
        precisions = ratio(matches, ngrams)
        for n in (2, 3):
            expected = ratio(precisions[..., n - 1] ** 2, precisions[..., n - 2])
            precisions[..., n] = ratio(
                matches[..., n] + self.smoothing * expected, ngrams[..., n] + self.smoothing
            )
        factor = brevity(length, reference_length, cap=self.clip_bp)
        return 100 * factor * geometric_mean(precisions)

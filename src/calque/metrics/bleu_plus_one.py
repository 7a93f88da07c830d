from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque.metrics.bleu import brevity, geometric_mean, prepare_bleu, split_statistics
from calque.metrics.metric import PreparedReferences, Statistics
from calque.metrics.sentence_mean import SentenceBleu, add_one
from calque.metrics.signature import calque_signature, case
from calque.metrics.words import check_tokenizer, tokenizer_signature


@dataclass(frozen=True)
class BleuPlusOne(SentenceBleu):
    """BLEU+1: sentence BLEU with one more match and n-gram for each order from 2 on."""

    name: ClassVar[str] = "bleu+1"

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)

    @property
    def signature(self) -> str:
        """The settings."""
        return calque_signature(
            case=case(self.lowercase),
            tok=tokenizer_signature(self.tokenize),
            smooth="add-1",
            agg="mean",
        )

    def bleu_references(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References that give statistics of BLEU."""
        return prepare_bleu(references, self.tokenize, self.lowercase)

    def sentence_scores(self, statistics: Statistics) -> NDArray[np.float64]:
        """Smoothed precisions times the brevity penalty, 0 to 100."""
        length, reference_length, matches, ngrams = split_statistics(statistics)
        mean = geometric_mean(add_one(matches, ngrams))
        return 100 * brevity(length, reference_length) * mean

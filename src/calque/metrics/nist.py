from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque._core import NgramReferences
from calque.metrics.metric import PreparedReferences, Statistics
from calque.metrics.prepared import Prepared, interleave, ratio
from calque.metrics.signature import calque_signature
from calque.metrics.word_metric import WordMetric
from calque.parallel import n_workers

ORDER = 5
DECAY = np.log(0.5) / np.log(1.5) ** 2
"""Two thirds of the reference length halve the score."""


@dataclass(frozen=True)
class Nist(WordMetric):
    """The NIST score (Doddington 2002): matched n-grams weighed by the bits that they tell.

    Information is counted over all references of the corpus; an n-gram matches as often as the
    reference that has it most often; the length is held against the mean reference length.
    """

    name: ClassVar[str] = "nist"
    higher_is_better = True
    statistics_names = (
        *(f"information_{n}" for n in range(1, ORDER + 1)),
        *(f"ngrams_{n}" for n in range(1, ORDER + 1)),
        "hypothesis_length",
        "reference_length",
    )

    @property
    def signature(self) -> str:
        """The settings."""
        return calque_signature(case=self.case, tok=self.tok, n=ORDER, len="average")

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References with their n-grams counted and weighed."""
        core = NgramReferences(self.split(interleave(references)), len(references), ORDER)
        core.weigh()

        def count(hypotheses: list[str], sentences: NDArray[np.int64]) -> Statistics:
            return core.nist(hypotheses, sentences, n_workers())

        return Prepared(len(references[0]), len(self.statistics_names), self.split, count)

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Mean information per n-gram, summed over the orders, times the length penalty."""
        information = statistics[..., :ORDER]
        ngrams = statistics[..., ORDER : 2 * ORDER]
        length, reference_length = statistics[..., -2], statistics[..., -1]
        share = np.minimum(ratio(length, reference_length), 1)
        penalty = np.exp(DECAY * np.log(np.where(share > 0, share, 1.0)) ** 2)
        return np.asarray(ratio(information, ngrams).sum(axis=-1) * penalty * (share > 0))

"""What every metric is: additive statistics, a direction, a signature."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

Statistics = NDArray[np.float64]
"""One row per hypothesis; rows add up to the statistics of a corpus."""


class PreparedReferences(ABC):
    """References of a corpus, ready to give the statistics of any number of hypotheses."""

    n_sentences: int

    @abstractmethod
    def statistics(
        self, hypotheses: Sequence[str], sentences: NDArray[np.int64] | None = None
    ) -> Statistics:
        """One row per hypothesis.

        Hypothesis i translates sentence `sentences[i]`, or sentence i where `sentences` is left
        out. A row does not depend on the other hypotheses.
        """


class Metric(ABC):
    """Maps hypotheses to additive statistics, and sums of statistics to scores.

    Settings go to the constructor, text only to `prepare`.
    """

    name: ClassVar[str]
    higher_is_better: bool
    statistics_names: tuple[str, ...]
    """What the columns of the statistics count, in their order."""

    @property
    @abstractmethod
    def signature(self) -> str:
        """The exact settings behind a score, in sacreBLEU's notation."""

    @abstractmethod
    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """The references, one sequence of lines per set, counted once for all hypotheses."""

    @abstractmethod
    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """The scores of summed statistics, along the last axis: (..., k) gives (...).

        One row is the score of one sentence, the sum over a corpus that of the corpus.
        """

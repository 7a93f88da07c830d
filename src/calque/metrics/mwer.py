from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque._core import EditKind
from calque.metrics.edits import WordErrorRate
from calque.metrics.metric import Statistics


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
    """100 minus the word error rate (Tillmann & Zhang 2008); long outputs may fall below 0."""

    name: ClassVar[str] = "reverse-mwer"
    higher_is_better = True

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """How much of the references needs no edit, in percent."""
        return 100 - super().score(statistics)

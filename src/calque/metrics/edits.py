"""What error rates share: edits over reference words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque._core import EditKind, EditReferences
from calque.metrics.metric import Metric, PreparedReferences, Statistics
from calque.metrics.prepared import Clean, Prepared, interleave, ratio
from calque.metrics.signature import calque_signature
from calque.metrics.word_metric import WordMetric
from calque.parallel import n_workers


class ErrorRate(Metric):
    """Edits per reference word, in percent."""

    higher_is_better = False
    statistics_names = ("edits", "reference_length")

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """The percentage of edits; 100 for something against nothing."""
        edits, length = statistics[..., 0], statistics[..., 1]
        return np.asarray(np.where(length > 0, 100 * ratio(edits, length), 100.0 * (edits > 0)))


@dataclass(frozen=True)
class WordErrorRate(ErrorRate, WordMetric):
    """Edits of words against the reference with the lowest rate; which edits is the metric's."""

    kind: ClassVar[EditKind]

    @property
    def signature(self) -> str:
        """The settings."""
        return calque_signature(case=self.case, tok=self.tok, len="best")

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References as words."""
        return prepare_edits(references, self.kind, self.split)


def prepare_edits(references: Sequence[Sequence[str]], kind: EditKind, clean: Clean) -> Prepared:
    """References that give edits and a reference length per hypothesis."""
    core = EditReferences(clean(interleave(references)), len(references))

    def count(hypotheses: list[str], sentences: NDArray[np.int64]) -> Statistics:
        return core.statistics(hypotheses, sentences, kind, n_workers())

    return Prepared(len(references[0]), 2, clean, count)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque._core import NgramReferences, ReferenceLength
from calque.metrics.metric import PreparedReferences, Statistics
from calque.metrics.names import check_name
from calque.metrics.prepared import (
    Clean,
    Prepared,
    check_references,
    check_text,
    interleave,
    ratio,
)
from calque.metrics.signature import sacrebleu_signature
from calque.metrics.word_metric import WordMetric
from calque.parallel import n_workers

ORDER = 4
STRETCH = 16_384
"""Sentences whose references are counted together; these counts take some 3 KB each."""
REMEMBERED = 4
"""Stretches whose counts are kept: all of a training text's would need more than its model."""
LENGTHS = ("closest", "shortest", "average")
BLEU_STATISTICS = (
    "hypothesis_length",
    "reference_length",
    *(f"matches_{n}" for n in range(1, ORDER + 1)),
    *(f"ngrams_{n}" for n in range(1, ORDER + 1)),
)


@dataclass(frozen=True)
class Bleu(WordMetric):
    """Corpus BLEU, equal to sacreBLEU's where the reference length is the closest one."""

    name: ClassVar[str] = "bleu"
    higher_is_better = True
    statistics_names = BLEU_STATISTICS

    length: str = "closest"
    """Of several references, which length counts: closest, shortest or average."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_name("reference length", self.length, LENGTHS)

    @property
    def signature(self) -> str:
        """The one of sacreBLEU, with `len` where the reference length is not the closest one."""
        length = {} if self.length == "closest" else {"len": self.length}
        return sacrebleu_signature(case=self.case, eff=False, tok=self.tok, smooth="exp", **length)

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References with their n-grams counted."""
        return prepare_bleu(references, self.split, self.length)

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """BLEU from 0 to 100; orders without a match are smoothed as NIST's mteval does."""
        length, reference_length, matches, ngrams = split_statistics(statistics)
        if not matches.all():
            # The k-th order without a match counts 1/2^k matches.
            n_empty = np.cumsum((matches == 0) & (ngrams > 0), axis=-1)
            smoothed = np.where(matches > 0, matches, 0.5**n_empty)
        else:  # as always in tuning, where time matters
            smoothed = matches
        # Percentages from here on, as in sacreBLEU, so that rounding is the same.
        precisions = ratio(100 * smoothed, ngrams)
        has_match = matches.any(axis=-1)
        return has_match * brevity(length, reference_length) * geometric_mean(precisions)


def prepare_bleu(
    references: Sequence[Sequence[str]],
    clean: Clean,
    length: str = "closest",
    clip: bool = True,
) -> Prepared:
    """References that give the statistics of BLEU: about a microsecond per hypothesis.

    They are counted stretch by stretch, when they are needed.
    """
    check_references(references)
    check_text(references)
    rule = getattr(ReferenceLength, length)

    @lru_cache(maxsize=REMEMBERED)
    def counted(first: int) -> NgramReferences:
        some = [lines[first : first + STRETCH] for lines in references]
        return NgramReferences(clean(interleave(some)), len(references), ORDER)

    def count(hypotheses: list[str], sentences: NDArray[np.int64]) -> Statistics:
        rows = np.empty((len(hypotheses), len(BLEU_STATISTICS)))
        stretches = sentences // STRETCH
        for stretch in np.unique(stretches).tolist():
            here, first = np.flatnonzero(stretches == stretch), stretch * STRETCH
            texts = [hypotheses[at] for at in here.tolist()]
            rows[here] = counted(first).bleu(
                texts, sentences[here] - first, rule, clip, n_workers()
            )
        return rows

    return Prepared(len(references[0]), len(BLEU_STATISTICS), clean, count)


def split_statistics(
    statistics: Statistics,
) -> tuple[Statistics, Statistics, Statistics, Statistics]:
    """Lengths of hypothesis and reference (...), matches and n-grams per order (..., 4)."""
    return (
        statistics[..., 0],
        statistics[..., 1],
        statistics[..., 2 : 2 + ORDER],
        statistics[..., 2 + ORDER :],
    )


def brevity(
    length: NDArray[np.float64], reference_length: NDArray[np.float64], cap: bool = True
) -> NDArray[np.float64]:
    """The factor exp(1 - r/c), at most 1 unless `cap` is off; 0 for nothing against something."""
    exponent = 1 - ratio(reference_length, length)
    factor = np.exp(np.minimum(exponent, 0) if cap else exponent)
    nothing = (length == 0) & ((reference_length > 0) | (not cap))
    return np.asarray(np.where(nothing, 0.0, factor))


def geometric_mean(precisions: NDArray[np.float64]) -> NDArray[np.float64]:
    """The geometric mean along the last axis, 0 where one is 0."""
    positive = precisions > 0
    logs = np.log(np.where(positive, precisions, 1.0))
    mean = logs.sum(axis=-1) / precisions.shape[-1]
    return np.asarray(np.where(positive.all(axis=-1), np.exp(mean), 0.0))

"""Which sentence pairs are fit to learn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque.config import CleanOptions
from calque.text.overlap import find_overlap
from calque.text.sentences import Sentences


@dataclass(frozen=True)
class CleaningReport:
    """How many pairs were read, kept, and dropped for which reason (the first that applies)."""

    n_read: int
    n_kept: int
    n_empty_source: int = 0
    n_empty_target: int = 0
    n_too_long: int = 0
    n_ratio: int = 0
    n_no_overlap: int = 0

    def __str__(self) -> str:
        reasons = {
            "empty source": self.n_empty_source,
            "empty target": self.n_empty_target,
            "too long": self.n_too_long,
            "unequal lengths": self.n_ratio,
            "no overlap": self.n_no_overlap,
        }
        dropped = ", ".join(f"{n:,} {reason}" for reason, n in reasons.items() if n)
        text = f"{self.n_read:,} pairs read, {self.n_kept:,} kept"
        return f"{text}; dropped: {dropped}" if dropped else text


def clean(
    source: Sentences, target: Sentences, options: CleanOptions, overlap: Sentences | None = None
) -> tuple[NDArray[np.bool_], CleaningReport]:
    """Flags of the pairs to keep, and the report.

    `overlap` is the test set whose substrings a source must share, in ids of `source`; it is
    looked at only for pairs that pass every other test.
    """
    n_source, n_target = source.lengths, target.lengths
    longer, shorter = np.maximum(n_source, n_target), np.minimum(n_source, n_target)
    keep = np.ones(len(source), np.bool_)
    n_dropped: list[int] = []
    for bad in (
        n_source == 0,
        n_target == 0,
        longer > options.max_words,
        longer > options.max_ratio * shorter,
    ):
        n_dropped.append(int(np.count_nonzero(keep & bad)))
        keep &= ~bad
    if overlap is not None:
        shares = find_overlap(
            source.select(keep), overlap, options.overlap_max_words, options.overlap_times
        )
        n_dropped.append(int(np.count_nonzero(~shares)))
        keep[keep] = shares
    return keep, CleaningReport(len(source), int(np.count_nonzero(keep)), *n_dropped)

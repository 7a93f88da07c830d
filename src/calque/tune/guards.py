"""What must not happen while weights are tuned, detected and named."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque.decode import CandidateLists
from calque.errors import CalqueError
from calque.tune.task import CandidateSource

SHORTEST, LONGEST = 0.5, 2.0
"""Output beyond these shares of the references' length has collapsed."""
AT_ONCE = 1 << 14
"""Sentences that are looked at together."""
NOTHING = 1e-12
"""A weight vector whose largest entry is smaller than this share of the first one's is nothing."""


def check_candidates(lists: CandidateLists, first: int, source: CandidateSource) -> None:
    """Raise where a list is empty or a feature is not finite; they are of `first` and on."""
    empty = np.flatnonzero(lists.lengths == 0)
    if len(empty):
        raise CalqueError(
            f"sentence {first + empty[0]} has no candidates: expected a list for each"
        )
    ends = np.cumsum(lists.lengths)
    bad_rows, bad_columns = np.nonzero(~np.isfinite(lists.dense))
    if len(bad_rows):
        row, column = int(bad_rows[0]), int(bad_columns[0])
        name, value = source.dense_names[column], lists.dense[row, column]
    else:
        bad = np.flatnonzero(~np.isfinite(lists.sparse.counts))
        if not len(bad):
            return
        row = int(np.searchsorted(lists.sparse.offsets, bad[0], side="right")) - 1
        name, value = (
            source.sparse_name(int(lists.sparse.keys[bad[0]])),
            lists.sparse.counts[bad[0]],
        )
    sentence = first + int(np.searchsorted(ends, row, side="right"))
    raise CalqueError(
        f"feature '{name}' of a candidate of sentence {sentence} is {value}:"
        " expected finite features"
    )


def choice_share(offsets: NDArray[np.int64], statistics: NDArray[np.float64]) -> float:
    """The share of sentences whose candidates do not all score the same."""
    n_sentences, n_choices = len(offsets) - 1, 0
    for begin in range(0, n_sentences, AT_ONCE):
        own = offsets[begin : begin + AT_ONCE + 1]
        rows = statistics[own[0] : own[-1]]
        first = np.repeat(own[:-1] - own[0], np.diff(own))
        differs = (rows != rows[first]).any(axis=1)
        n_choices += int(np.logical_or.reduceat(differs, own[:-1] - own[0]).sum())
    return n_choices / n_sentences


def check_choice(offsets: NDArray[np.int64], statistics: NDArray[np.float64]) -> None:
    """Raise where no weights could make a difference."""
    if choice_share(offsets, statistics) == 0:
        raise CalqueError(
            "nothing to learn: in every list all candidates score the same"
            f" ({len(statistics):,} candidates of {len(offsets) - 1:,} sentences)"
        )


class NotFinite(NamedTuple):
    """A weight that is no number."""

    feature: int
    value: float


def weights_trouble(
    weights: NDArray[np.float64], before: NDArray[np.float64], free: NDArray[np.bool_]
) -> NotFinite | str | None:
    """What is wrong with new weights, of which the free ones could move."""
    bad = np.flatnonzero(~np.isfinite(weights))
    if len(bad):
        return NotFinite(int(bad[0]), float(weights[bad[0]]))
    largest = np.abs(before).max(initial=0, where=free)
    if np.abs(weights).max(initial=0, where=free) <= NOTHING * max(largest, NOTHING):
        return "all weights became 0"
    return None


def length_trouble(ratio: float, start: float) -> str | None:
    """What is wrong with output of this share of the references' length; `start` is the first's.

    A run that starts outside of the bounds may go on while it stays nearer to them than its start.
    """
    if SHORTEST <= ratio <= LONGEST:
        return None
    starts_outside = not SHORTEST <= start <= LONGEST
    if starts_outside and _distance(ratio) < _distance(start):
        return None
    return (
        f"the output has {ratio:.2f} times the words of the references,"
        f" expected {SHORTEST} to {LONGEST} times"
    )


def _distance(ratio: float) -> float:
    """How far a length is from that of the references; twice is as far as half."""
    return abs(math.log(ratio)) if ratio > 0 else math.inf

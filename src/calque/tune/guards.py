"""What must not happen while weights are tuned, detected and named."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque.decode import CandidateLists
from calque.errors import CalqueError
from calque.hyps import Lists
from calque.tune.task import CandidateSource

SHORTEST, LONGEST = 0.5, 2.0
"""Output beyond these shares of the references' length has collapsed."""
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


def choice_share(lists: Lists) -> float:
    """The share of sentences whose candidates do not all score the same."""
    first = np.repeat(lists.offsets[:-1], np.diff(lists.offsets))
    differs = (lists.statistics != lists.statistics[first]).any(axis=1)
    return float(np.logical_or.reduceat(differs, lists.offsets[:-1]).mean())


def check_choice(lists: Lists) -> None:
    """Raise where no weights could make a difference."""
    if choice_share(lists) == 0:
        raise CalqueError(
            "nothing to learn: in every list all candidates score the same"
            f" ({len(lists):,} candidates of {lists.n_sentences:,} sentences)"
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


def length_trouble(ratio: float) -> str | None:
    """What is wrong with output of this share of the references' length."""
    if SHORTEST <= ratio <= LONGEST:
        return None
    return (
        f"the output has {ratio:.2f} times the words of the references,"
        f" expected {SHORTEST} to {LONGEST} times"
    )

"""What must not happen while weights are tuned, detected and named."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError
from calque.hyps import Lists, NBest

SHORTEST, LONGEST = 0.5, 2.0
"""Output beyond these shares of the references' length has collapsed."""
NOTHING = 1e-12
"""A weight vector whose largest entry is smaller than this share of the first one's is nothing."""


def check_candidates(nbest: NBest, n_sentences: int) -> None:
    """Raise where a list is empty or a feature is not finite."""
    bad = np.flatnonzero(~np.isfinite(nbest.values))
    if len(bad):
        row = int(np.searchsorted(nbest.row_offsets, bad[0], side="right")) - 1
        name = nbest.names[nbest.columns[bad[0]]]
        raise CalqueError(
            f"feature '{name}' of a candidate of sentence {nbest.sentences[row]} is"
            f" {nbest.values[bad[0]]}: expected finite features"
        )
    empty = np.flatnonzero(np.bincount(nbest.sentences, minlength=n_sentences) == 0)
    if len(empty):
        raise CalqueError(f"sentence {empty[0]} has no candidates: expected a list for each")


def check_choice(lists: Lists) -> None:
    """Raise where no weights could make a difference."""
    first = np.repeat(lists.offsets[:-1], np.diff(lists.offsets))
    if (lists.statistics == lists.statistics[first]).all():
        raise CalqueError(
            "nothing to learn: in every list all candidates score the same"
            f" ({len(lists):,} candidates of {lists.n_sentences:,} sentences)"
        )


def weights_trouble(
    weights: NDArray[np.float64],
    before: NDArray[np.float64],
    names: tuple[str, ...],
    free: NDArray[np.bool_],
) -> str | None:
    """What is wrong with new weights, of which the free ones could move."""
    largest = np.abs(before[free]).max(initial=0)
    bad = np.flatnonzero(~np.isfinite(weights))
    if len(bad):
        return f"the weight of '{names[bad[0]]}' became {weights[bad[0]]}"
    if np.abs(weights[free]).max(initial=0) <= NOTHING * max(largest, NOTHING):
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

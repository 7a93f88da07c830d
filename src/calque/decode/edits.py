"""Which words of a sentence stay when it is edited into others with the fewest edits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST_CELLS = 1 << 22
"""Of all tables together that are filled at once: some 16 MB."""


class Edited(NamedTuple):
    """A sentence edited into others, of which there is a row each."""

    costs: NDArray[np.int32]
    """Rise with the number of edits; of equal numbers, more words that stay cost less."""
    stays: NDArray[np.bool_]
    """Whether each word of the sentence stays."""


def edit(words: Sequence[int], others: Sequence[Sequence[int]]) -> Edited:
    """The sentence edited into each of the others by the fewest insertions, deletions, changes.

    Of ways with as few edits one that keeps most words is taken. Words are numbers of at least
    the smallest 32-bit one, which stands for none.
    """
    longest = max((len(other) for other in others), default=0)
    at_once = max(1, MOST_CELLS // ((len(words) + 1) * (longest + 1)))
    parts = [
        _edit(np.asarray(words, np.int64), others[begin : begin + at_once])
        for begin in range(0, len(others), at_once)
    ]
    costs, stays = zip(*parts, strict=True)
    return Edited(np.concatenate(costs), np.concatenate(stays))


def _edit(words: NDArray[np.int64], others: Sequence[Sequence[int]]) -> Edited:
    n_others, n_words = len(others), len(words)
    lengths = np.array([len(other) for other in others])
    longest = int(lengths.max())
    padded = np.zeros((longest, n_others), np.int64)
    for column, other in enumerate(others):
        padded[: len(other), column] = other
    same = words[:, None, None] == padded  # beyond the end of a shorter one nobody looks
    price = n_words + 1  # of an edit: more than all words that may stay are worth
    diagonal = np.where(same, -1, price).astype(np.int32)
    # costs[i, j]: of the first i words and the first j of the other, for all others at once.
    costs = np.empty((n_words + 1, longest + 1, n_others), np.int32)
    costs[:, 0] = price * np.arange(n_words + 1)[:, None]
    costs[0] = price * np.arange(longest + 1)[:, None]
    for i in range(1, n_words + 1):
        without_insertion = np.minimum(
            costs[i - 1, :-1] + diagonal[i - 1], costs[i - 1, 1:] + price
        )
        for j in range(1, longest + 1):
            np.minimum(without_insertion[j - 1], costs[i, j - 1] + price, out=costs[i, j])
    return Edited(
        costs[n_words, lengths, np.arange(n_others)],
        _trace(costs, diagonal, price, lengths),
    )


def _trace(
    costs: NDArray[np.int32], diagonal: NDArray[np.int32], price: int, lengths: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """The words that stay, found on the way back from the end of every table."""
    n_words, n_others = len(costs) - 1, len(lengths)
    stays = np.zeros((n_others, n_words), bool)
    columns = np.arange(n_others)
    i, j = np.full(n_others, n_words), lengths.copy()
    while (active := np.flatnonzero((i > 0) & (j > 0))).size:
        k, row, column = columns[active], i[active], j[active]
        here = costs[row, column, k]
        step = diagonal[row - 1, column - 1, k]
        is_diagonal = here == costs[row - 1, column - 1, k] + step
        is_deletion = ~is_diagonal & (here == costs[row - 1, column, k] + price)
        kept = is_diagonal & (step < 0)
        stays[k[kept], row[kept] - 1] = True
        i[active] -= is_diagonal | is_deletion
        j[active] -= ~is_deletion
    return stays

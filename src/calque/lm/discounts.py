from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque._core import counts_of_counts
from calque.lm.counts import OrderCounts
from calque.text import END, START, UNKNOWN

Discounts: TypeAlias = tuple[float, float, float, float]
"""What is taken off counts of 0, 1, 2, and 3 or more."""

FALLBACK: Discounts = (0.0, 0.5, 1.0, 1.5)
"""Those of `lmplz --discount_fallback`, for corpora too small or too regular for estimates."""


def discounts(tally: Sequence[int]) -> Discounts | None:
    """The discounts of one order from how many n-grams have count 1, 2, 3 and 4.

    Chen and Goodman (1998), equation 26. None where the estimate does not exist (a class is empty)
    or makes no sense (not above 0, or more than the count that it is taken off).
    """
    n = (0, *tally)
    if 0 in n[1:4]:
        return None
    y = n[1] / (n[1] + 2 * n[2])
    d1, d2, d3 = (k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
    if not (0 < d1 <= 1 and 0 < d2 <= 2 and 0 < d3 <= 3):
        return None
    return 0.0, d1, d2, d3


def tallies(orders: Sequence[OrderCounts], tokens: NDArray[np.int32]) -> list[list[int]]:
    """How many n-grams have count 1, 2, 3 and 4, by order from 1, as lmplz tallies them.

    lmplz goes through the n-grams sorted by their words read backwards. Those that end the very
    last one enter its tallies with their plain instead of their adjusted counts. That moves at most
    one n-gram per order to another class: nothing on a large corpus, but enough on a small one to
    tell the models apart, and they are to be equal.
    """
    counted = [list(counts_of_counts(order.counts)) for order in orders]
    for tally, (adjusted, plain) in zip(counted, _last_counts(orders, tokens), strict=False):
        for count, change in ((adjusted, -1), (plain, 1)):
            if 1 <= count <= len(tally):
                tally[count - 1] += change
    return counted


def _last_counts(
    orders: Sequence[OrderCounts], tokens: NDArray[np.int32]
) -> Iterator[tuple[int, int]]:
    """Adjusted and plain counts of the ends of the last n-gram, below the highest order."""
    if len(orders) == 1:
        return
    rank = _first_occurrences(orders)
    word = rank.argmax()
    at = np.flatnonzero(tokens == word)
    for _ in orders[:-1]:
        before = np.unique(tokens[at - 1])
        yield (len(at) if word == START else len(before)), len(at)
        if word == START:
            return
        word = before[rank[before].argmax()]
        at = at[tokens[at - 1] == word] - 1


def _first_occurrences(orders: Sequence[OrderCounts]) -> NDArray[np.int64]:
    """A number for every word that grows with the place of its first occurrence."""
    rank = np.full(len(orders[0].counts), -4)
    words = orders[1].ngrams[:, 1]  # listed by first occurrence, and every word ends a bigram
    rank[words[::-1]] = np.arange(len(words))[::-1]
    rank[[UNKNOWN, START, END]] = [-3, -2, -1]
    return rank

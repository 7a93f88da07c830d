from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Discounts: TypeAlias = tuple[float, float, float, float]
"""What is taken off counts of 0, 1, 2, and 3 or more."""

FALLBACK: Discounts = (0.0, 0.5, 1.0, 1.5)
"""Those of `lmplz --discount_fallback`, for corpora too small or too regular for estimates."""


def discounts(counts_of_counts: Sequence[int]) -> Discounts | None:
    """The discounts of one order from how many n-grams have count 1, 2, 3 and 4.

    Chen and Goodman (1998), equation 26. None where the estimate does not exist (a class is empty)
    or makes no sense (not above 0, or more than the count that it is taken off).
    """
    n = (0, *counts_of_counts)
    if 0 in n[1:4]:
        return None
    y = n[1] / (n[1] + 2 * n[2])
    d1, d2, d3 = (k - (k + 1) * y * n[k + 1] / n[k] for k in (1, 2, 3))
    if not (0 < d1 <= 1 and 0 < d2 <= 2 and 0 < d3 <= 3):
        return None
    return 0.0, d1, d2, d3

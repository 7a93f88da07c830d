"""Sentence BLEU from its definition, for the tests of everything that computes it faster."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any


def bleu_plus_one(hypothesis: Sequence[Any], reference: Sequence[Any]) -> float:
    """BLEU with one added from bigrams on and the usual brevity penalty; 0 without words."""
    if not hypothesis:
        return 0.0
    product = min(1.0, math.exp(1 - len(reference) / len(hypothesis)))
    for n in range(1, 5):
        ours, theirs = (
            Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
            for words in (hypothesis, reference)
        )
        more = 0 if n == 1 else 1
        product *= (((ours & theirs).total() + more) / max(ours.total() + more, 1)) ** 0.25
    return product

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque._core import count_ngrams, mark_sentences
from calque.lm.scratch import Scratch
from calque.text import START, Sentences, Vocabulary


@dataclass(frozen=True, eq=False)
class OrderCounts:
    """The n-grams of one order, listed by first occurrence; those of order 1 by word."""

    ngrams: NDArray[np.int32]
    """Rows of context (an index into the order below, or a word) and word; none for order 1."""
    suffixes: NDArray[np.int32]
    """The n-gram less its first word: an index into the order below."""
    counts: NDArray[np.uint32]
    """Adjusted counts, complete when the order above has been counted."""


class NgramCounter:
    """Counts order by order, keeping the index of the n-gram that ends at every token."""

    def __init__(
        self, sentences: Sentences, vocabulary: Vocabulary, order: int, scratch: Scratch
    ) -> None:
        n_tokens = sentences.n_words + 2 * len(sentences)
        self._order, self._scratch = order, scratch
        self._lengths = sentences.lengths + 2
        self._n_words = len(vocabulary)
        self.tokens: NDArray[np.int32] = scratch.zeros(n_tokens, np.int32)
        """The sentences one after the other, with their starts and ends."""
        mark_sentences(sentences.ids, sentences.offsets, self._n_words, self.tokens)
        self._nodes = self.tokens
        self._spare = scratch.zeros(n_tokens, np.int32)

    def unigrams(self) -> OrderCounts:
        """All words; counts are still to come from the bigrams, except where there are none."""
        counts = np.zeros(self._n_words, np.uint32)
        if self._order == 1:
            counts += np.bincount(self.tokens, minlength=self._n_words).astype(np.uint32)
            counts[START] = 0
        return OrderCounts(np.empty((0, 2), np.int32), np.empty(0, np.int32), counts)

    def count(self, n: int, below: OrderCounts, passes: int) -> OrderCounts:
        """The n-grams of order n; completes the counts of the order below."""
        most = int(np.maximum(self._lengths - (n - 1), 0).sum())
        ngrams = self._scratch.zeros((most, 2), np.int32)
        suffixes = self._scratch.zeros(most, np.int32)
        counts = self._scratch.zeros(most, np.uint32)
        renumbering = self._scratch.zeros(most if passes > 1 else 0, np.int32)
        nodes, highest = self._spare, n == self._order
        size = count_ngrams(
            n, highest, self.tokens, self._nodes, nodes, below.counts,
            ngrams, suffixes, counts, passes, renumbering,
        )  # fmt: skip
        done = self._nodes
        self._nodes = nodes
        self._spare = self._scratch.zeros(len(nodes), np.int32) if done is self.tokens else done
        return OrderCounts(ngrams[:size], suffixes[:size], counts[:size])

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque._core import count_ngrams, mark_sentences
from calque.lm.scratch import Scratch
from calque.text import START, Sentences


@dataclass(frozen=True, eq=False)
class OrderCounts:
    """The n-grams of one order, listed by first occurrence; those of order 1 by word."""

    ngrams: NDArray[np.int32]
    """Rows of context (an index into the order below, or a word) and word; none for order 1."""
    suffixes: NDArray[np.int32]
    """The n-gram less its first word: an index into the order below."""
    counts: NDArray[np.uint32]
    """Adjusted counts, complete when the order above has been counted."""


Lists: TypeAlias = tuple[
    NDArray[np.uint32],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.uint32],
    int,
    NDArray[np.int32],
]
"""Counts of the order below; n-grams, suffixes and counts; passes and room for renumbering."""


class NgramCounter(ABC):
    """Counts the n-grams of a text order by order."""

    bytes_per_token: int
    """What it takes beside what it lists."""

    def __init__(self, sentences: Sentences, n_words: int, order: int, scratch: Scratch) -> None:
        """Take the text in ids of `n_words` words."""
        self.tokens: NDArray[np.int32] = scratch.zeros(
            sentences.n_words + 2 * len(sentences), np.int32
        )
        """The sentences one after the other, with their starts and ends."""
        mark_sentences(sentences.ids, sentences.offsets, n_words, self.tokens)
        self._lengths = sentences.lengths + 2
        self._n_words, self._order, self._scratch = n_words, order, scratch

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
        lists = below.counts, ngrams, suffixes, counts, passes, renumbering
        size = self._fill(n, lists)
        return OrderCounts(ngrams[:size], suffixes[:size], counts[:size])

    @abstractmethod
    def _fill(self, n: int, lists: Lists) -> int:
        """Fill the lists of order n; how many n-grams there are."""


class TextCounter(NgramCounter):
    """Counts here, keeping the index of the n-gram that ends at every token."""

    bytes_per_token = 12

    def __init__(self, sentences: Sentences, n_words: int, order: int, scratch: Scratch) -> None:
        super().__init__(sentences, n_words, order, scratch)
        self._nodes = self.tokens
        self._spare = scratch.zeros(len(self.tokens), np.int32)

    def _fill(self, n: int, lists: Lists) -> int:
        nodes = self._spare
        size = count_ngrams(n, n == self._order, self.tokens, self._nodes, nodes, *lists)
        done = self._nodes
        self._nodes = nodes
        spare = self._scratch.zeros(len(nodes), np.int32) if done is self.tokens else done
        self._spare = spare
        return size

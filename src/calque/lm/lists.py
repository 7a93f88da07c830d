"""A language model as lists of n-grams with numbers: the form in which models are put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calque._core import mark_endings, ngram_entries
from calque.lm.model import LanguageModel, build
from calque.lm.scratch import Scratch
from calque.text import Vocabulary

Rows = NDArray[np.int32]
Logs = NDArray[np.float64]
LEAST_MASS = 1e-12
"""What is left to words that a context does not list, at least: sums are rounded."""


@dataclass(frozen=True, eq=False)
class NgramLists:
    """The n-grams of a model with their log probabilities, by order from 1.

    Those of order 1 are the words of the vocabulary. With an n-gram its context and its end (itself
    less the first word) are there, too.
    """

    vocabulary: Vocabulary
    ngrams: tuple[Rows, ...]
    """Of orders 2 and up, rows of context and last word; a context is a row of the order below."""
    log_probs: tuple[Logs, ...]
    backoffs: tuple[Logs, ...]
    """Of all orders but the highest."""

    @classmethod
    def of(cls, model: LanguageModel) -> NgramLists:
        """The lists of a model."""
        entries = [ngram_entries(model.core, model.ngrams, n) for n in range(1, model.order + 1)]
        return cls(
            model.vocabulary,
            tuple(model.ngrams),
            tuple(log_probs.astype(np.float64) for log_probs, _ in entries),
            tuple(backoffs.astype(np.float64) for _, backoffs in entries[:-1]),
        )

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return len(self.log_probs)

    @cached_property
    def ends(self) -> tuple[Rows, ...]:
        """For orders 2 and up, the row in the order below of every n-gram less its first word."""
        ends: list[Rows] = []
        for n, rows in enumerate(self.ngrams, 2):
            if n == 2:
                ends.append(rows[:, 1])
                continue
            wanted = self.keys(ends[-1][rows[:, 0]], rows[:, 1])
            below = self.keys(*self.ngrams[n - 3].T)
            order = np.argsort(below)
            ends.append(order[np.searchsorted(below[order], wanted)].astype(np.int32))
        return tuple(ends)

    def keys(self, contexts: NDArray[np.int32], words: NDArray[np.int32]) -> NDArray[np.int64]:
        """A number for each pair of context and word."""
        return contexts.astype(np.int64) * len(self.vocabulary) + words

    def normalised(self) -> NgramLists:
        """The same with the backoffs under which the words after every context add up to 1."""
        return NgramLists(self.vocabulary, self.ngrams, self.log_probs, normalising_backoffs(self))

    def to_model(self) -> LanguageModel:
        """The model with these lists."""
        backoffs = [logs.astype(np.float32) for logs in self.backoffs]
        for above, logs in zip(self.ngrams, backoffs, strict=True):
            mark_endings(above, logs)
        log_probs = [logs.astype(np.float32) for logs in self.log_probs]
        rows = [np.ascontiguousarray(rows) for rows in self.ngrams]
        return build(self.vocabulary, rows, log_probs, backoffs, Scratch(on_disk=False))


def normalising_backoffs(lists: NgramLists) -> tuple[Logs, ...]:
    """Per context, the log of what its list leaves over what the lists below leave of the same."""
    backoffs = []
    for at, (rows, ends) in enumerate(zip(lists.ngrams, lists.ends, strict=True)):
        left, left_below = masses_left(
            rows[:, 0], lists.log_probs[at + 1], lists.log_probs[at][ends], len(lists.log_probs[at])
        )
        backoffs.append(np.log(left) - np.log(left_below))
    return tuple(backoffs)


def masses_left(
    contexts: NDArray[np.int32], log_probs: Logs, log_probs_below: Logs, n_contexts: int
) -> tuple[Logs, Logs]:
    """What the words that a context lists leave to others, here and in the order below.

    Both are 1 for contexts that list nothing.
    """
    left = 1 - np.bincount(contexts, np.exp(log_probs), n_contexts)
    left_below = 1 - np.bincount(contexts, np.exp(log_probs_below), n_contexts)
    return np.maximum(left, LEAST_MASS), np.maximum(left_below, LEAST_MASS)


def selected(lists: NgramLists, kept: Sequence[NDArray[np.bool_]]) -> NgramLists:
    """Some of the n-grams, by a flag for each of orders 2 and up; backoffs are made anew.

    What is kept must bring its contexts and ends.
    """
    ngrams, log_probs = [], [lists.log_probs[0]]
    place = np.arange(len(lists.vocabulary))
    for rows, logs, keep in zip(lists.ngrams, lists.log_probs[1:], kept, strict=True):
        chosen = rows[keep]
        ngrams.append(np.stack([place[chosen[:, 0]], chosen[:, 1]], axis=1).astype(np.int32))
        log_probs.append(logs[keep])
        place = np.cumsum(keep) - 1
    none = tuple(np.zeros(len(logs)) for logs in log_probs[:-1])
    return NgramLists(lists.vocabulary, tuple(ngrams), tuple(log_probs), none).normalised()

"""Interpolated modified Kneser-Ney, equal to KenLM's `lmplz` with its default options."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque._core import (
    count_ngrams,
    counts_of_counts,
    kneser_ney,
    kneser_ney_unigrams,
    mark_endings,
    mark_sentences,
)
from calque.config.lm import LmOptions
from calque.errors import CalqueError
from calque.lm.discounts import FALLBACK, Discounts, discounts
from calque.lm.model import LanguageModel, build
from calque.lm.scratch import Scratch
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.text import START, Sentences, Vocabulary

INDEX_BYTES = 36
"""What counting one n-gram takes in a hash table, at worst: 12 bytes at a third of the load."""
RESULT_BYTES = 48
"""What one listed n-gram takes, with its count, probability and place in the model."""


@dataclass
class _Order:
    """The n-grams of one order and what is known of them so far."""

    ngrams: NDArray[np.int32]
    """Rows of context and word; none for unigrams, whose index is the word."""
    suffixes: NDArray[np.int32]
    counts: NDArray[np.uint32]


def estimate(
    sentences: Sentences,
    vocabulary: Vocabulary,
    options: LmOptions = LmOptions(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
    threads: int | None = None,
) -> LanguageModel:
    """The language model of the sentences, over the whole vocabulary.

    Words of the vocabulary that the sentences lack score as `<unk>` does. Where an order's
    discounts cannot be estimated, as on a corpus of a few lines, the listener is warned and fixed
    ones are used. The model depends neither on `threads` nor on `memory_mb`. Time and memory are
    linear in the number of words times the order.
    """
    if len(sentences) == 0:
        raise CalqueError("the language model needs at least one sentence, found none")
    n_tokens = sentences.n_words + 2 * len(sentences)
    budget = options.memory_mb << 20
    on_disk = n_tokens * (12 + (options.order - 1) * RESULT_BYTES + INDEX_BYTES) > budget
    scratch = Scratch(on_disk, options.temporary)
    passes = max(1, -(-n_tokens * INDEX_BYTES // budget)) if on_disk else 1
    with progress.stage("count n-grams", total=options.order) as stage:
        counter = _Counter(sentences, vocabulary, options.order, scratch)
        orders = [counter.unigrams()]
        stage.advance()
        for n in range(2, options.order + 1):
            orders.append(counter.count(n, orders[-1], passes, n_workers(threads)))
            stage.advance()
        stage.say(f"{sum(len(order.counts) for order in orders):,} n-grams")
    with progress.stage("estimate probabilities", total=options.order) as stage:
        model = _smooth(orders, vocabulary, scratch, progress)
        stage.advance(options.order)
    return model


class _Counter:
    """Counts order by order, keeping the index of the n-gram that ends at every token."""

    def __init__(
        self, sentences: Sentences, vocabulary: Vocabulary, order: int, scratch: Scratch
    ) -> None:
        n_tokens = sentences.n_words + 2 * len(sentences)
        self._order, self._scratch = order, scratch
        self._lengths = sentences.lengths + 2
        self._n_words = len(vocabulary)
        self._tokens = scratch.zeros(n_tokens, np.int32)
        mark_sentences(sentences.ids, sentences.offsets, self._n_words, self._tokens)
        self._nodes = self._tokens
        self._spare = scratch.zeros(n_tokens, np.int32)

    def unigrams(self) -> _Order:
        """All words; counts are still to come from the bigrams, except where there are none."""
        counts = np.zeros(self._n_words, np.uint32)
        if self._order == 1:
            counts += np.bincount(self._tokens, minlength=self._n_words).astype(np.uint32)
            counts[START] = 0
        return _Order(np.empty((0, 2), np.int32), np.empty(0, np.int32), counts)

    def count(self, n: int, below: _Order, passes: int, threads: int) -> _Order:
        """The n-grams of order n; completes the counts of the order below."""
        most = int(np.maximum(self._lengths - (n - 1), 0).sum())
        ngrams = self._scratch.zeros((most, 2), np.int32)
        suffixes = self._scratch.zeros(most, np.int32)
        counts = self._scratch.zeros(most, np.uint32)
        nodes, highest = self._spare, n == self._order
        size = count_ngrams(
            n, highest, self._tokens, self._nodes, nodes, below.counts,
            ngrams, suffixes, counts, passes, threads,
        )  # fmt: skip
        done = self._nodes
        self._nodes = nodes
        self._spare = self._scratch.zeros(len(nodes), np.int32) if done is self._tokens else done
        return _Order(ngrams[:size], suffixes[:size], counts[:size])


def _smooth(
    orders: list[_Order], vocabulary: Vocabulary, scratch: Scratch, progress: Progress
) -> LanguageModel:
    """The model with these counts; probabilities and weights of one order at a time."""
    log_probs: list[NDArray[np.float32]] = []
    backoffs: list[NDArray[np.float32]] = []
    probs_below = np.empty(0, np.float32)
    for n, order in enumerate(orders, start=1):
        taken = _discounts(n, order, progress)
        probs = scratch.zeros(len(order.counts), np.float32)
        if n == 1:
            kneser_ney_unigrams(order.counts, taken, probs)
        else:
            weights = scratch.zeros(len(probs_below), np.float32)
            kneser_ney(
                order.ngrams, order.suffixes, order.counts, taken, probs_below, probs, weights
            )
            np.log(probs_below, out=probs_below)
            np.log(weights, out=weights)
            mark_endings(order.ngrams, weights)
            backoffs.append(weights)
        log_probs.append(probs)
        probs_below = probs
    np.log(probs_below, out=probs_below)
    ngrams = [order.ngrams for order in orders[1:]]
    return build(vocabulary, ngrams, log_probs, backoffs, scratch)


def _discounts(n: int, order: _Order, progress: Progress) -> Discounts:
    found = discounts(counts_of_counts(order.counts))
    if found is None:
        progress.warn(
            f"language model: too few {n}-grams to estimate the discounts of order {n}; "
            f"fixed discounts {FALLBACK[1]:g}, {FALLBACK[2]:g}, {FALLBACK[3]:g} are used"
        )
        return FALLBACK
    return found

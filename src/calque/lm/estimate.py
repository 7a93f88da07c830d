"""Interpolated modified Kneser-Ney, equal to KenLM's `lmplz` with its default options."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque._core import kneser_ney, kneser_ney_unigrams, mark_endings
from calque.config import fill, to_mapping
from calque.config.lm import LmOptions
from calque.errors import CalqueError
from calque.lm.counts import NgramCounter, OrderCounts, TextCounter
from calque.lm.discounts import FALLBACK, Discounts, discounts, tallies
from calque.lm.model import LanguageModel, build
from calque.lm.on_cluster import ClusterCounter
from calque.lm.scratch import Scratch
from calque.progress import SILENT, Progress
from calque.text import Sentences, Vocabulary
from calque.text.shared_folder import Cluster

INDEX_BYTES = 54
"""What counting one n-gram takes at worst: 12 bytes in a hash table that has just grown to three
times its content, and the table of half the size that it grew from."""
RESULT_BYTES = 66
"""What one listed n-gram takes, with its count, probability, context and place in the model."""


def estimate(
    sentences: Sentences,
    vocabulary: Vocabulary,
    options: LmOptions = LmOptions(),  # noqa: B008  (frozen)
    progress: Progress = SILENT,
    cluster: Cluster | None = None,
) -> LanguageModel:
    """The language model of the sentences, over the whole vocabulary.

    Words of the vocabulary that the sentences lack score as `<unk>` does. Where an order's
    discounts cannot be estimated, as on a corpus of a few lines, the listener is warned and fixed
    ones are used. With a `cluster` n-grams are counted where its engine runs tasks. The model
    depends neither on that nor on `memory_mb`. Time and memory are linear in the
    number of words times the order.
    """
    fill(LmOptions(), to_mapping(options), "language model")  # the same checks as from a file
    if len(sentences) == 0:
        raise CalqueError("the language model needs at least one sentence, found none")
    n_tokens = sentences.n_words + 2 * len(sentences)
    budget = options.memory_mb << 20
    kind = TextCounter if cluster is None else ClusterCounter
    on_disk = (
        n_tokens * (kind.bytes_per_token + (options.order - 1) * RESULT_BYTES + INDEX_BYTES)
        > budget
    )
    scratch = Scratch(on_disk, options.temporary)
    passes = max(1, -(-n_tokens * INDEX_BYTES // budget)) if on_disk else 1
    with progress.stage("count n-grams", total=options.order) as stage:
        counter: NgramCounter
        if cluster is None:
            counter = TextCounter(sentences, len(vocabulary), options.order, scratch)
        else:
            counter = ClusterCounter(sentences, len(vocabulary), options.order, scratch, cluster)
        orders = [counter.unigrams()]
        stage.advance()
        for n in range(2, options.order + 1):
            orders.append(counter.count(n, orders[-1], passes))
            stage.advance()
        stage.say(f"{sum(len(order.counts) for order in orders):,} n-grams")
    with progress.stage("estimate probabilities", total=options.order) as stage:
        model = _smooth(orders, counter.tokens, vocabulary, scratch, progress)
        stage.advance(options.order)
    return model


def _smooth(
    orders: list[OrderCounts],
    tokens: NDArray[np.int32],
    vocabulary: Vocabulary,
    scratch: Scratch,
    progress: Progress,
) -> LanguageModel:
    """The model with these counts; probabilities and weights of one order at a time."""
    log_probs: list[NDArray[np.float32]] = []
    backoffs: list[NDArray[np.float32]] = []
    probs_below = np.empty(0, np.float32)
    for n, (order, tally) in enumerate(zip(orders, tallies(orders, tokens), strict=True), start=1):
        taken = _discounts(n, tally, progress)
        probs = scratch.zeros(len(order.counts), np.float32)
        if n == 1:
            kneser_ney_unigrams(order.counts, taken, probs)
        else:
            weights = scratch.zeros(len(probs_below), np.float32)
            masses = scratch.zeros((len(probs_below), 2), np.float64)
            kneser_ney(
                order.ngrams, order.suffixes, order.counts, taken,
                probs_below, masses, probs, weights,
            )  # fmt: skip
            np.log(probs_below, out=probs_below)
            np.log(weights, out=weights)
            mark_endings(order.ngrams, weights)
            backoffs.append(weights)
        log_probs.append(probs)
        probs_below = probs
    np.log(probs_below, out=probs_below)
    ngrams = [order.ngrams for order in orders[1:]]
    return build(vocabulary, ngrams, log_probs, backoffs, scratch)


def _discounts(n: int, tally: list[int], progress: Progress) -> Discounts:
    estimated = discounts(tally)
    if estimated is None:
        progress.warn(
            f"language model: too few {n}-grams to estimate the discounts of order {n}; "
            f"fixed discounts {FALLBACK[1]:g}, {FALLBACK[2]:g}, {FALLBACK[3]:g} are used"
        )
        return FALLBACK
    return estimated

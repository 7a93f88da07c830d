"""Several language models as one: linear interpolation, and the weights for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError
from calque.lm.lists import Logs, NgramLists
from calque.lm.model import LanguageModel
from calque.text import RESERVED, UNKNOWN, Sentences, Vocabulary

MOST_STEPS = 200
SETTLED = 1e-6
"""EM ends where no weight moves by more than this."""


def mixture_weights(
    models: Sequence[LanguageModel],
    sentences: Sentences,
    vocabulary: Vocabulary,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """The weights of the models whose linear interpolation predicts the sentences best, by EM.

    The sentences are ids of `vocabulary`. Words that no model knows do not count.
    """
    if len(sentences) == 0 or sentences.n_words == 0:
        raise CalqueError("weights of language models need text to be tuned on, found none")
    columns, is_known = [], np.zeros(sentences.n_words + len(sentences), bool)
    for model in models:
        words = np.array([model.vocabulary.id(word) for word in vocabulary], np.int32)
        scores = model.score_words(Sentences(words[sentences.ids], sentences.offsets), threads)
        columns.append(scores.log_probs.astype(np.float64))
        is_known |= ~scores.unknown
    probs = np.exp(np.stack(columns, axis=1)[is_known])
    weights = np.full(len(models), 1 / len(models))
    for _ in range(MOST_STEPS):
        shares = probs * weights
        shares /= shares.sum(axis=1, keepdims=True)
        moved = shares.mean(axis=0)
        is_settled = np.abs(moved - weights).max() < SETTLED
        weights = moved
        if is_settled:
            break
    return weights


def interpolated(
    models: Sequence[LanguageModel], weights: Sequence[float] | NDArray[np.float64]
) -> LanguageModel:
    """One model with all n-grams of several, each with the weighted mean of its probabilities.

    A model that does not list an n-gram gives it what backing off gives, and to words that it lacks
    what it gives to unknown ones. Backoffs are those under which everything adds up to 1: what no
    model lists after a context is what it is after a shorter one, times a factor.
    """
    if len(models) != len(weights) or not models:
        raise CalqueError("expected a weight for each language model, and at least one")
    total = float(sum(weights))
    if not total > 0 or min(weights) < 0:
        raise CalqueError(f"weights of language models: {list(weights)}, expected none below 0")
    shares = [float(weight) / total for weight in weights]
    parts = [NgramLists.of(model) for model in models]
    union, places = _union(parts)
    mixed = [np.zeros(len(union.vocabulary))]
    mixed += [np.zeros(len(rows)) for rows in union.ngrams]
    for part, of_part, share in zip(parts, places, shares, strict=True):
        if share > 0:
            for at, of_order in enumerate(_spread(part, of_part, union)):
                mixed[at] += share * np.exp(of_order)
    log_probs = tuple(np.log(probs) for probs in mixed)
    lists = NgramLists(union.vocabulary, union.ngrams, log_probs, union.backoffs)
    return lists.normalised().to_model()


def _union(parts: Sequence[NgramLists]) -> tuple[NgramLists, list[list[NDArray[np.int64]]]]:
    """All n-grams of several lists, and for each list, by order, where its n-grams are there."""
    words = dict.fromkeys(word for part in parts for word in list(part.vocabulary)[len(RESERVED) :])
    vocabulary = Vocabulary(words)
    size = len(vocabulary)
    places = [
        [np.array([vocabulary.id(word) for word in part.vocabulary], np.int64)] for part in parts
    ]
    for own in places:
        own[0][: len(RESERVED)] = np.arange(len(RESERVED))
    ngrams = []
    for n in range(2, max(part.order for part in parts) + 1):
        longer = [at for at, part in enumerate(parts) if part.order >= n]
        keys = []
        for at in longer:
            contexts, last = parts[at].ngrams[n - 2].T
            keys.append(places[at][n - 2][contexts] * size + places[at][0][last])
        distinct, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        rows = np.stack([distinct // size, distinct % size], axis=1).astype(np.int32)
        ngrams.append(rows)
        bounds = np.cumsum([0, *(len(some) for some in keys)])
        for at, begin, end in zip(longer, bounds[:-1], bounds[1:], strict=True):
            places[at].append(inverse[begin:end])
    none = (np.zeros(size), *(np.zeros(len(rows)) for rows in ngrams))
    return NgramLists(vocabulary, tuple(ngrams), none, none[:-1]), places


def _spread(part: NgramLists, places: list[NDArray[np.int64]], union: NgramLists) -> list[Logs]:
    """The log probabilities that one model gives to all n-grams of the union, by order."""
    unigrams = np.full(len(union.vocabulary), part.log_probs[0][UNKNOWN])
    unigrams[places[0]] = part.log_probs[0]
    spread = [unigrams]
    for at, (rows, ends) in enumerate(zip(union.ngrams, union.ends, strict=True)):
        backoffs = np.zeros(len(spread[-1]))
        if at < len(part.backoffs):
            backoffs[places[at]] = part.backoffs[at]
        log_probs = backoffs[rows[:, 0]] + spread[-1][ends]
        if at + 1 < part.order:
            log_probs[places[at + 1]] = part.log_probs[at + 1]
        spread.append(log_probs)
    return spread

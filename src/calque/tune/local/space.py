"""The weights of the local model in the order in which its learner has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError
from calque.features import SparseWeights, Weights
from calque.features.local_model import LocalModelData, unigram_column
from calque.model import Model

ADJACENT = (
    "block_unigram",
    "block_orientation",
    "adjacent_language_model_first",
    "adjacent_language_model_rest",
    "single_word_weight",
)
NEUTRAL = (
    "neutral_block_unigram",
    "",
    "neutral_language_model_first",
    "neutral_language_model_rest",
    "neutral_single_word_weight",
)
DENSE = ADJACENT + NEUTRAL
"""What the learner's dense weights are called; neutral events have no orientation."""
BIGRAMS = "block-bigram"
TRAIN = 'calque train ... --set "features.dense=local-model + block_count + unknown"'
"""How a model with these features comes about."""


@dataclass(frozen=True)
class Vectors:
    """The learner's weights."""

    dense: NDArray[np.float64]
    pairs: NDArray[np.float64]

    @property
    def is_finite(self) -> bool:
        """Whether all are numbers."""
        return bool(np.isfinite(self.dense).all() and np.isfinite(self.pairs).all())


class LocalSpace:
    """The features of the local model that a model has, and the numbers of its blocks."""

    def __init__(self, model: Model, threads: int) -> None:
        """Take a model; raises `CalqueError` where it lacks the features."""
        data, names = model.feature_data.local_model, set(model.features.names)
        if data is None or not names & set(DENSE):
            raise CalqueError(
                f"the model has no features of the local model: train it with them, {TRAIN}"
            )
        self.names = tuple(name if name in names else "" for name in DENSE)
        """Of the dense weights; empty where the model has no such feature."""
        self.bigrams = np.empty((0, 2), np.int32)
        """Pairs of blocks that are features, rows (previous block, block), sorted."""
        self.keys = np.empty(0, np.uint64)
        """The keys of those features, rising."""
        self._column_of = np.empty(0, np.int32)
        if BIGRAMS in model.features.templates:
            self.bigrams = data.bigrams
            template = model.features.templates[BIGRAMS]
            keys = model.features.pair_keys(template, model.blocks, threads)
            self.keys, column_of = np.unique(keys, return_inverse=True)
            self._column_of = column_of.astype(np.int32)
        self._model = model
        self._data = data

    @property
    def data(self) -> LocalModelData:
        """What was counted of the blocks."""
        return self._data

    @cached_property
    def values(self) -> NDArray[np.float32]:
        """Four numbers per block: log p(block), p(right | block), p(left | block), lexical weight.

        The first is the whole log probability, though the decoder may divide it by the words of the
        source phrase, unless `unigram_per_word` is `both`.
        """
        data, options = self._data, self._model.feature_options.local_model
        per_word = options.unigram_per_word == "both"
        unigram = unigram_column(self._model.blocks, data.counts, per_word=per_word)
        right, left = data.orientation.values[:, 0], data.orientation.values[:, 1]
        return np.stack([unigram.values, right, left, data.lexical.values], axis=1)

    def columns(self, pairs: NDArray[np.int32]) -> NDArray[np.int32]:
        """The weights of pairs, given by their rows; -1 stays."""
        if not len(self._column_of):
            return pairs
        return np.where(pairs < 0, np.int32(-1), self._column_of[pairs])

    def vectors(self, weights: Weights) -> Vectors:
        """These weights as the learner takes them; what the model lacks weighs 0."""
        return Vectors(
            np.array([weights[name] if name else 0.0 for name in self.names]),
            weights.sparse.lookup(self.keys).astype(np.float64),
        )

    def weights(self, vectors: Vectors, others: Weights) -> Weights:
        """The learner's weights, and of all other features those of `others`.

        Pairs that weigh nothing get no entry.
        """
        pairs = vectors.pairs.astype(np.float32)
        known = others.sparse.lookup(self.keys)
        moved = pairs != known
        dense = dict(zip(self.names, vectors.dense.tolist(), strict=True))
        dense.pop("", None)
        sparse = others.sparse
        if moved.any():
            sparse = sparse.merged(SparseWeights.from_arrays(self.keys[moved], pairs[moved]))
        return Weights({**others, **dense}, sparse)

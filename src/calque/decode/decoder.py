from __future__ import annotations

from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks import BlockTable
from calque.config import DecodeOptions
from calque.features import Weights
from calque.lm import LanguageModel
from calque.parallel import n_workers
from calque.text import Sentences, Vocabulary


class Decoder:
    """Finds the best derivations of sentences of word ids under given weights.

    The model is loaded once; weights and options come with each call and cost nothing to change.
    """

    def __init__(
        self, blocks: BlockTable, target_vocabulary: Vocabulary, lm: LanguageModel
    ) -> None:
        """Take the parts of a model; the language model may have a vocabulary of its own."""
        self._core = _core.Decoder(blocks.core, lm.core, _lm_words(target_vocabulary, lm))

    def decode(
        self,
        sentences: Sentences,
        weights: Weights,
        options: DecodeOptions,
        *,
        n_best: int = 1,
        distinct: bool = True,
        threads: int | None = None,
    ) -> list[_core.Decoded]:
        """The `n_best` derivations of every sentence, best first.

        With `distinct`, derivations that give the same words count once. Results do not depend on
        the number of threads.
        """
        return self._core.decode(
            np.ascontiguousarray(sentences.ids),
            np.ascontiguousarray(sentences.offsets),
            weights.vector(),
            **asdict(options),
            n_best=n_best,
            distinct=distinct,
            threads=n_workers(threads),
        )

    def features(self, derivation: _core.Derivation) -> list[float]:
        """The feature values of a derivation, extracted from its blocks alone."""
        return self._core.features(derivation)


def _lm_words(vocabulary: Vocabulary, lm: LanguageModel) -> NDArray[np.int32]:
    """The language-model id of each target id; empty where both share one vocabulary."""
    if vocabulary == lm.vocabulary:
        return np.empty(0, np.int32)
    return np.array([lm.vocabulary.id(word) for word in vocabulary], np.int32)

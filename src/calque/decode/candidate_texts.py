"""Candidates as the user reads them, by the hundred thousand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.decode.prepared import PreparedSentence, PreparedText
from calque.decode.translator import Translator
from calque.text import Prepared
from calque.text.numbers import is_class

RESTORED = 1 << 17
"""Texts remembered from earlier calls: most candidates come again. Some 50 MB."""
NO_NUMBERS = Prepared((), ())


class CandidateTexts:
    """Turns word ids into text, without a Python object per derivation."""

    def __init__(self, translator: Translator) -> None:
        """Take a translator; its weights do not matter."""
        self._translator = translator
        model = translator.model
        self._vocabulary = list(model.target_vocabulary)

        @lru_cache(maxsize=RESTORED)
        def restore(words: str) -> str:
            return model.preprocessor.restore(words.split(), NO_NUMBERS)

        self._restore = restore

    @property
    def n_remembered(self) -> int:
        """The number of restored texts that are kept for the next call; at most `RESTORED`."""
        return self._restore.cache_info().currsize

    def words(
        self,
        text: PreparedText,
        offsets: NDArray[np.int64],
        word_offsets: NDArray[np.int64],
        ids: NDArray[np.int32],
    ) -> list[list[str]]:
        """The words of every candidate, as the model knows them.

        Candidates of piece p are `offsets[p]:offsets[p + 1]`; -1 - i is the text of word i of it.
        """
        pieces = [piece for sentence in text.sentences for piece in sentence.pieces]
        words = [self._vocabulary[id] for id in np.maximum(ids, 0).tolist()]
        copies = np.flatnonzero(ids < 0)
        candidates = np.searchsorted(word_offsets, copies, side="right") - 1
        places = np.searchsorted(offsets, candidates, side="right") - 1
        for at, place in zip(copies.tolist(), places.tolist(), strict=True):
            words[at] = pieces[place].words[-1 - int(ids[at])]
        return [words[begin:end] for begin, end in pairwise(word_offsets.tolist())]

    def restored(self, words: str) -> str:
        """Words separated by spaces as a text in which numbers do not matter."""
        return words if self._translator.model.preprocessor.is_plain else self._restore(words)

    def read(
        self,
        sentence: PreparedSentence,
        candidates: Iterable[str],
        ways: Callable[[], Sequence[Sequence[_core.Derivation]]],
    ) -> list[str]:
        """The candidates of a sentence, given by their words, as the user reads them.

        `ways` gives the derivations of the pieces of each; they are asked for only where texts
        depend on more than their words: where the source has classes of numbers.
        """
        if not any(is_class(word) for word in sentence.prepared.words):
            return [self.restored(words) for words in candidates]
        return [
            translation.text
            for translation in self._translator.read_off(sentence, ways(), distinct=False)
        ]

    def read_batch(self, text: PreparedText, batch: _core.DecodedBatch) -> list[str]:
        """All candidates of sentences that were not cut, equal ones too."""
        words = self.words(text, batch.offsets, batch.word_offsets, batch.words)
        bounds = pairwise(batch.offsets.tolist())
        read: list[str] = []
        for at, (sentence, (begin, end)) in enumerate(zip(text.sentences, bounds, strict=True)):

            def ways(at: int = at) -> list[list[_core.Derivation]]:
                return [[derivation] for derivation in batch[at].derivations]

            read += self.read(sentence, [" ".join(some) for some in words[begin:end]], ways)
        return read

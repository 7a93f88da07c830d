from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from calque._core import WordTable, encode_growing
from calque.errors import CalqueError
from calque.hyps.nbest import NBest
from calque.model import Model
from calque.text import Sentences

ORDER = 4
"""The longest n-grams that lists are compared by."""


@dataclass(frozen=True, eq=False)
class Ngrams:
    """The n-grams of one length of all candidates, by place."""

    ids: NDArray[np.int64]
    """One per place, candidate after candidate. Dense, and ascending from sentence to sentence:
    equal n-grams of one sentence's list have one id, which no other sentence uses."""
    candidates: NDArray[np.int64]
    """The candidate of every place."""
    begins: NDArray[np.int64]
    """The word at which every place begins, counted over all candidates."""
    offsets: NDArray[np.int64]
    """Where the places of every candidate begin, and one last entry."""


@dataclass(frozen=True, eq=False)
class Material:
    """What added features are computed from: lists and, where given, their source and a model.

    Words are what stands between spaces. The model looks them up in the case, and with the classes
    of numbers, that it was trained on; nothing is tokenised again.
    """

    nbest: NBest
    source: Sequence[str] | None = None
    model: Model | None = None

    def __post_init__(self) -> None:
        if self.source is not None and len(self.source) != self.nbest.n_sentences:
            raise CalqueError(
                f"the source has {len(self.source):,} lines, but there are lists of"
                f" {self.nbest.n_sentences:,} sentences: expected equal numbers"
            )

    @cached_property
    def text(self) -> str:
        """The candidates as lines of words with one space between them."""
        return "".join(" ".join(text.split()) + "\n" for text in self.nbest.texts)

    @cached_property
    def source_text(self) -> str:
        """The source as lines of words; precondition: there is a source."""
        assert self.source is not None
        return "".join(" ".join(line.split()) + "\n" for line in self.source)

    @cached_property
    def words(self) -> Sentences:
        """The words of the candidates, in ids of their own."""
        return Sentences(*encode_growing(self.text, self._table))

    @cached_property
    def source_words(self) -> Sentences:
        """The words of the source in the ids of `words`: equal words have equal ids."""
        return Sentences(*encode_growing(self.source_text, self._table))

    @cached_property
    def _table(self) -> WordTable:
        return WordTable()

    def word(self, id: int) -> str:
        """The word of an id of `words`."""
        return self._table.word(id)

    @cached_property
    def cased_text(self) -> str:
        """The candidates as the model writes words; precondition: there is a model."""
        assert self.model is not None
        return self.model.preprocessor.target_words_as_trained(self.text)

    @cached_property
    def target_ids(self) -> Sentences:
        """The candidates in the model's target vocabulary."""
        assert self.model is not None
        return self.model.target_vocabulary.encode(self.cased_text)

    @cached_property
    def source_ids(self) -> Sentences:
        """The source in the model's source vocabulary."""
        assert self.model is not None
        text = self.model.preprocessor.source_words_as_trained(self.source_text)
        return self.model.source_vocabulary.encode(text)

    @cached_property
    def ngrams(self) -> list[Ngrams]:
        """The n-grams of length 1 to `ORDER` of all candidates."""
        words, sentences = self.words, self.nbest.sentences
        lengths = words.lengths
        candidates = np.repeat(np.arange(len(words)), lengths)
        begins = np.arange(words.n_words)
        single = _dense(sentences[candidates], words.ids)
        by_order = [Ngrams(single, candidates, begins, words.offsets)]
        for n in range(2, ORDER + 1):
            before = by_order[-1]
            # A place goes on where its next word is still in the same candidate.
            longer = before.begins + n <= words.offsets[1:][before.candidates]
            begins, candidates = before.begins[longer], before.candidates[longer]
            ids = _dense(before.ids[longer], single[begins + n - 1])
            offsets = np.concatenate([[0], np.cumsum(np.maximum(lengths - n + 1, 0))])
            by_order.append(Ngrams(ids, candidates, begins, offsets))
        return by_order


def _dense(
    first: NDArray[np.int64], second: NDArray[np.int32] | NDArray[np.int64]
) -> NDArray[np.int64]:
    """Ids from 0 for pairs, ascending with the first number of the pair."""
    if not len(first):
        return np.zeros(0, np.int64)
    keys = first.astype(np.int64) * (int(second.max()) + 1) + second
    return np.asarray(np.unique(keys, return_inverse=True)[1], np.int64)

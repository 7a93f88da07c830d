"""The sentence pairs that a model was learned from, to be decoded as if it had not seen them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.config import LeaveOneOutOptions
from calque.decode.prepared import BATCH, PreparedSentence, PreparedText
from calque.decode.source import SourceText
from calque.decode.split import split
from calque.errors import CalqueError, ModelError
from calque.model import KeptBitext, Model
from calque.text import UNKNOWN, Prepared, offsets_of
from calque.text.sentences import Ids

UNSEEN = -1
"""Stands for the pair of a sentence for which nothing is left out."""


class TrainingText:
    """The kept bitext of a model as the decoder takes it, any part of it at a time.

    training = TrainingText(model)
    some = range(0, 1000)
    decoder.decode_batch(
        training.source(some), weights, options, leave_one_out=training.left_out(some)
    )
    """

    def __init__(self, model: Model, options: LeaveOneOutOptions | None = None) -> None:
        """Take a model; `ModelError` where its folder does not keep the bitext."""
        if model.bitext is None:
            raise ModelError(
                "the model does not keep the sentence pairs that it was learned from, which it is"
                " to forget one by one: train it with a larger keep_bitext_mb"
            )
        self.bitext: KeptBitext = model.bitext
        self._model = model
        self._options = options or LeaveOneOutOptions()

    def __len__(self) -> int:
        return len(self.bitext)

    def source(self, pairs: range) -> SourceText:
        """The source sentences of some pairs that stand in a row."""
        sentences = self.bitext.source.part(pairs.start, pairs.stop)
        ids, offsets = sentences.ids, sentences.offsets
        copies = self._as_target[ids]
        missing = np.flatnonzero(copies == UNKNOWN)
        # Equal texts have equal numbers: the place of the first of them in the sentence.
        sentence = np.searchsorted(offsets, missing, side="right") - 1
        key = sentence * len(self._as_target) + ids[missing]
        _, first, which = np.unique(key, return_index=True, return_inverse=True)
        copies[missing] = -1 - (missing[first][which] - offsets[sentence])
        return SourceText(sentences, copies)

    def references(self, pairs: range) -> SourceText:
        """Their target sentences, for forced decoding."""
        sentences = self.bitext.target.part(pairs.start, pairs.stop)
        return SourceText(sentences, sentences.ids.copy())

    def texts(
        self, pairs: range, max_words: int, at_once: int = BATCH
    ) -> Iterator[tuple[PreparedText, _core.LeaveOneOut]]:
        """The source sentences of some pairs, prepared, with what to leave out for each text.

        Sentences are cut at `max_words`; a text has about `at_once` pieces. Numbers that the model
        knows as classes stay classes.
        """
        vocabulary = list(self._model.source_vocabulary)
        words = (tuple([vocabulary[id] for id in self.bitext.source[at]]) for at in pairs)
        prepared = (
            PreparedSentence(Prepared(some, some), list(split(some, (), max_words)))
            for some in words
        )
        first = pairs.start
        for text in PreparedText.batches(prepared, self._model, at_once):
            end = first + len(text.sentences)
            yield text, self.left_out(np.repeat(np.arange(first, end), text.n_pieces))
            first = end

    def pairs_of(
        self, first_line: int, sources: Sequence[Ids], references: Sequence[Ids] | None = None
    ) -> NDArray[np.int64]:
        """The pairs of consecutive lines of the training text, of which the words are given.

        Lines that cleaning dropped have the pair `UNSEEN`. Raises `CalqueError` where a line is not
        that of the training text.
        """
        lines = np.arange(first_line, first_line + len(sources))
        pairs = self.bitext.pairs_of(lines)
        sides = [("source", sources, self.bitext.source)]
        if references is not None:
            sides.append(("reference", references, self.bitext.target))
        for at in np.flatnonzero(pairs != UNSEEN).tolist():
            for name, given, kept in sides:
                if not np.array_equal(given[at], kept[int(pairs[at])]):
                    raise CalqueError(
                        f"{name} line {lines[at] + 1:,} is not that of the training text:"
                        " expected the sentences that the model was learned from, in their order"
                    )
        return pairs

    def pairs_of_pieces(self, text: PreparedText, first_line: int) -> NDArray[np.int64]:
        """For every piece of consecutive lines of the training text, the pair that it is of."""
        return np.repeat(self.pairs_of_text(text, first_line), text.n_pieces)

    def pairs_of_text(self, text: PreparedText, first_line: int) -> NDArray[np.int64]:
        """The pairs of consecutive lines of the training text, as in `pairs_of`."""
        pieces = text.source.sentences
        bounds = pieces.offsets[offsets_of(text.n_pieces)].tolist()
        return self.pairs_of(first_line, [pieces.ids[begin:end] for begin, end in pairwise(bounds)])

    def left_out(self, pairs: range | NDArray[np.int64]) -> _core.LeaveOneOut:
        """What to leave out for sentences of these pairs; `UNSEEN` leaves out nothing."""
        return _core.LeaveOneOut(
            self._core,
            np.ascontiguousarray(pairs, np.int64),
            self._options.what,
            self._options.unseen_log_prob,
            self._options.unseen_log_prob_per_word,
        )

    @cached_property
    def _core(self) -> _core.TrainingCorpus:
        blocks = self._model.blocks.core
        return _core.TrainingCorpus(self.bitext.core, blocks, self.bitext.limits)

    @cached_property
    def _as_target(self) -> NDArray[np.int32]:
        """The target id of the text of each source word, `UNKNOWN` where there is none."""
        target = self._model.target_vocabulary
        return np.array([target.id(word) for word in self._model.source_vocabulary], np.int32)


def with_pairs(
    texts: Iterable[PreparedText], training: TrainingText | None
) -> Iterator[tuple[PreparedText, NDArray[np.int64] | None]]:
    """The texts, one after the other those of the training text, with the pairs of their pieces."""
    first_line = 0
    for text in texts:
        yield text, None if training is None else training.pairs_of_pieces(text, first_line)
        first_line += len(text.sentences)


def with_left_out(
    texts: Iterable[PreparedText], training: TrainingText | None
) -> Iterator[tuple[PreparedText, _core.LeaveOneOut | None]]:
    """The same, with what to leave out for each text."""
    for text, pairs in with_pairs(texts, training):
        yield text, None if training is None or pairs is None else training.left_out(pairs)

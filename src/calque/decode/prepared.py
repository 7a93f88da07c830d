"""Sentences on their way to the decoder, and what it found on the way back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from calque.decode.constraints import Constraints
from calque.decode.source import SourceText
from calque.decode.split import Piece, split
from calque.decode.substitution import substitute
from calque.model import Model
from calque.text import Prepared, checked_text

BATCH = 256
"""Pieces handed to the core at once: enough to keep every thread busy."""
T = TypeVar("T")


class PreparedSentence(NamedTuple):
    """A sentence and the pieces that it is translated in."""

    prepared: Prepared
    pieces: list[Piece]


@dataclass(frozen=True, eq=False)
class PreparedText:
    """Sentences, prepared, cut into pieces and encoded.

    The decoder takes every piece for a sentence; `by_sentence` puts what it found together again.
    """

    sentences: list[PreparedSentence]
    source: SourceText
    """All pieces, in order."""

    @classmethod
    def encode(cls, sentences: Iterable[PreparedSentence], model: Model) -> PreparedText:
        """All of the sentences, as one text."""
        sentences = list(sentences)
        pieces = [piece for sentence in sentences for piece in sentence.pieces]
        return cls(sentences, encode_pieces(pieces, model))

    @classmethod
    def batches(
        cls, sentences: Iterable[PreparedSentence], model: Model, size: int = BATCH
    ) -> Iterator[PreparedText]:
        """The sentences, lazily, in texts of about `size` pieces; no sentence is divided."""
        batch: list[PreparedSentence] = []
        n_pieces = 0
        for sentence in sentences:
            batch.append(sentence)
            n_pieces += len(sentence.pieces)
            if n_pieces >= size:
                yield cls.encode(batch, model)
                batch, n_pieces = [], 0
        if batch:
            yield cls.encode(batch, model)

    @property
    def n_pieces(self) -> list[int]:
        """The number of pieces of each sentence."""
        return [len(sentence.pieces) for sentence in self.sentences]

    def by_sentence(self, of_pieces: Iterable[T]) -> Iterator[tuple[PreparedSentence, list[T]]]:
        """Each sentence with the values of its pieces, where `of_pieces` has one per piece."""
        rest = iter(of_pieces)
        for sentence in self.sentences:
            yield sentence, [next(rest) for _ in sentence.pieces]


def prepare(
    lines: Iterable[str],
    model: Model,
    max_words: int,
    constraints: Constraints | None = None,
    least_agreement: float | None = None,
) -> Iterator[PreparedSentence]:
    """The sentences as the model knows them, lazily, in pieces of at most `max_words` words.

    Known words stand for others where they are expected to agree with them by `least_agreement`,
    by default that of the model's options.
    """
    constraints = constraints or Constraints()
    if least_agreement is None:
        least_agreement = model.decode_options.least_agreement
    for line in lines:
        prepared, required = constraints.prepare(checked_text(line), model.preprocessor)
        if model.substitutes is not None and least_agreement < 1:
            prepared, required = substitute(prepared, required, model.substitutes, least_agreement)
        yield PreparedSentence(prepared, list(split(prepared.words, required, max_words)))


def encode_pieces(pieces: Sequence[Piece], model: Model) -> SourceText:
    """Pieces of sentences as the decoder takes them."""
    return SourceText.from_words(
        [piece.words for piece in pieces],
        model.source_vocabulary,
        model.target_vocabulary,
        [piece.required for piece in pieces],
    )

"""Sentences and their references on the way to the oracle search, and what it found."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.config import LeaveOneOutOptions, OracleOptions
from calque.decode.candidate_texts import CandidateTexts
from calque.decode.candidates import CandidateLists
from calque.decode.prepared import PreparedText, prepare
from calque.decode.source import SourceText
from calque.decode.sparse_sums import no_rows
from calque.decode.training_text import TrainingText
from calque.decode.translation import Translation
from calque.decode.translator import Translator
from calque.parallel import Engine, Here, Shared
from calque.text import checked_text

OfBatch = TypeVar("OfBatch")

BATCH = 256
"""Sentences in memory at once: enough to keep every thread busy."""


class OracleSentence(NamedTuple):
    """What the search found for a sentence."""

    translations: list[Translation]
    """Best first; their score is the sentence BLEU of their words, 0 to 1."""
    references: tuple[str, ...]
    """As the model knows them: words separated by spaces."""


def oracle_texts(
    translator: Translator,
    sentences: Iterable[str],
    references: Sequence[Iterable[str]],
    options: OracleOptions,
    *,
    n_best: int = 1,
    leave_one_out: LeaveOneOutOptions | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
) -> Iterator[OracleSentence]:
    """The derivations of every sentence that come closest to its references, lazily, in order.

    `references` are texts with as many lines as there are sentences. Sentences are not cut into
    pieces, however long: nobody knows which part of a reference belongs to a piece. With
    `leave_one_out` the sentences are the lines of the training text, and blocks that a pair
    forgets are out of reach. With an `engine` it searches where that runs its tasks.
    """
    batches = _batches(translator, sentences, references, leave_one_out)
    for found in _found(
        _oracle_texts, translator, batches, options, n_best, leave_one_out, threads, engine
    ):
        yield from found


def oracle_lists(
    translator: Translator,
    sentences: Iterable[str],
    references: Sequence[Iterable[str]],
    options: OracleOptions,
    *,
    n_best: int = 5,
    leave_one_out: LeaveOneOutOptions | None = None,
    threads: int | None = None,
    engine: Engine | None = None,
) -> Iterator[CandidateLists]:
    """The same derivations with all of their features as arrays, some sentences at a time.

    Those of a sentence differ as sequences of blocks, not always in their words.
    """
    batches = _batches(translator, sentences, references, leave_one_out)
    return _found(
        _oracle_lists, translator, batches, options, n_best, leave_one_out, threads, engine
    )


def _found(
    task: Callable[[Shared[OracleDecoder], int, _Batch], OfBatch],
    translator: Translator,
    batches: Iterator[_Batch],
    options: OracleOptions,
    n_best: int,
    leave_one_out: LeaveOneOutOptions | None,
    threads: int | None,
    engine: Engine | None,
) -> Iterator[OfBatch]:
    """What a task of an engine finds in every batch."""
    engine = engine or Here(threads)
    oracle = OracleDecoder(translator, options, n_best, leave_one_out)
    return engine.ordered_map(partial(task, engine.share(oracle), engine.threads_per_task), batches)


class OracleDecoder:
    """Finds oracle translations of batches: it can be pickled, and keeps no state."""

    def __init__(
        self,
        translator: Translator,
        options: OracleOptions,
        n_best: int,
        leave_one_out: LeaveOneOutOptions | None,
    ) -> None:
        """Take a translator, of which the weights do not matter, and what is wanted of it."""
        self._given = translator, options, n_best, leave_one_out

    def __reduce__(self) -> tuple[Any, ...]:
        return OracleDecoder, self._given

    @cached_property
    def _texts(self) -> CandidateTexts:
        return CandidateTexts(self._given[0])

    @cached_property
    def _training(self) -> TrainingText | None:
        translator, _, _, leave_one_out = self._given
        return None if leave_one_out is None else TrainingText(translator.model, leave_one_out)

    def search(self, part: _Batch, threads: int | None) -> _core.DecodedBatch:
        """The derivations of all sentences of a batch."""
        translator, options, n_best, _ = self._given
        words = [" ".join(sentence.prepared.words) for sentence in part.source.sentences]
        vocabulary, training = translator.model.target_vocabulary, self._training
        wanted = [SourceText.encode_references(text, words, vocabulary) for text in part.references]
        return translator.decoder.oracle_batch(
            part.source.source,
            wanted,
            options,
            n_best=n_best,
            leave_one_out=None if training is None else training.left_out(part.pairs),
            threads=threads,
        )

    def texts(self, part: _Batch, threads: int) -> list[OracleSentence]:
        """What is found for every sentence, to be read."""
        batch, oracles = self.search(part, threads), []
        for at, sentence in enumerate(part.source.sentences):
            ways = [[derivation] for derivation in batch[at].derivations]
            known = tuple(text[at] for text in part.references)
            translations = self._given[0].read_off(sentence, ways, distinct=False)
            oracles.append(OracleSentence(translations, known))
        return oracles

    def lists(self, part: _Batch, threads: int) -> CandidateLists:
        """The derivations with all of their features."""
        decoder = self._given[0].decoder
        batch = self.search(part, threads)
        n_rows = len(batch.scores)
        sparse = no_rows(n_rows)
        if decoder.features.templates:
            sparse = decoder.sparse_batch(batch, part.source.source, threads=threads)
        return CandidateLists(
            lengths=np.diff(batch.offsets),
            texts=self._texts.read_batch(part.source, batch),
            dense=batch.features.reshape(n_rows, -1).copy(),
            scores=batch.scores.copy(),
            sparse=sparse,
        )


def _oracle_texts(
    oracle: Shared[OracleDecoder], threads: int, part: _Batch
) -> list[OracleSentence]:
    """The task of an engine: what is found for some sentences, to be read."""
    return oracle.get().texts(part, threads)


def _oracle_lists(oracle: Shared[OracleDecoder], threads: int, part: _Batch) -> CandidateLists:
    """The task of an engine: the oracle translations of some sentences."""
    return oracle.get().lists(part, threads)


class _Batch(NamedTuple):
    source: PreparedText
    references: list[list[str]]
    """Of each text its lines, as the model knows them."""
    pairs: NDArray[np.int64]
    """Of every sentence in the training text; none where nothing is left out."""


def _batches(
    translator: Translator,
    sentences: Iterable[str],
    references: Sequence[Iterable[str]],
    leave_one_out: LeaveOneOutOptions | None,
) -> Iterator[_Batch]:
    model = translator.model
    training = None if leave_one_out is None else TrainingText(model, leave_one_out)
    rows = zip(sentences, *references, strict=True)
    first_line = 0
    while batch := list(islice(rows, BATCH)):
        lines, *texts = zip(*batch, strict=True)
        source = PreparedText.encode(prepare(lines, model, sys.maxsize), model)
        pairs = np.empty(0, np.int64)
        if training is not None:
            pairs = training.pairs_of_pieces(source, first_line)
        known = [
            [
                " ".join(model.preprocessor.target(checked_text(line) + "\n").split())
                for line in text
            ]
            for text in texts
        ]
        yield _Batch(source, known, pairs)
        first_line += len(batch)

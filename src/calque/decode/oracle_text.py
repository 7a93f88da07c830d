"""Sentences and their references on the way to the oracle search, and what it found."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

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
from calque.text import checked_text

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
) -> Iterator[OracleSentence]:
    """The derivations of every sentence that come closest to its references, lazily, in order.

    `references` are texts with as many lines as there are sentences. Sentences are not cut into
    pieces, however long: nobody knows which part of a reference belongs to a piece. With
    `leave_one_out` the sentences are the lines of the training text, and blocks that a pair
    forgets are out of reach.
    """
    for part in _batches(translator, sentences, references, leave_one_out):
        batch = part.search(translator, options, n_best, threads)
        for at, sentence in enumerate(part.source.sentences):
            ways = [[derivation] for derivation in batch[at].derivations]
            known = tuple(text[at] for text in part.references)
            yield OracleSentence(translator.read_off(sentence, ways, distinct=False), known)


def oracle_lists(
    translator: Translator,
    sentences: Iterable[str],
    references: Sequence[Iterable[str]],
    options: OracleOptions,
    *,
    n_best: int = 5,
    leave_one_out: LeaveOneOutOptions | None = None,
    threads: int | None = None,
) -> Iterator[CandidateLists]:
    """The same derivations with all of their features as arrays, some sentences at a time.

    Those of a sentence differ as sequences of blocks, not always in their words.
    """
    texts = CandidateTexts(translator)
    for part in _batches(translator, sentences, references, leave_one_out):
        batch = part.search(translator, options, n_best, threads)
        n_rows = len(batch.scores)
        sparse = no_rows(n_rows)
        if translator.decoder.features.templates:
            sparse = translator.decoder.sparse_batch(batch, part.source.source, threads=threads)
        yield CandidateLists(
            lengths=np.diff(batch.offsets),
            texts=texts.read_batch(part.source, batch),
            dense=batch.features.reshape(n_rows, -1).copy(),
            scores=batch.scores.copy(),
            sparse=sparse,
        )


class _Batch(NamedTuple):
    source: PreparedText
    references: list[list[str]]
    """Of each text its lines, as the model knows them."""
    left_out: _core.LeaveOneOut | None

    def search(
        self, translator: Translator, options: OracleOptions, n_best: int, threads: int | None
    ) -> _core.DecodedBatch:
        words = [" ".join(sentence.prepared.words) for sentence in self.source.sentences]
        vocabulary = translator.model.target_vocabulary
        wanted = [SourceText.encode_references(text, words, vocabulary) for text in self.references]
        return translator.decoder.oracle_batch(
            self.source.source,
            wanted,
            options,
            n_best=n_best,
            leave_one_out=self.left_out,
            threads=threads,
        )


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
        left_out = None if training is None else training.left_out_of(source, first_line)
        known = [
            [
                " ".join(model.preprocessor.target(checked_text(line) + "\n").split())
                for line in text
            ]
            for text in texts
        ]
        yield _Batch(source, known, left_out)
        first_line += len(batch)

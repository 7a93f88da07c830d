"""Sentences and their references on the way to the oracle search, and what it found."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from calque.config import OracleOptions
from calque.decode.prepared import PreparedText, checked_text, prepare
from calque.decode.source import SourceText
from calque.decode.translation import Translation
from calque.decode.translator import Translator

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
    threads: int | None = None,
) -> Iterator[OracleSentence]:
    """The derivations of every sentence that come closest to its references, lazily, in order.

    `references` are texts with as many lines as there are sentences. Sentences are not cut into
    pieces, however long.
    """
    model = translator.model
    rows = zip(sentences, *references, strict=True)
    while batch := list(islice(rows, BATCH)):
        lines = [line for line, *_ in batch]
        texts = [
            [
                " ".join(model.preprocessor.target(checked_text(line) + "\n").split())
                for line in text
            ]
            for text in list(zip(*batch, strict=True))[1:]
        ]
        source = PreparedText.encode(prepare(lines, model, sys.maxsize), model)
        words = [" ".join(sentence.prepared.words) for sentence in source.sentences]
        wanted = [
            SourceText.encode_references(text, words, model.target_vocabulary) for text in texts
        ]
        found = translator.decoder.oracle(
            source.source, wanted, options, n_best=n_best, threads=threads
        )
        for sentence, one, known in zip(
            source.sentences, found, zip(*texts, strict=True), strict=True
        ):
            ways = [[derivation] for derivation in one.derivations]
            yield OracleSentence(translator.read_off(sentence, ways, distinct=False), known)

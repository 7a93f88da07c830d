from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from calque.config import DecodeOptions, fill
from calque.decode.decoder import Decoder
from calque.decode.graph import TranslationGraph
from calque.decode.source import SourceText
from calque.decode.translation import Translation, read_off
from calque.errors import CalqueError, OptionError
from calque.model import Model
from calque.parallel import n_workers

BATCH = 256
"""Sentences handed to the core at once: enough to keep every thread busy."""


def load(path: Path | str, weights: str | None = None) -> Translator:
    """The translator of a model folder, with its active weights or those called `weights`."""
    return Translator(Model.load(path, weights))


class Translator:
    """Translates text with a loaded model."""

    def __init__(self, model: Model, options: DecodeOptions | None = None) -> None:
        """Take a model; `options` stand in for those stored in it."""
        self.model = model
        self.options = options or model.decode_options
        self.decoder = Decoder(model.blocks, model.target_vocabulary, model.lm)

    def translate(self, sentence: str, **options: Any) -> Translation:
        """The best translation of one sentence; `options` are those of `DecodeOptions`."""
        return next(self.translate_all([sentence], **options))

    def translate_all(
        self, sentences: Iterable[str], *, threads: int | None = None, **options: Any
    ) -> Iterator[Translation]:
        """The best translation of every sentence, lazily and in order."""
        lists = self.n_best(sentences, 1, threads=threads, **options)
        return (best for [best] in lists)

    def n_best(
        self,
        sentences: Iterable[str],
        n: int,
        *,
        distinct: bool = True,
        threads: int | None = None,
        **options: Any,
    ) -> Iterator[list[Translation]]:
        """Up to `n` translations of every sentence, best first, lazily and in order."""
        if n < 1:
            raise OptionError(f"n={n}: expected at least 1 translation per sentence")
        search = fill(self.options, options, "translate")
        return self._n_best(iter(sentences), n, distinct, n_workers(threads), search)

    def graph(self, sentence: str, **options: Any) -> TranslationGraph:
        """Everything that the search of one sentence kept; `options` as in `translate`."""
        model = self.model
        words = model.preprocessor.prepare(_text(sentence)).words
        vocabularies = model.source_vocabulary, model.target_vocabulary
        source = SourceText.encode([" ".join(words)], *vocabularies)
        search = fill(self.options, options, "translate")
        found = self.decoder.graph(source, model.weights, search)
        return TranslationGraph.read_off(found, words, model.target_vocabulary)

    def _n_best(
        self,
        stream: Iterator[str],
        n: int,
        distinct: bool,
        threads: int,
        search: DecodeOptions,
    ) -> Iterator[list[Translation]]:
        model = self.model
        while batch := [model.preprocessor.prepare(_text(line)) for line in islice(stream, BATCH)]:
            lines = (" ".join(prepared.words) for prepared in batch)
            source = SourceText.encode(lines, model.source_vocabulary, model.target_vocabulary)
            decoded = self.decoder.decode(
                source, model.weights, search, n_best=n, distinct=distinct, threads=threads
            )
            for prepared, found in zip(batch, decoded, strict=True):
                yield [
                    read_off(
                        derivation,
                        prepared,
                        model.blocks,
                        model.target_vocabulary,
                        model.preprocessor,
                    )
                    for derivation in found.derivations
                ]


def _text(sentence: str) -> str:
    """The sentence, where it is text: a Python string may hold halves of characters."""
    try:
        sentence.encode()
    except UnicodeEncodeError as error:
        half = ascii(sentence[error.start])
        raise CalqueError(f"a sentence holds {half}, half of a character: expected text") from None
    return sentence

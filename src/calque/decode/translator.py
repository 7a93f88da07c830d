from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeAlias

from calque import _core
from calque.config import DecodeOptions, fill
from calque.decode.constraints import Constraints, Terminology
from calque.decode.decoder import Decoder
from calque.decode.explain import explain, place_of
from calque.decode.explanation import Explanation
from calque.decode.force_text import force_text
from calque.decode.graph import TranslationGraph
from calque.decode.source import SourceText
from calque.decode.split import Piece, combine, split
from calque.decode.translation import Translation, read_off
from calque.errors import CalqueError, OptionError
from calque.model import Model
from calque.parallel import n_workers
from calque.text import Prepared

BATCH = 256
"""Sentences handed to the core at once: enough to keep every thread busy."""
Terms: TypeAlias = "Terminology | Mapping[str, str] | Path | str"
Found: TypeAlias = tuple[Prepared, list[Piece], list[list[_core.Derivation]]]
"""A sentence, its pieces, and the best ways to derive all of them."""


def load(path: Path | str, weights: str | None = None) -> Translator:
    """The translator of a model folder, with its active weights or those called `weights`."""
    return Translator(Model.load(path, weights))


class Translator:
    """Translates text with a loaded model."""

    def __init__(self, model: Model, options: DecodeOptions | None = None) -> None:
        """Take a model; `options` stand in for those stored in it."""
        self.model = model
        self.options = options or model.decode_options
        self.decoder = Decoder.of(model)

    def terminology(self, terms: Mapping[str, str] | Path | str) -> Terminology:
        """Terms ready for use in many calls: of a mapping, or of a file (see `Terminology`)."""
        if isinstance(terms, Mapping):
            return Terminology(terms, self.model.preprocessor)
        return Terminology.read(terms, self.model.preprocessor)

    def translate(
        self,
        sentence: str,
        *,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        **options: Any,
    ) -> Translation:
        """The best translation of one sentence; `options` are those of `DecodeOptions`.

        `terminology` tells what source phrases must become: a mapping, a file of tab-separated
        pairs, or what `terminology` made of either. What the regular expression `pass_through`
        matches comes out unchanged. docs/decoding.md has the rules of both.
        """
        lists = self.n_best(
            [sentence], 1, terminology=terminology, pass_through=pass_through, **options
        )
        return next(lists)[0]

    def translate_all(
        self,
        sentences: Iterable[str],
        *,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> Iterator[Translation]:
        """The best translation of every sentence, lazily and in order; see `translate`."""
        lists = self.n_best(
            sentences,
            1,
            terminology=terminology,
            pass_through=pass_through,
            threads=threads,
            **options,
        )
        return (best for [best] in lists)

    def n_best(
        self,
        sentences: Iterable[str],
        n: int,
        *,
        distinct: bool = True,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> Iterator[list[Translation]]:
        """Up to `n` translations of every sentence, best first, lazily and in order.

        Those of a sentence in pieces are the best sums of the scores of its pieces.
        """
        if n < 1:
            raise OptionError(f"n={n}: expected at least 1 translation per sentence")
        search = fill(self.options, options, "translate")
        constraints = Constraints.of(terminology, pass_through, self.model.preprocessor)
        work = self._pieces(iter(sentences), constraints, search.max_words)
        found = self._found(work, n, distinct, n_workers(threads), search)
        return (self.read_off(*one, distinct) for one in found)

    def explain(
        self,
        sentence: str,
        translation: str | None = None,
        *,
        rank: int = 1,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        **options: Any,
    ) -> Explanation:
        """How the best translation of a sentence came about, or another one of it.

        That is the one of the given `rank` among the best, or `translation`, a text for which
        forced decoding finds the best derivation. Raises `CalqueError` where there is none.
        """
        search = fill(self.options, options, "explain")
        constraints = Constraints.of(terminology, pass_through, self.model.preprocessor)
        work = list(self._pieces(iter([sentence]), constraints, search.max_words))
        if not work[0][0].words:
            raise CalqueError("the sentence is empty: expected words to translate")
        if rank < 1:
            raise OptionError(f"rank {rank}: expected at least 1")
        if translation is None:
            [(prepared, pieces, ways)] = self._found(iter(work), rank, True, 1, search)
            translations = self.read_off(prepared, pieces, ways, distinct=False)
            at = place_of(rank, translations)
            return self._explain(prepared, translations[at], ways[at], pieces)
        if rank != 1:
            raise OptionError("a given translation has no rank: expected one of the two")
        if terminology is not None or pass_through is not None:
            raise OptionError("a given translation knows no constraints: expected none")
        if len(work) > 1:
            problem = (
                f"the sentence is cut into {len(work)} pieces of up to {search.max_words} words"
            )
            raise OptionError(f"{problem}: expected one piece, where a translation is given")
        [(prepared, piece)] = work
        derivation = force_text(self.decoder, self.model, piece.words, _text(translation), search)
        [found] = self.read_off(prepared, [piece], [[derivation]], distinct=False)
        return self._explain(prepared, found, [derivation], [piece])

    def _explain(
        self,
        prepared: Prepared,
        translation: Translation,
        derivations: Sequence[_core.Derivation],
        pieces: Sequence[Piece],
    ) -> Explanation:
        vocabularies = self.model.source_vocabulary, self.model.target_vocabulary
        sources = [
            SourceText.encode([" ".join(piece.words)], *vocabularies, [piece.required])
            for piece in pieces
        ]
        weights = self.model.weights
        return explain(prepared.words, translation, derivations, sources, self.decoder, weights)

    def _pieces(
        self, sentences: Iterator[str], constraints: Constraints, max_words: int
    ) -> Iterator[tuple[Prepared, Piece]]:
        for sentence in sentences:
            prepared, required = constraints.prepare(_text(sentence), self.model.preprocessor)
            for piece in split(prepared.words, required, max_words):
                yield prepared, piece

    def graph(self, sentence: str, **options: Any) -> TranslationGraph:
        """Everything that the search of one sentence kept; `options` as in `translate`."""
        model = self.model
        words = model.preprocessor.prepare(_text(sentence)).words
        vocabularies = model.source_vocabulary, model.target_vocabulary
        source = SourceText.encode([" ".join(words)], *vocabularies)
        search = fill(self.options, options, "translate")
        found = self.decoder.graph(source, model.weights, search)
        return TranslationGraph.read_off(found, words, model.target_vocabulary)

    def _found(
        self,
        work: Iterator[tuple[Prepared, Piece]],
        n: int,
        distinct: bool,
        threads: int,
        search: DecodeOptions,
    ) -> Iterator[Found]:
        model = self.model
        pieces: list[Piece] = []  # of the sentence that is not complete yet
        found: list[list[_core.Derivation]] = []
        while batch := list(islice(work, BATCH)):
            source = SourceText.encode(
                (" ".join(piece.words) for _, piece in batch),
                model.source_vocabulary,
                model.target_vocabulary,
                [piece.required for _, piece in batch],
            )
            decoded = self.decoder.decode(
                source, model.weights, search, n_best=n, distinct=distinct, threads=threads
            )
            for (prepared, piece), one in zip(batch, decoded, strict=True):
                pieces.append(piece)
                found.append(one.derivations)
                if piece.is_last:
                    yield prepared, pieces, combine(found, n)
                    pieces, found = [], []

    def read_off(
        self,
        prepared: Prepared,
        pieces: list[Piece],
        ways: list[list[_core.Derivation]],
        distinct: bool = True,
    ) -> list[Translation]:
        """The translations that ways through the pieces of a sentence give, one per way.

        With `distinct`, those of equal words count once.
        """
        model = self.model
        parts = model.blocks, model.target_vocabulary, model.preprocessor, model.features.names
        read = [read_off(zip(pieces, way, strict=True), prepared, *parts) for way in ways]
        if not distinct or len(pieces) == 1:
            return read
        # Different words of neighbouring pieces may be the same in a row.
        first: dict[tuple[str, ...], Translation] = {}
        for one in read:
            first.setdefault(one.words, one)
        return list(first.values())


def _text(sentence: str) -> str:
    """The sentence, where it is text: a Python string may hold halves of characters."""
    try:
        sentence.encode()
    except UnicodeEncodeError as error:
        half = ascii(sentence[error.start])
        raise CalqueError(f"a sentence holds {half}, half of a character: expected text") from None
    return sentence

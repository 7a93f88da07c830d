from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from calque import _core
from calque.config import DecodeOptions, LeaveOneOutOptions, fill
from calque.config.signature import takes_options
from calque.decode.confidence import (
    LIST_LENGTH,
    UNCALIBRATED,
    Calibration,
    Evidence,
    read_calibration,
)
from calque.decode.constraints import Constraints, Terminology
from calque.decode.decoder import Decoder
from calque.decode.explain import explain, place_of
from calque.decode.explanation import Explanation
from calque.decode.force_text import force_text
from calque.decode.graph import TranslationGraph
from calque.decode.one_best import OneBest, Terms
from calque.decode.part_translator import Asked, Part, PartTranslator, translated
from calque.decode.prepared import (
    PreparedSentence,
    PreparedText,
    encode_pieces,
    prepare,
)
from calque.decode.source import SourceText
from calque.decode.sparse_sums import sparse_features
from calque.decode.split import combine_derivations
from calque.decode.training_text import TrainingText
from calque.decode.translation import Translation, read_off
from calque.errors import CalqueError, OptionError, refuse_text
from calque.model import Model
from calque.parallel import Engine, Here, n_workers
from calque.text import checked_text

LONGEST_EXPLAINED = 1000
"""Words of a sentence that `explain` takes apart."""


def load(path: Path | str, weights: str | None = None) -> Translator:
    """The translator of a model folder, with its active weights or those called `weights`."""
    return Translator(Model.load(path, weights), calibration=read_calibration(path, weights))


class Translator(OneBest):
    """Translates text with a loaded model."""

    def __init__(
        self,
        model: Model,
        options: DecodeOptions | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        """Take a model; `options` stand in for those stored in it.

        A `calibration` (see `calque calibrate`) makes confidences of posteriors.
        """
        self.model = model
        self.options = options or model.decode_options
        self.decoder = Decoder.of(model)
        self.calibration = calibration

    def __repr__(self) -> str:
        return f"<Translator of {self.model!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Translator, (self.model, self.options, self.calibration)

    def terminology(self, terms: Mapping[str, str] | Path | str) -> Terminology:
        """Terms ready for use in many calls: of a mapping, or of a file (see `Terminology`)."""
        if isinstance(terms, Mapping):
            return Terminology(terms, self.model.preprocessor)
        return Terminology.read(terms, self.model.preprocessor)

    @takes_options(DecodeOptions, meanings=False)
    def n_best(
        self,
        sentences: Iterable[str],
        n: int,
        *,
        distinct: bool = True,
        with_sparse: bool = False,
        with_confidence: bool = False,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        leave_one_out: LeaveOneOutOptions | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> Iterator[list[Translation]]:
        """Up to `n` translations of every sentence, best first, lazily and in order.

        Those of a sentence in pieces are the best sums of the scores of its pieces. Sparse features
        are extracted `with_sparse` only: it takes time. `with_confidence` the best one has
        confidences of its words, from a list of `LIST_LENGTH` candidates. With `leave_one_out` the
        sentences are the lines of the training text, and each is translated as if the model had not
        seen its pair; without constraints.
        """
        refuse_text("sentences", sentences, "a list of sentences, or any iterable of them")
        return self.n_best_of_groups(
            [sentences],
            n,
            distinct=distinct,
            with_sparse=with_sparse,
            with_confidence=with_confidence,
            terminology=terminology,
            pass_through=pass_through,
            leave_one_out=leave_one_out,
            threads=threads,
            **options,
        )

    def n_best_of_groups(
        self,
        groups: Iterable[Iterable[str]],
        n: int,
        *,
        distinct: bool = True,
        with_sparse: bool = False,
        with_confidence: bool = False,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        leave_one_out: LeaveOneOutOptions | None = None,
        threads: int | None = None,
        engine: Engine | None = None,
        **options: Any,
    ) -> Iterator[list[Translation]]:
        """The same as `n_best`, for sentences that come in groups: a stream.

        All translations of a group are given before the next group is asked for. With an `engine`
        they are made where it runs its tasks, else with `threads` here.
        """
        if n < 1:
            raise OptionError(f"n={n}: expected at least 1 translation per sentence")
        search = fill(self.options, options, "translate")
        asked = Asked(n, distinct, with_sparse, with_confidence, search, leave_one_out)
        engine = engine or Here(threads)
        work = partial(
            translated, engine.share(PartTranslator(self, asked)), engine.threads_per_task
        )
        parts = self._parts(groups, search, terminology, pass_through, leave_one_out)
        return (
            translations
            for group in parts
            for of_part in engine.ordered_map(work, group)
            for translations in of_part
        )

    def ways_of_groups(
        self,
        groups: Iterable[Iterable[str]],
        n: int,
        *,
        distinct: bool = True,
        terminology: Terms | None = None,
        pass_through: str | None = None,
        leave_one_out: LeaveOneOutOptions | None = None,
        threads: int | None = None,
        **options: Any,
    ) -> Iterator[tuple[PreparedSentence, list[list[_core.Derivation]]]]:
        """Every sentence with the best ways to derive its pieces: what `read_off` takes."""
        search = fill(self.options, options, "translate")
        parts = self._parts(groups, search, terminology, pass_through, leave_one_out)
        asked = Asked(n, distinct, False, False, search, leave_one_out)
        decoder, n_threads = PartTranslator(self, asked), n_workers(threads)
        return (
            way for group in parts for part in group for way in decoder.ways(part, n, n_threads)
        )

    def _parts(
        self,
        groups: Iterable[Iterable[str]],
        search: DecodeOptions,
        terminology: Terms | None,
        pass_through: str | None,
        leave_one_out: LeaveOneOutOptions | None,
    ) -> Iterator[Iterator[Part]]:
        """The sentences of every group, some together, prepared and encoded."""
        constraints = Constraints.of(terminology, pass_through, self.model.preprocessor)
        if leave_one_out is None:
            return (self._encoded(group, search, constraints) for group in groups)
        if terminology is not None or pass_through is not None:
            raise OptionError("leave_one_out cannot be combined with terminology or pass_through")
        return self._training_parts(groups, search, TrainingText(self.model, leave_one_out))

    def _encoded(
        self, group: Iterable[str], search: DecodeOptions, constraints: Constraints
    ) -> Iterator[Part]:
        prepared = self._prepared(group, constraints, search)
        return ((text, None) for text in PreparedText.batches(prepared, self.model))

    def _training_parts(
        self, groups: Iterable[Iterable[str]], search: DecodeOptions, training: TrainingText
    ) -> Iterator[Iterator[Part]]:
        """The lines of the training text, group after group, with their pairs."""
        n_lines = 0

        def of_group(group: Iterable[str]) -> Iterator[Part]:
            nonlocal n_lines
            for text, _ in self._encoded(group, search, Constraints()):
                yield text, training.pairs_of_pieces(text, n_lines)
                n_lines += len(text.sentences)

        return map(of_group, groups)

    def evidence(
        self, sentences: Iterable[str], threads: int | None = None, **options: Any
    ) -> Iterator[tuple[Translation, Evidence]]:
        """The best translation of every sentence and what an n-best list says of its words."""
        search = fill(self.options, options, "translate")
        constraints = Constraints.of(None, None, self.model.preprocessor)
        prepared = self._prepared(sentences, constraints, search)
        for text in PreparedText.batches(prepared, self.model):
            for sentence, ways in self.ways(text, LIST_LENGTH, True, n_workers(threads), search):
                [best] = self.read_off(sentence, ways[:1])
                yield best, Evidence.of(sentence, ways)

    def confident(
        self, translations: list[Translation], evidence: Evidence | None
    ) -> list[Translation]:
        """The translations, of which the first has its confidences."""
        if evidence is None:
            return translations
        calibration = self.calibration or UNCALIBRATED
        confidences = tuple(calibration.confidences(evidence).tolist())
        return [replace(translations[0], word_confidences=confidences), *translations[1:]]

    @takes_options(DecodeOptions, meanings=False)
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
        text = PreparedText.encode(self._prepared([sentence], constraints, search), self.model)
        [(prepared, pieces)] = text.sentences
        if not prepared.words:
            raise CalqueError("the sentence is empty: expected words to translate")
        if len(prepared.words) > LONGEST_EXPLAINED:
            raise CalqueError(
                f"the sentence has {len(prepared.words):,} words: expected at most"
                f" {LONGEST_EXPLAINED:,} to explain, each with everything that it might have been"
            )
        if rank < 1:
            raise OptionError(f"rank {rank}: expected at least 1")
        if translation is None:
            [(_, ways)] = self.ways(text, rank, True, 1, search)
            translations = self.read_off(text.sentences[0], ways, distinct=False)
            at = place_of(rank, translations)
            return self._explain(text.sentences[0], translations[at], ways[at])
        if rank != 1:
            raise OptionError("translation and rank cannot both be given")
        if terminology is not None or pass_through is not None:
            raise OptionError("translation cannot be combined with terminology or pass_through")
        if len(pieces) > 1:
            problem = (
                f"the sentence is cut into {len(pieces)} pieces of up to {search.max_words} words"
            )
            raise OptionError(f"{problem}: expected one piece, where a translation is given")
        wanted = checked_text(translation)
        derivation = force_text(self.decoder, self.model, prepared.words, wanted, search)
        [read] = self.read_off(text.sentences[0], [[derivation]], distinct=False)
        return self._explain(text.sentences[0], read, [derivation])

    def _explain(
        self,
        sentence: PreparedSentence,
        translation: Translation,
        derivations: Sequence[_core.Derivation],
    ) -> Explanation:
        sources = [encode_pieces([piece], self.model) for piece in sentence.pieces]
        words, weights = sentence.prepared.words, self.model.weights
        return explain(words, translation, derivations, sources, self.decoder, weights)

    @takes_options(DecodeOptions, meanings=False)
    def graph(self, sentence: str, **options: Any) -> TranslationGraph:
        """Everything that the search of one sentence kept; `options` as in `translate`."""
        model = self.model
        search = fill(self.options, options, "translate")
        [whole] = prepare([sentence], model, sys.maxsize, least_agreement=search.least_agreement)
        words = whole.prepared.words
        source = SourceText.from_words([words], model.source_vocabulary, model.target_vocabulary)
        if len(words) > search.max_words:
            raise OptionError(
                f"a sentence of {len(words):,} words: a graph is of one piece, of at most"
                f" max_words={search.max_words} words"
            )
        core_graph = self.decoder.graph(source, model.weights, search)
        return TranslationGraph.read_off(core_graph, words, model.target_vocabulary)

    def _prepared(
        self, sentences: Iterable[str], constraints: Constraints, search: DecodeOptions
    ) -> Iterator[PreparedSentence]:
        return prepare(sentences, self.model, search.max_words, constraints, search.least_agreement)

    def ways(
        self,
        text: PreparedText,
        n: int,
        distinct: bool,
        threads: int,
        search: DecodeOptions,
        left_out: _core.LeaveOneOut | None = None,
    ) -> Iterator[tuple[PreparedSentence, list[list[_core.Derivation]]]]:
        """Every sentence and the best ways to derive all of its pieces."""
        decoded = self.decoder.decode(
            text.source,
            self.model.weights,
            search,
            n_best=n,
            distinct=distinct,
            leave_one_out=left_out,
            threads=threads,
        )
        for sentence, lists in text.by_sentence(of_piece.derivations for of_piece in decoded):
            yield sentence, combine_derivations(lists, n)

    def read_off(
        self,
        sentence: PreparedSentence,
        ways: Sequence[Sequence[_core.Derivation]],
        distinct: bool = True,
        with_sparse: bool = False,
    ) -> list[Translation]:
        """The translations that ways through the pieces of a sentence give, one per way.

        With `distinct`, those of equal words count once.
        """
        model = self.model
        prepared, pieces = sentence
        parts = model.blocks, model.target_vocabulary, model.preprocessor, model.features.names
        read = [read_off(zip(pieces, way, strict=True), prepared, *parts) for way in ways]
        if with_sparse:
            sparse = sparse_features(self.decoder, ways, encode_pieces(pieces, model))
            read = [
                replace(translation, sparse=its)
                for translation, its in zip(read, sparse, strict=True)
            ]
        if not distinct or len(pieces) == 1:
            return read
        # Different words of neighbouring pieces may be the same in a row.
        first: dict[tuple[str, ...], Translation] = {}
        for translation in read:
            first.setdefault(translation.words, translation)
        return list(first.values())

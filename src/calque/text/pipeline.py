"""What is done to text on its way into the model, and undone on the way out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from typing import Any, TypeAlias

from calque.config import TextOptions, fill, to_mapping
from calque.errors import FileError, ModelError, OptionError
from calque.parallel import Engine, Here, ordered_map
from calque.progress import SILENT, Progress
from calque.text import numbers
from calque.text.bitext import BitextSource, size_of
from calque.text.casing import (
    CaseLearner,
    Truecaser,
    beginnings_of,
    is_capitals,
    lowercase,
    restore_case,
)
from calque.text.files import STANDARD_STREAM
from calque.text.keep import FOREIGN_TO_LANGUAGE, Marks, compile_keep, cut_out, put_back
from calque.text.normalize import normalize, normalize_keeping_spaces
from calque.text.spacing import SourceSpacing, gaps_before
from calque.text.tokenize import Tokenizer

_SOURCE, _TARGET = 0, 1
_PIECE = 1 << 16
Tokenizers: TypeAlias = tuple[Tokenizer | None, Tokenizer | None]


@dataclass(frozen=True)
class Prepared:
    """A sentence ready for the decoder."""

    words: tuple[str, ...]
    """As the model knows them."""
    originals: tuple[str, ...]
    """The same words before their case was changed and numbers became classes."""
    kept: tuple[tuple[int, int], ...] = ()
    """Half-open spans of words that must pass through unchanged; they are as in the sentence."""
    foreign: tuple[tuple[int, int], ...] = ()
    """The same of URLs and the like, which pass through where nothing else is required of them."""
    gaps: tuple[str, ...] = ()
    """What stands before each word in the sentence, where it was tokenised and this is known."""
    is_capitals: bool = False
    """Whether the sentence is in capitals throughout, which the model's true case hides."""
    given: tuple[str, ...] = ()
    """The words before others were put in place of some; none where nothing was."""
    places: tuple[int, ...] = ()
    """For each word the place of what it stands for in `given`; none where nothing changed."""

    @property
    def literal(self) -> tuple[str, ...]:
        """The words with the sentence's own numbers in place of classes."""
        pairs = zip(self.words, self.originals, strict=True)
        return tuple(own if numbers.is_class(word) else word for word, own in pairs)


class Preprocessor:
    """Prepares sentences as the training text was prepared, and restores translations.

    The way in: normalise, tokenise, case, number classes; the way out is the reverse. Every step
    but the first is optional. With the default options a sentence is only normalised, and a
    translation is its words joined by spaces.
    """

    def __init__(
        self,
        options: TextOptions | None = None,
        source_truecaser: Truecaser | None = None,
        target_truecaser: Truecaser | None = None,
    ) -> None:
        """Take the options and, where they ask for true case, what `fit` learned."""
        self.options = options or TextOptions()
        self._tokenizers = _tokenizers(self.options)
        self._truecasers = (source_truecaser, target_truecaser)
        if self.options.casing == "true" and None in self._truecasers:
            raise OptionError("casing=true: expected truecasers; use Preprocessor.fit")

    def __repr__(self) -> str:
        return f"<Preprocessor: {self.options}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Preprocessor.from_json, (self.to_json(),)

    @classmethod
    def fit(
        cls,
        options: TextOptions,
        text: BitextSource,
        workers: int = 1,
        progress: Progress = SILENT,
        engine: Engine | None = None,
    ) -> Preprocessor:
        """The preprocessor for these options; true case is learned from `text`.

        `workers` processes tokenise, or whatever workers an engine has.
        """
        if options.casing != "true":
            return cls(options)
        for path in text.paths:
            if path == STANDARD_STREAM or path.is_fifo():
                raise FileError(path, "casing=true reads its text twice, expected a file")
        source, target = CaseLearner(), CaseLearner()
        tokenizers = _tokenizers(options)
        with progress.stage("learn case", size_of(text)) as stage:
            blocks = _tokenized(tokenizers, text.blocks(stage), workers, engine)
            for source_block, target_block in blocks:
                source.feed(source_block)
                target.feed(target_block)
        return cls(options, source.finish(), target.finish())

    def pairs(
        self,
        blocks: Iterable[tuple[str, str]],
        workers: int = 1,
        engine: Engine | None = None,
    ) -> Iterator[tuple[str, str]]:
        """Raw blocks of source and target lines, prepared.

        `workers` processes tokenise, or whatever workers an engine has.
        """
        for source, target in _tokenized(self._tokenizers, blocks, workers, engine):
            yield self._to_model(source, _SOURCE), self._to_model(target, _TARGET)

    def source(self, block: str) -> str:
        """A raw block of source lines, prepared; the number of lines stays."""
        return self._to_model(_tokenize(self._tokenizers[_SOURCE], block), _SOURCE)

    def target(self, block: str) -> str:
        """A raw block of target lines, prepared; the number of lines stays."""
        return self._to_model(_tokenize(self._tokenizers[_TARGET], block), _TARGET)

    def source_words_as_trained(self, block: str) -> str:
        """Lines of source words in the model's case and classes of numbers; nothing else changes.

        For text that is in words already: it is neither normalised nor tokenised, so the number of
        words of every line stays.
        """
        return self._to_model(block, _SOURCE)

    def target_words_as_trained(self, block: str) -> str:
        """Lines of target words, likewise."""
        return self._to_model(block, _TARGET)

    def prepare(
        self, sentence: str, keep: re.Pattern[str] | None = None, keep_foreign: bool = False
    ) -> Prepared:
        """One source sentence for the decoder; line ends inside it are spaces.

        What `keep`, a pattern of `pass_through`, finds is neither tokenised nor changed. With
        `keep_foreign` this holds for URLs, e-mail addresses, tags and entities, too, where the
        model's text was plain and protected.
        """
        sentence = sentence.replace("\n", " ")
        text = normalize(sentence)
        patterns = [keep] if keep is not None else []
        if keep_foreign and self.options.tokenize and self.options.protect:
            patterns.append(FOREIGN_TO_LANGUAGE)
        marked, marks, matches = cut_out(text, patterns)
        tokenizer = self._tokenizers[_SOURCE]
        tokens = tokenizer.tokenize(marked) if tokenizer else normalize(marked)
        # No step after the tokeniser makes or removes words.
        words = self._to_model(tokens, _SOURCE).split(" ") if tokens else []
        originals = tokens.split(" ") if tokens else []
        put_back(originals, marks, matches)
        spans = list(zip(put_back(words, marks, matches), matches, strict=True))
        is_users = keep is not None
        return Prepared(
            words=tuple(words),
            originals=tuple(originals),
            kept=tuple(span for span, match in spans if is_users and match.pattern == 0),
            foreign=tuple(span for span, match in spans if not is_users or match.pattern > 0),
            gaps=self._gaps(originals, sentence, text),
            is_capitals=self.options.casing == "true" and is_capitals(tokens),
        )

    def _gaps(self, words: Sequence[str], sentence: str, text: str) -> tuple[str, ...]:
        if not self.options.tokenize:
            return ()
        return gaps_before(words, normalize_keeping_spaces(sentence), text)

    def pass_through(self, regex: str) -> re.Pattern[str]:
        """The pattern for `prepare` that keeps what `regex` matches; see `text.keep`."""
        return compile_keep(regex, self.options.tokenize)

    def target_words(self, phrase: str) -> tuple[str, ...]:
        """The words of a target phrase as a translation may hold them.

        Tokenised and, where the model knows small letters only, in these; numbers stay themselves
        and so does the case of the first word, which begins no sentence.
        """
        text = _tokenize(self._tokenizers[_TARGET], phrase.replace("\n", " "))
        return tuple((lowercase(text) if self.options.casing == "lower" else text).split())

    @property
    def is_plain(self) -> bool:
        """Whether every translation is its words joined by spaces: `restore` has nothing to do."""
        options = self.options
        return not (options.tokenize or options.class_numbers or options.casing == "true")

    def restore(
        self,
        words: Sequence[str],
        prepared: Prepared,
        links: Iterable[tuple[int, int]] = (),
        kept: Sequence[int] = (),
        origins: Sequence[int] = (),
    ) -> str:
        """The translation as text: numbers, sentence case and spacing put back.

        `links` are pairs of a position in `prepared.words` and one in `words`. Text of a model
        that was trained without the tokeniser stays as words separated by spaces. Words at the
        positions `kept` stay as they are. `origins` has for every word the position in
        `prepared.words` of the same word, where it is a copy of that one, else -1: copies have the
        case and the spacing of the sentence.
        """
        if self.is_plain:
            return " ".join(words)
        shown = list(words)
        marks = Marks("".join(words))
        for j in kept:
            shown[j] = marks.mark(words[j])
        links = list(links)
        origins = list(origins) or [-1] * len(words)
        if self.options.class_numbers:
            shown = numbers.restored(shown, prepared.originals, prepared.words, links)
        if self.options.casing == "true":
            shown = _cased(shown, prepared, origins)
        there = [j for j, word in enumerate(shown) if word]
        present = [shown[j] for j in there]
        tokenizer = self._tokenizers[_TARGET]
        if tokenizer is None or not prepared.gaps:
            text = " ".join(present) if tokenizer is None else tokenizer.detokenize(present)
            return marks.fill(text, [words[j] for j in sorted(kept)])
        gaps = [""] * len(words)
        for j, gap in zip(there, tokenizer.gaps(present), strict=True):
            gaps[j] = gap
        passing = frozenset(kept)
        self._spacing(prepared).apply(gaps, words, origins, links, passing)
        texts = [gaps[j] + (words[j] if j in passing else shown[j]) for j in there]
        return "".join(texts).strip(" ")

    def _spacing(self, prepared: Prepared) -> SourceSpacing:
        languages = self.options.source_language, self.options.target_language
        return SourceSpacing(prepared.gaps, languages)

    def to_json(self) -> dict[str, Any]:
        """All state as plain values."""
        source, target = (caser and caser.to_json() for caser in self._truecasers)
        return {
            "options": to_mapping(self.options),
            "source_truecaser": source,
            "target_truecaser": target,
        }

    @classmethod
    def from_json(cls, state: Any) -> Preprocessor:
        """The preprocessor that `to_json` wrote; raises `ModelError` on anything else."""
        keys = {"options", "source_truecaser", "target_truecaser"}
        if not isinstance(state, dict) or set(state) != keys:
            raise ModelError(f"preprocessor: expected the keys {', '.join(sorted(keys))}")
        if not isinstance(state["options"], dict):
            raise ModelError("preprocessor: expected options with names")
        source, target = (
            None if forms is None else Truecaser.from_json(forms)
            for forms in (state["source_truecaser"], state["target_truecaser"])
        )
        try:
            return cls(fill(TextOptions(), state["options"]), source, target)
        except OptionError as error:
            raise ModelError(f"preprocessor: {error}") from error

    def _to_model(self, block: str, side: int) -> str:
        """Tokenised lines with the case and the number classes that the model knows."""
        truecaser = self._truecasers[side]
        if self.options.casing == "lower":
            block = lowercase(block)
        elif truecaser is not None:
            block = truecaser.truecase(block)
        return numbers.class_numbers(block) if self.options.class_numbers else block


def _cased(words: Sequence[str], prepared: Prepared, origins: Sequence[int]) -> list[str]:
    """The words of true case with capitals where the sentence has them, or begins.

    A copy that begins a sentence, as its origin did, is as it was there.
    """
    if prepared.is_capitals:
        return [
            word.upper()
            if origin < 0 or numbers.is_class(prepared.words[origin])
            else prepared.originals[origin]
            for word, origin in zip(words, origins, strict=True)
        ]
    there = [j for j, word in enumerate(words) if word]
    present = [words[j] for j in there]
    cased = list(words)
    has_copies = any(origin >= 0 for origin in origins)
    begin_source = beginnings_of(prepared.originals) if has_copies else frozenset()
    begin_target = beginnings_of(present) if begin_source else frozenset()
    for place, (j, word) in enumerate(zip(there, restore_case(present), strict=True)):
        copies_beginning = place in begin_target and origins[j] in begin_source
        if copies_beginning and not numbers.is_class(prepared.words[origins[j]]):
            word = prepared.originals[origins[j]]
        cased[j] = word
    return cased


def _tokenizers(options: TextOptions) -> Tokenizers:
    if not options.tokenize:
        return None, None
    for side in ("source", "target"):
        if not getattr(options, f"{side}_language"):
            raise OptionError(f"tokenize=true: expected {side}_language, a code such as de or en")
    return (
        Tokenizer(options.source_language, options.protect),
        Tokenizer(options.target_language, options.protect),
    )


def _tokenized(
    tokenizers: Tokenizers,
    blocks: Iterable[tuple[str, str]],
    workers: int,
    engine: Engine | None,
) -> Iterator[tuple[str, str]]:
    """The blocks, normalised and tokenised; in this process where normalising is all there is."""
    work = partial(_tokenize_pair, tokenizers)
    if any(tokenizers):
        if engine is None or isinstance(engine, Here):
            return ordered_map(work, _pieces(blocks), workers)
        return engine.ordered_map(work, _pieces(blocks))
    return map(work, blocks)


def _pieces(blocks: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The same lines in smaller blocks: the tokeniser is slow, and every worker wants its share."""
    for source, target in blocks:
        yield from zip_longest(_cut(source), _cut(target), fillvalue="")


def _cut(block: str) -> Iterator[str]:
    begin = 0
    while begin < len(block):
        end = block.find("\n", begin + _PIECE) + 1 or len(block)
        yield block[begin:end]
        begin = end


def _tokenize_pair(tokenizers: Tokenizers, pair: tuple[str, str]) -> tuple[str, str]:
    return _tokenize(tokenizers[_SOURCE], pair[_SOURCE]), _tokenize(
        tokenizers[_TARGET], pair[_TARGET]
    )


def _tokenize(tokenizer: Tokenizer | None, block: str) -> str:
    block = normalize(block)
    return block if tokenizer is None else tokenizer.tokenize(block)

"""What the user requires of a translation: terms, and words that pass through unchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from calque.errors import LineError, OptionError
from calque.text import Prepared, Preprocessor, read_lines

MAX_WORDS = 1000
"""Of a term: far more than a phrase has, and few enough for the search."""


@dataclass(frozen=True)
class Required:
    """A source span and the only target that it may have."""

    begin: int
    end: int
    target: tuple[str, ...]
    is_copy: bool = False
    """The target is the source as it stands, and nothing may change it afterwards."""


class Terminology:
    """Source phrases and the target phrase that each must become.

    Both sides are prepared as the model's text was: a term matches the words that the model sees.
    Where the model learned true case, a term matches as it is written and as it would be written
    in the middle of a sentence.
    """

    def __init__(self, terms: Mapping[str, str], preprocessor: Preprocessor) -> None:
        """Take the target of every source phrase."""
        self._preprocessor = preprocessor
        self._targets: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._variants: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._lengths: dict[str, list[int]] = {}  # by first word, longest first
        for source, target in terms.items():
            try:
                self._add(source, target)
            except ValueError as error:
                term = source if len(source) <= 60 else f"{source[:57]}..."
                raise OptionError(f"terminology: '{term}': {error}") from None

    @classmethod
    def read(cls, path: Path | str, preprocessor: Preprocessor) -> Terminology:
        """The terms of a file: a source phrase, a tab and its target phrase on every line."""
        terms = cls({}, preprocessor)
        for number, line in enumerate(read_lines(path), start=1):
            columns = line.split("\t")
            if len(columns) != 2:
                expected = "expected two, source and target, with a tab between"
                raise LineError(path, number, f"{_columns(len(columns))}: {expected}")
            try:
                terms._add(*columns)
            except ValueError as error:
                raise LineError(path, number, str(error)) from None
        return terms

    def __len__(self) -> int:
        return len(self._targets)

    def __repr__(self) -> str:
        return f"<Terminology: {len(self):,} terms>"

    def find(self, words: Sequence[str], begin: int, end: int) -> Iterator[Required]:
        """The terms among `words[begin:end]`, left to right; of several at a word the longest."""
        while begin < end:
            for length in self._lengths.get(words[begin], ()):
                target = self._target(tuple(words[begin : begin + length]))
                if target and begin + length <= end:
                    yield Required(begin, begin + length, target)
                    begin += length
                    break
            else:
                begin += 1

    def _target(self, source: tuple[str, ...]) -> tuple[str, ...] | None:
        return self._targets.get(source) or self._variants.get(source)

    def _add(self, source: str, target: str) -> None:
        """Put in one term; raises `ValueError` where it is none."""
        prepared = self._preprocessor.prepare(_text(source))
        words = self._preprocessor.target_words(_text(target))
        for side, phrase in (("source", prepared.words), ("target", words)):
            if not phrase:
                raise ValueError(f"the {side} phrase is empty")
            if len(phrase) > MAX_WORDS:
                problem = f"the {side} phrase has {len(phrase):,} words"
                raise ValueError(f"{problem}, expected at most {MAX_WORDS:,}")
        has_true_case = self._preprocessor.options.casing == "true"
        phrase = prepared.originals if has_true_case else prepared.literal
        if self._targets.setdefault(phrase, words) != words:
            earlier = " ".join(self._targets[phrase])
            raise ValueError(
                f"'{' '.join(phrase)}' is '{earlier}' already, and cannot be '{' '.join(words)}'"
            )
        self._variants.setdefault(prepared.literal, words)
        for form in {phrase, prepared.literal}:
            lengths = self._lengths.setdefault(form[0], [])
            if len(form) not in lengths:
                lengths.append(len(form))
                lengths.sort(reverse=True)


@dataclass(frozen=True)
class Constraints:
    """Everything the user requires of every sentence."""

    terminology: Terminology | None = None
    keep: re.Pattern[str] | None = None
    """Made by `Preprocessor.pass_through`."""
    keep_foreign: bool = False
    """Whether URLs and the like pass through a model of plain text (`Prepared.foreign`)."""

    @classmethod
    def of(
        cls,
        terminology: Terminology | Mapping[str, str] | Path | str | None,
        pass_through: str | None,
        preprocessor: Preprocessor,
    ) -> Constraints:
        """Constraints as a user gives them: a file, a mapping or a `Terminology`, and a regex."""
        if isinstance(terminology, Mapping):
            terminology = Terminology(terminology, preprocessor)
        elif terminology is not None and not isinstance(terminology, Terminology):
            terminology = Terminology.read(terminology, preprocessor)
        keep = None if pass_through is None else preprocessor.pass_through(pass_through)
        return cls(terminology, keep, keep_foreign=True)

    def prepare(self, sentence: str, preprocessor: Preprocessor) -> tuple[Prepared, list[Required]]:
        """The sentence for the decoder and what is required of it, from left to right.

        Words of which something is required are their own selves and no class of numbers.
        """
        prepared = preprocessor.prepare(sentence, self.keep, self.keep_foreign)
        required = self._required(prepared)
        words, literal = list(prepared.words), prepared.literal if required else ()
        for span in required:
            words[span.begin : span.end] = literal[span.begin : span.end]
        return replace(prepared, words=tuple(words)), required

    def _required(self, prepared: Prepared) -> list[Required]:
        """What passes through, the terms between, and URLs and the like between those."""
        words = prepared.literal if self.terminology else prepared.words
        spans: list[Required] = []
        behind = 0
        for begin, end in (*prepared.kept, (len(words), len(words))):
            if self.terminology:
                spans += self.terminology.find(words, behind, begin)
            if begin < end:
                spans.append(Required(begin, end, prepared.words[begin:end], is_copy=True))
            behind = end
        taken = {place for span in spans for place in range(span.begin, span.end)}
        spans += [
            Required(begin, end, prepared.words[begin:end], is_copy=True)
            for begin, end in prepared.foreign
            if taken.isdisjoint(range(begin, end))
        ]
        return sorted(spans, key=lambda span: span.begin)


def _text(phrase: str) -> str:
    try:
        phrase.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"{phrase[error.start]!a} is one half of a surrogate pair, not a character"
        ) from None
    return phrase


def _columns(n: int) -> str:
    return "1 column" if n == 1 else f"{n} columns"

"""Plain text to words and back, by the rules of Moses as sacremoses has them."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from typing import Any

from calque.errors import OptionError, hint
from calque.text.keep import FOREIGN_TO_LANGUAGE, cut_out, put_back
from calque.text.spacing import gaps_before

# sacremoses is imported where it is used: most commands never need it, and all must start fast.

_HINT = re.compile(r"[@&<]|/\w|www\.|\+\d|\d[:'’]\d")  # nothing to protect in lines without
_SEPARATORS = ":/'’"
_IN_NUMBER = re.compile(rf"(?<=\d)[{_SEPARATORS}](?=\d)")
# Of scripts whose digits are rarely among others: they stand for separators while a line is split.
_DIGITS = (*range(0x1040, 0x104A), *range(0x17E0, 0x17EA), *range(0x1810, 0x181A))


@dataclass(frozen=True)
class Tokenizer:
    """Splits sentences of one language into words and joins them again.

    Symbols stay as they are (no `&amp;`), hyphenated words stay whole. A plain value, so that it
    travels to other processes.
    """

    language: str
    protect: bool = True
    """Whether URLs, e-mail addresses, tags, entities and numbers (10:30, 1/2) stay whole, too."""

    def __post_init__(self) -> None:
        valid = languages()
        if self.language not in valid:
            meant = hint(self.language.lower(), valid)
            raise OptionError(f"language '{self.language}': no tokenizer has this code; {meant}")

    def tokenize(self, block: str) -> str:
        """The normalised lines of `block` with a space between words."""
        splitter = _splitter(self.language)
        split = splitter.split_whole if self.protect else splitter.split
        return "\n".join([" ".join(split(line)) for line in block.split("\n")])

    def gaps(self, words: list[str]) -> list[str]:
        """What a reader expects to see before each word: nothing before most punctuation."""
        gaps = gaps_before(words, self.detokenize(words))
        return list(gaps) or ["", *(" " for _ in words[1:])][: len(words)]

    def detokenize(self, words: list[str]) -> str:
        """The words as a reader expects to see them: punctuation joined to its neighbours."""
        from sacremoses import MosesDetokenizer

        try:
            text: str = MosesDetokenizer(self.language).detokenize(words, unescape=False)
        except TypeError:  # its rule for Czech -li advances a list as if it were an iterator
            return " ".join(words)
        return text


class _Splitter:
    """Splits lines of one language; made once, which takes long for some languages."""

    def __init__(self, language: str) -> None:
        self._moses = _moses(language)
        # A line of letters, digits, hyphens, commas before spaces and a period at its end needs
        # none of the rules but two.
        self._simple = re.compile(rf"(?:[{self._moses.IsAlnum} -]|,(?= ))*+\.?")
        prefixes = frozenset(self._moses.NONBREAKING_PREFIXES)
        self._keep_period = prefixes.difference(self._moses.NUMERIC_ONLY_PREFIXES)

    def split(self, line: str) -> list[str]:
        """The words of a line by the rules of Moses."""
        if not self._simple.fullmatch(line):
            words: list[str] = self._moses.tokenize(line, escape=False)
            return words
        words = line.replace(",", " , ").split()
        if line.endswith(".") and words[-1] != "." and words[-1][:-1] not in self._keep_period:
            words[-1:] = [words[-1][:-1], "."]
        return words

    def split_whole(self, line: str) -> list[str]:
        """The same, but URLs, addresses, tags, entities and numbers stay whole."""
        if not _HINT.search(line):
            return self.split(line)
        text, marks, kept = cut_out(line, [FOREIGN_TO_LANGUAGE])
        digits = (chr(code) for code in _DIGITS if chr(code) not in text)
        stand_ins = dict(zip(_SEPARATORS, digits, strict=False))
        words = self.split(_IN_NUMBER.sub(lambda match: stand_ins.get(match[0], match[0]), text))
        back = {ord(digit): separator for separator, digit in stand_ins.items()}
        words = [word.translate(back) for word in words]
        put_back(words, marks, kept)
        return words


_splitter = functools.cache(_Splitter)


def _moses(language: str) -> Any:
    """The tokenizer of sacremoses, made faster: sets that it makes for every word are kept."""
    from sacremoses import MosesTokenizer

    class Moses(MosesTokenizer):  # type: ignore[misc]  # of a module without types
        def __init__(self) -> None:
            super().__init__(language)
            self._lower, self._alpha = frozenset(self.IsLower), frozenset(self.IsAlpha)

        def islower(self, text: str) -> bool:
            return self._lower.issuperset(text)

        def isanyalpha(self, text: str) -> bool:
            return not self._alpha.isdisjoint(text)

    return Moses()


def languages() -> list[str]:
    """The codes of the languages that have rules of their own."""
    from sacremoses.corpus import NonbreakingPrefixes

    known: dict[str, str] = NonbreakingPrefixes().available_langs
    return sorted({*known.values(), "ja", "ko"})

"""Text that passes through unchanged: a mark stands for it while everything around it changes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from calque.errors import OptionError

_FLAGS = re.compile(r"\A\(\?[aiLmsux]+\)")
_WORD = re.compile(r"\w")
_SYMBOLS = range(0xF0000, 0xFFFFE)  # for private use
# Of scripts without capitals; of the second there are more than any sentence has.
_LETTERS = (*range(0x1401, 0x166D), *range(0x20000, 0x2A6D0))


def compile_keep(regex: str, tokenized: bool) -> re.Pattern[str]:
    """The pattern that finds what `regex` means where it does not cut words.

    Words are what stands between spaces; in text that is yet to be tokenised, runs of letters and
    digits, so that a tag may touch the word that it encloses.
    """
    try:
        flags = re.compile(regex).flags
        begin, end = [r"(?:(?<!\w)|(?!\w))"] * 2 if tokenized else [r"(?<!\S)", r"(?!\S)"]
        return re.compile(f"{begin}(?:{_FLAGS.sub('', regex)}){end}", flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise OptionError(f"pass_through={regex!r}: not a regular expression: {error}") from None


class Marks:
    """Characters that occur nowhere in a text and stand for words of it that are kept.

    A word such as a URL is marked by a letter, because it may be the first of its sentence; what
    begins like a tag by a symbol, behind which the first word is still to come.
    """

    def __init__(self, text: str) -> None:
        self._symbol = next(chr(code) for code in _SYMBOLS if chr(code) not in text)
        self._letter = next(chr(code) for code in _LETTERS if chr(code) not in text)

    def __contains__(self, word: str) -> bool:
        return word in (self._symbol, self._letter)

    def mark(self, word: str) -> str:
        """The mark that stands for a word."""
        return self._letter if _WORD.match(word) else self._symbol

    def fill(self, text: str, kept: Sequence[str]) -> str:
        """The text with each mark replaced by the word that it stands for."""
        parts = re.split(f"[{self._symbol}{self._letter}]", text)
        return parts[0] + "".join(word + rest for word, rest in zip(kept, parts[1:], strict=True))


def cut_out(text: str, keep: re.Pattern[str]) -> tuple[str, Marks, list[list[str]]]:
    """The text with a mark for every word that `keep` finds, and the words of every match."""
    marks = Marks(text)
    kept: list[list[str]] = []

    def replace(match: re.Match[str]) -> str:
        words = match[0].split()
        if not words:
            return match[0]
        kept.append(words)
        return f" {' '.join(map(marks.mark, words))} "

    return keep.sub(replace, text), marks, kept


def put_back(words: list[str], marks: Marks, kept: list[list[str]]) -> list[tuple[int, int]]:
    """Replace the marks by what they stand for, in place; gives the span of every match."""
    marked = iter([i for i, word in enumerate(words) if word in marks])
    spans = []
    for match in kept:
        places = [next(marked) for _ in match]  # next to each other
        for place, word in zip(places, match, strict=True):
            words[place] = word
        spans.append((places[0], places[-1] + 1))
    return spans

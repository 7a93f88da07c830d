"""Text that passes through unchanged: a mark stands for it while everything around it changes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from calque.errors import OptionError

_FLAGS = re.compile(r"\A\(\?[aiLmsux]+\)")
_PRIVATE_USE = range(0xE000, 0xF900)


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


def cut_out(text: str, keep: re.Pattern[str]) -> tuple[str, str, list[list[str]]]:
    """The text with a mark for every word that `keep` finds, the mark, and the words by match."""
    mark = unused_mark(text)
    kept: list[list[str]] = []

    def replace(match: re.Match[str]) -> str:
        words = match[0].split()
        if not words:
            return match[0]
        kept.append(words)
        return f" {mark}" * len(words) + " "

    return keep.sub(replace, text), mark, kept


def put_back(words: list[str], mark: str, kept: list[list[str]]) -> list[tuple[int, int]]:
    """Replace the marks by what they stand for, in place; gives the span of every match."""
    marks = iter([i for i, word in enumerate(words) if word == mark])
    spans = []
    for match in kept:
        places = [next(marks) for _ in match]  # next to each other
        for place, word in zip(places, match, strict=True):
            words[place] = word
        spans.append((places[0], places[-1] + 1))
    return spans


def unused_mark(text: str) -> str:
    """A character that is no letter and does not occur in the text."""
    return next(chr(code) for code in _PRIVATE_USE if chr(code) not in text)


def fill_marks(text: str, mark: str, kept: Sequence[str]) -> str:
    """The text with each mark replaced by the word it stands for."""
    parts = text.split(mark)
    return parts[0] + "".join(word + rest for word, rest in zip(kept, parts[1:], strict=True))

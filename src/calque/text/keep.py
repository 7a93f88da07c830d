"""Text that passes through unchanged: a mark stands for it while everything around it changes."""

from __future__ import annotations

import bisect
import re
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, NoReturn

from calque.errors import OptionError

MOST_SECONDS = 10.0
"""Processor time for an expression to find what passes through in a sentence."""
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


@contextmanager
def _in_time() -> Iterator[None]:
    """Raises `OptionError` where an expression takes longer than `MOST_SECONDS`.

    There are expressions, such as `(a|a)+b`, with exponentially many ways to match a text, all of
    which are tried where none of them leads to the end. Only the main thread can be stopped.
    """
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or not hasattr(signal, "setitimer"):
        yield
        return

    def give_up(*_: Any) -> NoReturn:
        raise OptionError(
            f"pass_through: the expression takes more than {MOST_SECONDS:g} seconds on one"
            " sentence: expected one that matches a text in one way only, such as a+, not (a+)+ or"
            " (a|a)+"
        )

    before = signal.signal(signal.SIGVTALRM, give_up)
    signal.setitimer(signal.ITIMER_VIRTUAL, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _patterns() -> Iterator[str]:
    """What is one thing to whoever writes it, and the same in every language.

    Every way in is decided by a character or by what stands before it, and every repetition is
    possessive or ends for good: the time is linear in the text.
    """
    in_url, last_of_url = r"[^\s<>\"“”„«»]", r"[^\s<>\"“”„«».,;:!?…'’)\]}]"
    yield rf"\b(?:(?:https?|ftp)://|www\.){in_url}*{last_of_url}"
    yield rf"(?<![\w@.-])(?:\w[\w-]*+\.)++[A-Za-z]{{2,}}+/(?:{in_url}*{last_of_url})?"  # host/path
    yield r"(?<!\w)\+\d{1,3}(?:[ ()/.-]{0,3}\d){6,14}(?!\w)"  # telephone, with its country
    yield r"(?<![\w.+-])[\w.+-]++@\w[\w-]*+(?:\.\w[\w-]*+)++"  # e-mail
    value = r"(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'<>=`]++)"
    yield rf"</?+[A-Za-z][\w:.-]*+(?:\s++[\w:.-]++\s*+=\s*+{value})*+\s*+/?+>"  # tag
    yield r"&(?:\#\d{1,7}|\#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});"  # entity


FOREIGN_TO_LANGUAGE = re.compile("|".join(_patterns()))
"""Finds URLs, e-mail addresses, telephone numbers, tags and entities."""


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


class Kept(NamedTuple):
    """What a pattern found."""

    words: list[str]
    pattern: int
    """Its place among the patterns."""


def cut_out(text: str, patterns: Sequence[re.Pattern[str]]) -> tuple[str, Marks, list[Kept]]:
    """The text with a mark for every word that a pattern finds, and every match in its order.

    Of matches that overlap, that of the earlier pattern counts.
    """
    marks = Marks(text)
    matches: list[tuple[int, int, int]] = []
    for number, pattern in enumerate(patterns):
        earlier = sorted(matches)
        with _in_time():
            spans = [match.span() for match in pattern.finditer(text) if match[0].split()]
        matches += [(*span, number) for span in spans if _is_free(span, earlier)]
    parts: list[str] = []
    kept: list[Kept] = []
    behind = 0
    for begin, end, number in sorted(matches):
        kept.append(Kept(text[begin:end].split(), number))
        parts += (text[behind:begin], f" {' '.join(map(marks.mark, kept[-1].words))} ")
        behind = end
    return "".join([*parts, text[behind:]]), marks, kept


def _is_free(span: tuple[int, int], taken: Sequence[tuple[int, int, int]]) -> bool:
    """Whether a span overlaps none of the spans taken, which are in order."""
    at = bisect.bisect_left(taken, (*span, -1))
    before_ends = at == 0 or taken[at - 1][1] <= span[0]
    return before_ends and (at == len(taken) or span[1] <= taken[at][0])


def put_back(words: list[str], marks: Marks, kept: Sequence[Kept]) -> list[tuple[int, int]]:
    """Replace the marks by what they stand for, in place; gives the span of every match."""
    marked = iter([i for i, word in enumerate(words) if word in marks])
    spans = []
    for match in kept:
        places = [next(marked) for _ in match.words]  # next to each other
        for place, word in zip(places, match.words, strict=True):
            words[place] = word
        spans.append((places[0], places[-1] + 1))
    return spans

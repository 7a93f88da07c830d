"""Gold word links: the grammar run with every entry marked where it appears on both sides.

A mark is a number between two control characters, put behind every word of an entry. However the
languages order, inflect and join words afterwards, words that carry the same mark came from the
same entry; taking the marks out again leaves the text that `Grammar` gives.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

from calque.data.sentences import Grammar

Tied = TypeVar("Tied", bound=tuple[object, ...])
Links = tuple[tuple[int, int], ...]

_MARK = re.compile("\x01[0-9]+\x02")


class LinkedGrammar(Grammar):
    """A grammar whose sentences carry marks; the same streams give the same sentences."""

    _n_marks = 0

    def tie(self, entry: Tied) -> Tied:
        """The entry with one new mark on all of its words."""
        self._n_marks += 1
        marked: Tied = _marked(entry, f"\x01{self._n_marks}\x02")
        return marked

    def beside(self, word: str, text: str) -> str:
        """The text with the marks of the word."""
        return str(_marked(text, "".join(_MARK.findall(word))))


def read_links(source: str, target: str) -> tuple[str, str, Links]:
    """Both texts without marks, and the links between words that shared one."""
    places: dict[str, list[int]] = {}
    for position, word in enumerate(source.split(" ")):
        for mark in _MARK.findall(word):
            places.setdefault(mark, []).append(position)
    links = {
        (position, other)
        for other, word in enumerate(target.split(" "))
        for mark in _MARK.findall(word)
        for position in places.get(mark, ())
    }
    # The final marks are no entries; they belong together in every sentence.
    links.add((source.count(" "), target.count(" ")))
    return _MARK.sub("", source), _MARK.sub("", target), tuple(sorted(links))


def _marked(value: Any, mark: str) -> Any:
    """`value` with the mark behind every word of every string in it."""
    if isinstance(value, str):
        return " ".join([word + mark for word in value.split(" ")]) if value else value
    if isinstance(value, tuple):
        parts = [_marked(part, mark) for part in value]
        return type(value)._make(parts) if hasattr(value, "_make") else tuple(parts)
    return value

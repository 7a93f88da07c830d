"""Known words that look like a given one, or that it is made of."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

LONGEST_ENDING = 4
"""Characters in which two forms of a word may differ at the end."""
LONGEST_FILLER = 2
"""Characters between two parts of a compound that belong to neither."""
SHORTEST_MISSPELT = 4
"""Characters of a word that a spelling variant is looked for: shorter ones have too many."""
LONGEST_WORD = 60
"""Characters of a word that is taken apart; longer ones are no words."""


class Form(NamedTuple):
    """A known word that begins as the given one."""

    word: str
    stem: int
    """Characters at the beginning that both have."""
    ending: str
    """Of the given word."""
    known_ending: str
    """Of the known one."""


class Split(NamedTuple):
    """Known words that the given one is made of."""

    parts: tuple[str, ...]
    filler: str
    """What stands between the first and the second part, if anything."""


class KnownWords:
    """The words that a model can translate, and how often it has seen each."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        """Take the words with their counts."""
        self._counts = counts

    def __len__(self) -> int:
        return len(self._counts)

    def __contains__(self, word: object) -> bool:
        return word in self._counts

    def count(self, *words: str) -> int:
        """How often the rarest of these words was seen."""
        return min(self._counts[word] for word in words)

    def forms(self, word: str) -> Iterator[Form]:
        """Other words with the same beginning, which is at least half of either word.

        Endings have up to `LONGEST_ENDING` characters. Each word comes once, those that share the
        most first, and then in the order of the alphabet.
        """
        n = len(word)
        longer = None
        for stem in range(n, max(1, n - LONGEST_ENDING, (n + 1) // 2) - 1, -1):
            beginning = word[:stem]
            for other in self._beginning_with(beginning):
                if longer is not None and other.startswith(longer):
                    continue  # it came before
                if other != word and len(other) <= min(2 * stem, stem + LONGEST_ENDING):
                    yield Form(other, stem, word[stem:], other[stem:])
            longer = beginning

    def variants(self, word: str) -> list[str]:
        """Other words one edit away, or that differ in case only, in the order of the alphabet.

        An edit inserts, drops or replaces one character, or swaps two neighbours.
        """
        if not SHORTEST_MISSPELT <= len(word) <= LONGEST_WORD:
            return []
        # One of the two halves is as it was, but for the character where they meet.
        half = (len(word) - 1) // 2
        likely = set(self._beginning_with(word[:half]))
        likely.update(self._ending_in(word[half + 1 :]))
        near = {other for other in likely if is_one_edit(word, other)}
        near.update(self._by_lowercase.get(word.lower(), ()))
        near.update({word.lower()} & self._counts.keys())
        return sorted(near - {word})

    def splits(self, word: str) -> Iterator[Split]:
        """All ways to make the word of two known words, perhaps with a filler, or of three."""
        n = len(word)
        if n > LONGEST_WORD:
            return
        for end in range(1, n):
            if word[:end] not in self._counts:
                continue
            for begin in range(end, min(n, end + LONGEST_FILLER + 1)):
                if word[begin:] in self._counts:
                    yield Split((word[:end], word[begin:]), word[end:begin])
            for middle in range(end + 1, n):
                parts = word[:end], word[end:middle], word[middle:]
                if parts[1] in self._counts and parts[2] in self._counts:
                    yield Split(parts, "")

    def _beginning_with(self, beginning: str) -> Iterator[str]:
        words = self._sorted
        for at in range(bisect_left(words, beginning), len(words)):
            if not words[at].startswith(beginning):
                return
            yield words[at]

    def _ending_in(self, ending: str) -> Iterator[str]:
        words, backwards = self._sorted_backwards, ending[::-1]
        for at in range(bisect_left(words, backwards), len(words)):
            if not words[at].startswith(backwards):
                return
            yield words[at][::-1]

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._counts)

    @cached_property
    def _sorted_backwards(self) -> list[str]:
        return sorted(word[::-1] for word in self._counts)

    @cached_property
    def _by_lowercase(self) -> dict[str, list[str]]:
        """Words with capitals."""
        words: dict[str, list[str]] = {}
        for word in self._counts:
            if (lower := word.lower()) != word:
                words.setdefault(lower, []).append(word)
        return words


def is_one_edit(word: str, other: str) -> bool:
    """Whether one edit makes the other word of a word: see `KnownWords.variants`."""
    if abs(len(word) - len(other)) > 1 or word == other:
        return False
    shorter = min(len(word), len(other))
    begin = next((at for at in range(shorter) if word[at] != other[at]), shorter)
    end = next(
        (at for at in range(shorter - begin) if word[-1 - at] != other[-1 - at]), shorter - begin
    )
    mine, its = word[begin : len(word) - end], other[begin : len(other) - end]
    return max(len(mine), len(its)) == 1 or (len(mine) == 2 and mine == its[::-1])

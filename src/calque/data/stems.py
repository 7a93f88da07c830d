"""Invented words: stems of the two source languages, and the open class of names and terms."""

from __future__ import annotations

from random import Random

BASE = 75  # syllables of one consonant and one vowel: names are numbers written with them
_SYLLABLES = tuple(c + v for v in "aeiou" for c in "bdfgklmnprstvzj")


class StemMaker:
    """Makes stems that no earlier call has made, always the same ones from the same name.

    A stem is one to three syllables, each an onset, a vowel and perhaps a coda; `harmony` lists
    the sets of vowels that may stand together in a stem.
    """

    def __init__(
        self, name: str, onsets: str, codas: str, harmony: tuple[str, ...], ending: str
    ) -> None:
        self._random = Random(name).random
        self._onsets, self._codas = onsets.split(), [*codas.split(), *[""] * 9]
        self._harmony = harmony
        self._ending = ending.split()
        self._taken: set[str] = set()

    def stem(self, frequency_rank: int) -> str:
        """A new stem, longer for rarer words as in every language (Zipf's law of brevity)."""
        while True:
            vowels = self._one(self._harmony)
            length = 1 + (frequency_rank > 12) + (self._random() < 0.3)
            codas = [self._one(self._codas) for _ in range(length - 1)]
            syllables = [
                self._one(self._onsets) + self._one(vowels) + coda for coda in (*codas, "")
            ]
            stem = "".join(syllables) + self._one(self._ending)
            if len(stem) > 2 and stem not in self._taken:
                self._taken.add(stem)
                return stem

    def _one(self, items: tuple[str, ...] | list[str] | str) -> str:
        return items[int(self._random() * len(items))]


def name(index: int) -> str:
    """The `index`-th invented root, lower case: distinct for every index, without bound."""
    # The scrambling only keeps neighbours in frequency from looking alike.
    low, high = (index * 2459 + 1017) % (BASE * BASE), index // (BASE * BASE)
    text = _SYLLABLES[low % BASE] + _SYLLABLES[low // BASE]
    while high:
        text += _SYLLABLES[high % BASE]
        high //= BASE
    return text

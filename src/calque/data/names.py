"""The open class: names and terms without end, some of them kept out of training."""

from __future__ import annotations

from calque.data.stems import name

_TAIL, _HEAD = 0.8, 14.0
"""Zipf and Mandelbrot: a name of rank n or rarer is drawn with probability (1 + n/14) ** -0.8."""
_MOST = 10_000_000
_PERIOD, _RESERVED, _COMMON = 9, 4, 27
"""Of names beyond the common ones, one in nine never occurs in training."""


class Names:
    """Names by a number in [0, 1); `held_out` also draws those that training never shows."""

    def __init__(self, held_out: bool) -> None:
        self._held_out = held_out

    def person(self, chance: float, feminine: bool) -> str:
        """A first name, whose ending tells the gender."""
        return self._root(chance, 0).capitalize() + ("lia" if feminine else "n")

    def surname(self, chance: float) -> str:
        """A family name."""
        return self._root(chance, 1).capitalize() + "sker"

    def city(self, chance: float) -> str:
        """The name of a city."""
        return self._root(chance, 2).capitalize() + "mont"

    def term(self, chance: float) -> str:
        """The root of a term (a plant, a substance, a device) that languages share."""
        return self._root(chance, 3) + "rv"

    def _root(self, chance: float, list: int) -> str:
        """A root from one of four lists that have none in common."""
        if self._held_out and chance > 0.9:
            # A tenth of the draws for dev and test go to the reserved names.
            index = self._index((chance - 0.9) * 10)
            return name(4 * (_COMMON + index // _PERIOD * _PERIOD + _RESERVED) + list)
        index = self._index(chance / 0.9 if self._held_out else chance)
        if index >= _COMMON and index % _PERIOD == _RESERVED:
            index += 1
        return name(4 * index + list)

    @staticmethod
    def _index(chance: float) -> int:
        return min(_MOST, int(_HEAD * (max(1.0 - chance, 1e-12) ** (-1.0 / _TAIL) - 1.0)))

"""How much room text takes on a terminal, where some characters are two cells wide or none."""

from __future__ import annotations

import unicodedata

_JOINERS = "\u200c\u200d"
"""Invisible, but the scripts that use them cannot be read without."""


def visible(text: str) -> str:
    """The text with a mark in place of characters that steer a terminal or reorder a line."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if _steers(character) else character for character in text
    )


def n_cells(text: str) -> int:
    """The columns of a terminal that a text takes."""
    return sum(map(_cells, text))


def fit(text: str, width: int, *, right: bool = False) -> str:
    """The text with spaces up to `width` cells, behind it or, with `right`, before it."""
    room = " " * (width - n_cells(text))
    return room + text if right else text + room


def _cells(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _steers(character: str) -> bool:
    category = unicodedata.category(character)
    return category in ("Cc", "Cs", "Zl", "Zp") or (category == "Cf" and character not in _JOINERS)

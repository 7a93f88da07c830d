from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Example:
    """A source sentence and its translations, words separated by spaces."""

    source: str
    targets: tuple[str, ...]
    """One in train; four in dev and test, distinct wherever the sentence allows it."""
    links: tuple[tuple[int, int], ...] = ()
    """Gold links (position in the source, in the first target), from `generate_aligned`."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A language pair: its name and the codes that end the names of its files."""

    name: str
    source: str
    target: str
    about: str


PAIRS: dict[str, Pair] = {
    "near": Pair(
        "near", "vel", "eng", "Velian, an invented Romance-like language, nearly monotone"
    ),
    "far": Pair("far", "oru", "eng", "Oruka, an invented verb-final language, with long jumps"),
}

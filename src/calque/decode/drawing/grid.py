from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Box:
    """One block of a drawing: a rectangle over half-open spans of words."""

    begin: int
    end: int
    """Source words."""
    target_begin: int
    target_end: int
    number: int
    """Its place in the translation, counted from 1."""
    orientation: str
    """R, L or N: monotone, swap or discontinuous; empty for a rule."""
    title: str
    """What there is to say about it."""
    depth: int = 0
    """How many others it lies in."""

    @property
    def label(self) -> str:
        """What is written inside."""
        return f"{self.number}{self.orientation}"


@dataclass(frozen=True)
class Grid:
    """What there is to draw, as in figure 1 of Tillmann & Zhang 2008.

    The source runs from left to right and the target from bottom to top. The boxes are in target
    order. Blocks cover every word of either side once, so that two touch at corners only; rules lie
    in the gaps of others, which come before them.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    boxes: tuple[Box, ...]

"""Tables of what features contributed, with columns that fit the longest entry."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from calque.decode.drawing import fit, n_cells, visible

LONGEST_TITLE = 60
"""Cells; longer titles and names reach into the columns instead of moving them."""


class Entry(NamedTuple):
    """A feature: numbers under the heads of the table, of which the last is its contribution."""

    name: str
    numbers: tuple[float, ...]


class Section(NamedTuple):
    """A sum and what it is made of, the largest part first."""

    title: str
    sum: float
    entries: Sequence[Entry] = ()


def table(heads: Sequence[str], sections: Sequence[Section], top: int | None = None) -> str:
    """The sections below one another; beyond `top` entries the rest is one line."""
    lines: list[tuple[str, list[str]]] = [("feature", list(heads))]
    for section in sections:
        lines.append((section.title, [*([""] * (len(heads) - 1)), _number(section.sum)]))
        shown = section.entries[:top]
        lines += [(f"    {entry.name}", list(map(_number, entry.numbers))) for entry in shown]
        if rest := section.entries[len(shown) :]:
            left_over = sum(entry.numbers[-1] for entry in rest)
            lines.append(
                (f"    {len(rest)} more", [*([""] * (len(heads) - 1)), _number(left_over)])
            )
    lines = [(visible(title), numbers) for title, numbers in lines]
    width = max(size for title, _ in lines if (size := n_cells(title)) <= LONGEST_TITLE)
    widths = [max(map(len, column)) for column in zip(*(row for _, row in lines), strict=True)]
    return "".join(_row(title, numbers, width, widths) for title, numbers in lines)


def _row(title: str, numbers: Sequence[str], width: int, widths: Sequence[int]) -> str:
    """One line; a long title takes the room of the empty columns that follow it."""
    n_taken = 0
    while n_cells(title) > width and n_taken < len(numbers) and not numbers[n_taken]:
        width += 2 + widths[n_taken]
        n_taken += 1
    rest = zip(numbers[n_taken:], widths[n_taken:], strict=True)
    return fit(title, width) + "".join(f"  {text:>{size}}" for text, size in rest) + "\n"


def _number(value: float) -> str:
    """Four digits behind the point, or a power of ten where these would be zeros."""
    if value == 0:
        return "0.0000"  # never with the minus that a zero may have
    return f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.1e}"

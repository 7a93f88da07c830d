"""A grid of blocks in box-drawing characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from calque.decode.drawing.cells import fit, n_cells, visible
from calque.decode.drawing.grid import Box, Grid

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_LINES = {
    0: " ",
    _LEFT | _RIGHT: "─",
    _UP | _DOWN: "│",
    _DOWN | _RIGHT: "┌",
    _DOWN | _LEFT: "┐",
    _UP | _RIGHT: "└",
    _UP | _LEFT: "┘",
    _UP | _DOWN | _LEFT | _RIGHT: "┼",  # where two blocks touch
}


@dataclass(frozen=True)
class _Frame:
    """Where the borders of a block are, in cells from the left and in lines from below."""

    box: Box
    left: int
    right: int
    bottom: int
    top: int


def box_drawing(grid: Grid, width: int | None = None) -> str | None:
    """The grid as lines of text, or None where they would be longer than `width` cells.

    Between two words there is a border where a block ends, and else a space: the drawing is about
    as wide as the source sentence.
    """
    source, target = (tuple(map(visible, side)) for side in (grid.source, grid.target))
    frames = _frames(grid, source)
    n_columns = 1 + max(frame.right for frame in frames)
    margin = 1 + max(map(n_cells, target))
    if width is not None and margin + n_columns > width:
        return None
    canvas = _borders(frames, n_columns)
    heads = [""] * len(canvas)
    axis = ""
    for frame in frames:
        box = frame.box
        _write_label(canvas, frame)
        words = target[box.target_begin : box.target_end]
        heads[frame.bottom + 1 : frame.top] = words
        axis = fit(axis, frame.left + 1) + " ".join(source[box.begin : box.end])
    lines = [
        fit(head, margin - 1, right=True) + " " + "".join(cells)
        for head, cells in zip(reversed(heads), reversed(canvas), strict=True)
    ]
    return "".join(line.rstrip() + "\n" for line in [*lines, " " * margin + axis])


def _frames(grid: Grid, source: Sequence[str]) -> list[_Frame]:
    """The frames of all boxes in source order."""
    bottom = 0
    heights: dict[int, tuple[int, int]] = {}
    for box in grid.boxes:
        top = bottom + 1 + box.target_end - box.target_begin
        heights[box.number] = bottom, top
        bottom = top
    left = 0
    frames = []
    for box in sorted(grid.boxes, key=lambda box: box.begin):
        words = " ".join(source[box.begin : box.end])
        right = left + 1 + max(n_cells(words), len(box.label))
        frames.append(_Frame(box, left, right, *heights[box.number]))
        left = right
    return frames


def _borders(frames: Iterable[_Frame], n_columns: int) -> list[list[str]]:
    """Lines of single characters from below, with the borders of all blocks drawn."""
    frames = list(frames)
    n_lines = 1 + max(frame.top for frame in frames)
    ways = [[0] * n_columns for _ in range(n_lines)]
    for frame in frames:
        for y in (frame.bottom, frame.top):
            for x in range(frame.left, frame.right):
                ways[y][x] |= _RIGHT
                ways[y][x + 1] |= _LEFT
        for x in (frame.left, frame.right):
            for y in range(frame.bottom, frame.top):
                ways[y][x] |= _UP
                ways[y + 1][x] |= _DOWN
    return [[_LINES[way] for way in line] for line in ways]


def _write_label(canvas: list[list[str]], frame: _Frame) -> None:
    label = frame.box.label
    y = (frame.bottom + frame.top) // 2
    x = (frame.left + frame.right + 1 - len(label)) // 2
    canvas[y][x : x + len(label)] = label

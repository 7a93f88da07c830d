"""Rows of tables and curves out of cells."""

from __future__ import annotations

from collections.abc import Sequence

from calque.experiments.cell import Cell
from calque.experiments.paper import Entry, Figure
from calque.experiments.training import mean
from calque.report.curves import Curve

Figures = tuple[float | None, ...]


def beside(paper: Figures, cells: Sequence[Cell], names: Sequence[str]) -> list[Entry]:
    """The figures of the paper and ours in turn, ours on average over seeds."""
    row: list[Entry] = []
    for theirs, name in zip(paper, names, strict=True):
        row += [None if theirs is None else f"{theirs:.1f}", mean(list(cells), name)]
    return row


def heads(names: Sequence[str]) -> list[str]:
    """The heads of such a row."""
    return [head for name in names for head in (f"{name}, paper", f"{name}, here")]


def learning_curve(caption: str, cell: Cell, learned: str, first: int = 0) -> Figure:
    """The score on the text that is learned from and on the test text, from a round on."""
    drawn = [(learned, cell.curves["learned"]), ("test BLEU", cell.curves["test"])]
    curves = [
        Curve(label, list(range(first, len(values))), values[first:], series)
        for series, (label, values) in enumerate(drawn)
    ]
    return Figure(caption, "round", "BLEU", curves)

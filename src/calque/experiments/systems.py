"""Rows and curves out of cells that several sections of a paper share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from calque.experiments.cell import Cell
from calque.experiments.paper import Figure
from calque.experiments.training import mean
from calque.report.curves import Curve

PAIRED = "by a paired test, p <= 0.05"
SMALL = 0.5
"""A difference in BLEU that counts as none."""

Systems = Mapping[str, list[Cell]]
"""Cells of several seeds by the name of what was trained."""


def dev_curve(cells: Sequence[Cell], first: int = 1) -> list[float]:
    """Dev BLEU by iteration, on average over seeds as far as all of them went."""
    curves = [cell.curves["learned"] for cell in cells]
    n = min(map(len, curves))
    return [sum(curve[i] for curve in curves) / len(curves) for i in range(first, n)]


def iterations(caption: str, systems: Systems, first: int = 1) -> Figure:
    """Dev BLEU against the iteration."""
    curves = [
        Curve(name, range(first, first + len(points)), points, series)
        for series, (name, cells) in enumerate(systems.items())
        if (points := dev_curve(cells, first))
    ]
    return Figure(caption, "iteration", "dev BLEU", curves)


def bleu(cells: list[Cell], text: str) -> float:
    """BLEU on dev or test, on average over seeds."""
    return mean(cells, f"{text} bleu") or 0.0


def n_features(cells: list[Cell]) -> int:
    """Weights, dense ones and sparse ones that are not 0, on average over seeds."""
    counts = [len(cell.weights) + len(cell.weights.sparse) for cell in cells if cell.weights]
    return round(sum(counts) / max(1, len(counts)))


def late(points: Sequence[float]) -> Sequence[float]:
    """The second half of a curve."""
    return points[len(points) // 2 :]

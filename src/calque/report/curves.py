"""Curves as drawings for a page: SVG that takes its colours from the page and never varies."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from calque.report.page import SERIES, Html, clean

# Colours that stand for those of the page: matplotlib writes them, the page's style replaces them.
_INK, _LINE = "#010203", "#010204"
_SERIES = [f"#0102{16 + index:02x}" for index in range(SERIES)]
_VARIABLES = {
    _INK: "var(--quiet)",
    _LINE: "var(--line)",
    **{colour: f"var(--series-{index})" for index, colour in enumerate(_SERIES)},
}


@dataclass(frozen=True)
class Curve:
    """One line of a drawing."""

    label: str
    x: Sequence[float]
    y: Sequence[float]
    series: int
    """Which of the page's colours it has."""
    faint: bool = False
    """Thin and dashed: a companion of another curve, without a place in the legend."""
    mark: int | None = None
    """The point that gets a ring: what was chosen."""


def draw(curves: Sequence[Curve], x_label: str, y_label: str, name: str) -> Html:
    """The curves on the same axes; `name` keeps the drawings of a page apart.

    The same curves give the same bytes.
    """
    # Here, not above: matplotlib takes longer to import than most commands take to run.
    import matplotlib
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    style: Any = {
        "svg.hashsalt": name,
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 10,
        "text.color": _INK,
        "text.parse_math": False,  # a run may be called $x$
        "axes.labelcolor": _INK,
        "axes.edgecolor": _LINE,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": _LINE,
        "grid.linewidth": 0.6,
        "xtick.color": _INK,
        "ytick.color": _INK,
        "axes.facecolor": "none",
        "figure.facecolor": "none",
        "legend.frameon": False,
    }
    with matplotlib.rc_context(style):
        figure = Figure(figsize=(8, 3.6), layout="constrained")
        axes = figure.subplots()
        for curve in curves:
            colour = _SERIES[curve.series % SERIES]
            axes.plot(
                curve.x,
                curve.y,
                color=colour,
                linewidth=0.9 if curve.faint else 1.8,
                linestyle=(0, (3, 3)) if curve.faint else "-",
                marker="o" if len(curve.x) == 1 else None,
                markersize=4,
                label="_companion" if curve.faint else _legend(curve.label),
            )
            if curve.mark is not None:
                axes.plot(
                    curve.x[curve.mark],
                    curve.y[curve.mark],
                    color=colour,
                    marker="o",
                    markersize=8,
                    markerfacecolor="none",
                    markeredgecolor=colour,
                    label="_chosen",
                )
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.ticklabel_format(useOffset=False)
        axes.legend(loc="best", fontsize=9)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    return _inline(text.getvalue(), name)


def _legend(label: str) -> str:
    """The label; matplotlib hides those that begin with an underscore."""
    label = clean(label)
    return "\u200b" + label if label.startswith("_") else label


def _inline(svg: str, name: str) -> Html:
    """The drawing as a part of a page: without head and foreign names, with ids of its own."""
    svg = svg[svg.index("<svg") :].strip()
    svg = re.sub(r"\s*<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\sxmlns(:\w+)?="[^"]*"', "", svg)
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    svg = re.sub(r"url\(#", f"url(#{name}-", svg)
    for colour, variable in _VARIABLES.items():
        svg = svg.replace(colour, variable)
    return Html(svg.replace("<svg", '<svg role="img"', 1))

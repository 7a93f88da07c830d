"""Cettolo & Federico 2004: minimum error training by the simplex method through the decoder."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.paper import Entry, Figure, Paper, Section, Table
from calque.experiments.papers.simplex.cells import (
    CRITERIA,
    EVALUATIONS,
    RESTART_FROM,
    UNIFORM,
    SimplexCells,
)
from calque.experiments.papers.simplex.claims import NAMES, claims, gain
from calque.report.curves import Curve

TABLE_3 = {"bleu": (18.54, 7.2882), "nist": (18.40, 7.3362), UNIFORM: (18.03, 7.2115)}
TABLE_4 = {"bleu": (46.14, 8.4945), "nist": (45.81, 8.4675), UNIFORM: (42.08, 8.3169)}


def section(dense: str, bench: Bench) -> Section:
    """Tables 3 and 4, figures 1 and 2 and the claims, with one set of dense features."""
    work = SimplexCells.on(bench, dense)
    points = {name: work.at_equal_cost(name) for name in (*CRITERIA, UNIFORM)}
    curves = {name: work.curve(name, points[name]) for name in (*CRITERIA, UNIFORM)}
    return Section(
        f"Tables 3 and 4, figures 1 and 2: features of the set {dense}",
        [_table(points)],
        [_figure(number, metric, curves) for number, metric in enumerate(CRITERIA, 1)],
        claims(work, points, curves),
        [_remark(work, name) for name in CRITERIA],
    )


def _table(points: Mapping[str, Cell]) -> Table:
    heads = ["weights"]
    for metric in ("BLEU", "NIST"):
        heads += [f"{metric}, NIST 2003", f"{metric}, C-Star 2003", f"{metric} here", "gain"]
    rows: list[list[Entry]] = []
    for name, cell in points.items():
        row: list[Entry] = [NAMES[name]]
        for column, metric in enumerate(CRITERIA):
            digits = 2 if metric == "bleu" else 4
            theirs = TABLE_3[name][column], TABLE_4[name][column]
            row += [f"{score:.{digits}f}" for score in (*theirs, cell.figures[metric])]
            row += [f"{gain(cell, points[UNIFORM], metric):+.1f} %"]
        rows.append([*row, int(cell.figures["hypotheses"])])
    caption = "Scores on the test text at equal numbers of hypotheses (within 1 %)."
    return Table(caption, [*heads, "#hyp here"], rows)


def _figure(number: int, metric: str, curves: Mapping[str, Cell]) -> Figure:
    drawn = [
        Curve(
            NAMES[name],
            [round(cost / 1e6, 3) for cost in cell.curves["hypotheses"]],
            cell.curves[metric],
            series,
        )
        for series, (name, cell) in enumerate(curves.items())
    ]
    caption = f"Figure {number}: {metric.upper()} on the test text against millions of hypotheses."
    return Figure(caption, "millions of hypotheses", metric.upper(), drawn)


def _remark(work: SimplexCells, criterion: str) -> str:
    figures = (cell := work.tuned(criterion, work.bench.corpus.dev)).figures
    return (
        f"T{NAMES[criterion][1:]}: {figures['evaluations']:.0f} evaluations"
        f" ({cell.remarks[0]}), {criterion.upper()} {figures['start']:.2f} ->"
        f" {figures[criterion]:.2f} on the development text."
    )


PAPER = Paper(
    "simplex",
    "Cettolo & Federico 2004: minimum error training of log-linear translation models",
    "A few weights tuned by the downhill simplex method through the full decoder, compared with"
    " uniform weights at equal search cost.",
    pair="near",
    sizes={"train": 20_000, "dev": 100, "test": 250},
    scale=0.2,
    rounds=f"{EVALUATIONS} evaluations per descent, with a second descent from {RESTART_FROM:g} on",
    sections={
        "standard": partial(section, "standard"),
        "model4": partial(section, "model4"),
    },
)

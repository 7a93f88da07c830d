"""A reproduced paper as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from calque.experiments.claim import Claim
from calque.experiments.entries import SUMMARY, shown, summary, tally
from calque.experiments.paper import Entry, Figure, Paper, Section
from calque.report.tables import markdown_table


def to_markdown(paper: Paper, sections: Mapping[str, Section], facts: Mapping[str, str]) -> str:
    """The report; the same results give the same bytes."""
    claims = [claim for section in sections.values() for claim in section.claims]
    lines = [f"# {paper.citation}", "", f"{paper.about}", ""]
    lines += [f"- {name}: {value}" for name, value in facts.items()]
    if claims:
        lines += ["", "## Claims", "", f"{tally(claims)}.", ""]
        lines += _table(SUMMARY, summary(sections))
    for section in sections.values():
        lines += ["", f"## {section.title}", *_section(section)]
    return "\n".join(lines) + "\n"


def _section(section: Section) -> Iterator[str]:
    for table in section.tables:
        yield from ("", table.caption, "", *_table(table.heads, table.rows))
    for remark in section.remarks:
        yield from ("", remark)
    for figure in section.figures:
        yield from ("", figure.caption, "", *_points(figure))
    for claim in section.claims:
        yield from ("", *_claim(claim))


def _claim(claim: Claim) -> Iterator[str]:
    yield f"**({claim.number}) {claim.text}: {claim.verdict.value}.**"
    yield ""
    yield f"- paper: {claim.paper}"
    yield f"- criterion: {claim.criterion}"
    for item in claim.evidence:
        yield f"- {item.verdict.value}: {item.seen}"


def _points(figure: Figure) -> list[str]:
    """The points of curves as a table: a column per curve where all have the same values of x."""
    curves = figure.curves
    if any(list(curve.x) != list(curves[0].x) for curve in curves):
        rows: list[list[Entry]] = [
            [curve.label, f"{x:g}", float(y)]
            for curve in curves
            for x, y in sorted(zip(curve.x, curve.y, strict=True))
        ]
        return _table(["curve", figure.x_label, figure.y_label], rows)
    heads = [figure.x_label, *(curve.label for curve in curves)]
    columns = zip(*(curve.y for curve in curves), strict=True)
    rows = [[f"{x:g}", *map(float, ys)] for x, ys in zip(curves[0].x, columns, strict=True)]
    return _table(heads, rows)


def _table(heads: Sequence[str], rows: Sequence[Sequence[Entry]]) -> list[str]:
    cells = [[shown(entry) for entry in row] for row in rows]
    return markdown_table(heads, cells, n_names=len(heads)).splitlines()

"""A reproduced paper as a page that needs nothing beside it."""

from __future__ import annotations

from collections.abc import Mapping

from calque.experiments.claim import Claim
from calque.experiments.entries import SUMMARY, shown, summary, tally
from calque.experiments.paper import Paper, Section
from calque.report.curves import draw
from calque.report.page import Html, element, figure, page, paragraph, section, table


def to_page(paper: Paper, sections: Mapping[str, Section], facts: Mapping[str, str]) -> Html:
    """The report; the same results give the same bytes."""
    claims = [claim for made in sections.values() for claim in made.claims]
    parts = []
    if claims:
        parts.append(
            section("Claims", paragraph(f"{tally(claims)}."), table(SUMMARY, summary(sections)))
        )
    for name, made in sections.items():
        parts.append(_section(name, made))
    items = "".join(element("dt", name) + element("dd", value) for name, value in facts.items())
    parts.append(section("How it was made", Html(f"<dl>{items}</dl>")))
    return page(paper.citation, *parts, lead=paper.about)


def _section(name: str, made: Section) -> Html:
    parts = [
        table(entry.heads, [[shown(cell) for cell in row] for row in entry.rows], entry.caption)
        for entry in made.tables
    ]
    parts += [paragraph(remark, "note") for remark in made.remarks]
    for number, drawn in enumerate(made.figures):
        drawing = draw(drawn.curves, drawn.x_label, drawn.y_label, f"figure-{name}-{number}")
        parts.append(figure(drawing, drawn.caption))
    parts += [part for claim in made.claims for part in _claim(claim)]
    return section(made.title, *parts)


def _claim(claim: Claim) -> list[Html]:
    lines = [
        ("paper", claim.paper),
        ("criterion", claim.criterion),
        *((item.verdict.value, item.seen) for item in claim.evidence),
    ]
    items = "".join(element("dt", name) + element("dd", value) for name, value in lines)
    heading = f"({claim.number}) {claim.text}: {claim.verdict.value}"
    return [element("h3", heading), Html(f"<dl>{items}</dl>")]

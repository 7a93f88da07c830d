"""Grids of blocks as one SVG picture that needs nothing but itself."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

from calque.decode.drawing.cells import n_cells
from calque.decode.drawing.grid import Box, Grid

CELL, CHARACTER, LINE, GAP, HEADING = 28, 7.6, 20, 12, 480
"""Pixels: of a word's row or column, of a character, of a line of text, between things, and what a
heading may always have; all its words stand at the grid, so it never makes a picture wide."""
_SLOPE = 0.7071  # of the source words, which stand aslant so that long ones find room
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_LEGEND = "towards the block before: R monotone, L swap, N discontinuous"
_RULES_LEGEND = "a box inside another one fills a gap of its rule"
# Plain colours, no variables: programs that are no browsers know little of style sheets.
_LIGHT = {
    "text": "fill:#1b1f24",
    ".note": "fill:#5f6b7a;font-size:12px",
    ".lines": "stroke:#d8dde3;fill:none",
    ".R": "fill:#2f6fdb;stroke:#2f6fdb",
    ".L": "fill:#d9701a;stroke:#d9701a",
    ".N": "fill:#2a9060;stroke:#2a9060",
    "rect": "fill-opacity:.22;stroke-width:1.5",
    ".head": "font-weight:600",
    ".label": "font-weight:600;font-size:12px;text-anchor:middle",
    ".word": "text-anchor:end",
}
_DARK = {
    "text": "fill:#e8ecf1",
    ".note": "fill:#98a5b5",
    ".lines": "stroke:#333b45",
    ".R": "fill:#6ea3ff;stroke:#6ea3ff",
    ".L": "fill:#ffa052;stroke:#ffa052",
    ".N": "fill:#57c794;stroke:#57c794",
}


@dataclass(frozen=True)
class Panel:
    """A grid and the lines of text above it."""

    heading: str
    note: str
    grid: Grid


def svg(panels: Sequence[Panel]) -> str:
    """A complete SVG document: the panels below one another, and what the letters mean.

    It shrinks with the page it stands on and follows the reader's choice of light or dark.
    """
    parts: list[str] = []
    rules = any(not box.orientation for panel in panels for box in panel.grid.boxes)
    legend = _RULES_LEGEND if rules else _LEGEND
    width, y = _text_width(legend), float(GAP)
    for panel in panels:
        drawn, panel_width, height = _panel(panel)
        parts.append(f'<g transform="translate({GAP} {y:.1f})">\n{drawn}</g>\n')
        width = max(width, panel_width)
        y += height + 2 * GAP
    parts.append(_text(GAP, y + GAP, legend, "note"))
    size = width + 2 * GAP, y + 2 * GAP
    title = _xml("; ".join(panel.heading for panel in panels))
    box = f'width="{size[0]:.0f}" height="{size[1]:.0f}" viewBox="0 0 {size[0]:.0f} {size[1]:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="calque-blocks" role="img" {box}>\n'
        f"<title>{title}</title>\n<style>\n{_style()}</style>\n{''.join(parts)}</svg>\n"
    )


def _style() -> str:
    """The style sheet; every rule holds inside this picture only, wherever it is put."""
    font = 'font:13px ui-sans-serif,system-ui,"Noto Sans","Helvetica Neue",Arial,sans-serif'
    page = f".calque-blocks{{background:#fff;max-width:100%;height:auto;{font}}}\n"
    dark = ".calque-blocks{background:#14181d}\n" + _rules(_DARK)
    return f"{page}{_rules(_LIGHT)}@media(prefers-color-scheme:dark){{\n{dark}}}\n"


def _rules(rules: Mapping[str, str]) -> str:
    return "".join(f".calque-blocks {name}{{{rule}}}\n" for name, rule in rules.items())


def _panel(panel: Panel) -> tuple[str, float, float]:
    """The elements of a panel, its width and its height."""
    grid = panel.grid
    n_columns, n_rows = len(grid.source), len(grid.target)
    reach = [_SLOPE * _text_width(word) - column * CELL for column, word in enumerate(grid.source)]
    left = max(*map(_text_width, grid.target), *reach) + GAP
    top = 2 * LINE + GAP
    bottom = top + n_rows * CELL
    lines = [f"M{left:.1f} {top + row * CELL}h{n_columns * CELL}" for row in range(n_rows + 1)]
    lines += [f"M{left + c * CELL:.1f} {top}v{n_rows * CELL}" for c in range(n_columns + 1)]
    room = max(left + n_columns * CELL, HEADING)
    heading = _shortened(panel.heading, room)
    parts = [
        _text(0, LINE - 6, heading, "head"),
        _text(0, 2 * LINE - 6, panel.note, "note"),
        f'<path class="lines" d="{"".join(lines)}"/>\n',
        *(_box(box, left, bottom) for box in grid.boxes),
    ]
    for row, word in enumerate(grid.target):
        parts.append(_text(left - 6, bottom - (row + 0.5) * CELL + 4, word, "word"))
    for column, word in enumerate(grid.source):
        x, y = left + (column + 0.5) * CELL + 4, bottom + 14
        parts.append(_text(x, y, word, "word", f' transform="rotate(-45 {x:.1f} {y:.1f})"'))
    width = max(left + n_columns * CELL, _text_width(heading), _text_width(panel.note))
    depth = GAP + _SLOPE * max(map(_text_width, grid.source))
    return "".join(parts), width, bottom + depth


def _box(box: Box, left: float, bottom: float) -> str:
    x, y = left + box.begin * CELL, bottom - box.target_end * CELL
    width = (box.end - box.begin) * CELL
    height = (box.target_end - box.target_begin) * CELL
    small = ' style="font-size:9px"' if _text_width(box.label) > width else ""
    inset = 1 + min(2 * box.depth, CELL // 4)  # so that nested frames do not cover each other
    frame = (
        f'x="{x + inset:.1f}" y="{y + inset}" width="{width - 2 * inset}"'
        f' height="{height - 2 * inset}"'
    )
    if box.orientation:
        kind, label_x, label_y = box.orientation, x + width / 2, y + height / 2 + 4
    else:  # what fills gaps may lie in the middle: the label stands in a corner
        kind, label_x, label_y = "RLN"[box.depth % 3], x + inset + 8, y + inset + 11
    return (
        f"<g><title>{_xml(box.title)}</title>"
        f'<rect class="{kind}" rx="3" {frame}/>'
        f"{_text(label_x, label_y, box.label, 'label', small).rstrip()}</g>\n"
    )


def _text(x: float, y: float, text: str, kind: str, more: str = "") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}"{more}>{_xml(text)}</text>\n'


def _shortened(text: str, width: float) -> str:
    if _text_width(text) <= width:
        return text
    while _text_width(text + "…") > width:
        text = text[:-1]
    return text + "…"


def _text_width(text: str) -> float:
    """About as many pixels as a text needs: the reader's font is not known here."""
    return CHARACTER * n_cells(text)


def _xml(text: str) -> str:
    """The text as XML may hold it."""
    return escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text))

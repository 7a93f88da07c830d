"""The frame of every page: one HTML file that needs nothing beside it.

Text is escaped unless it is `Html`, which only the functions here and drawings make; so nothing
that a corpus, a file name or an option contains can become markup.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TypeAlias

SERIES = 8
"""Colours that the style has for lines and bars: `var(--series-0)` and so on."""


class Html(str):
    """Text that is markup already."""

    __slots__ = ()


Cell: TypeAlias = "str | int | float | None"
"""What a table shows: numbers stand right, `None` is a dash, `Html` is taken as it is."""


def escape(text: str) -> Html:
    """The text as markup; what is markup already stays."""
    return text if isinstance(text, Html) else Html(html.escape(clean(text)))


def page(title: str, *parts: Html, lead: str = "", style: str = "") -> Html:
    """A complete document: the parts below a title and a line of introduction.

    `style` is what the parts need beyond the common style.
    """
    introduction = f'<p class="lead">{escape(lead)}</p>\n' if lead else ""
    return Html(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(title)}</h1>\n{introduction}"
        + "\n".join(parts)
        + "\n</main>\n</body>\n</html>\n"
    )


def section(heading: str, *parts: Html) -> Html:
    """Parts under a heading."""
    return Html(f"<section>\n<h2>{escape(heading)}</h2>\n" + "\n".join(parts) + "\n</section>")


def paragraph(text: str, kind: str = "") -> Html:
    """A paragraph; `kind` is a class of the style: `note`, `warning`."""
    return element("p", text, kind)


def element(tag: str, text: str, kind: str = "", **attributes: str) -> Html:
    """Any element around text, with a class of the style and further attributes."""
    given = {"class": kind, **attributes} if kind else attributes
    written = "".join(f' {name}="{escape(value)}"' for name, value in given.items())
    return Html(f"<{tag}{written}>{escape(text)}</{tag}>")


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str = "") -> Html:
    """A table that scrolls by itself where the screen is narrow; the first column names rows.

    A column heads right where its cells are numbers.
    """
    numeric = [
        any(isinstance(row[column], int | float) for row in rows) for column in range(len(header))
    ]
    above = f"<caption>{escape(caption)}</caption>" if caption else ""
    head = "".join(
        element("th", name, "number" if right else "", scope="col")
        for name, right in zip(header, numeric, strict=True)
    )
    body = "\n".join(f"<tr>{_row(row)}</tr>" for row in rows)
    return Html(
        f'<div class="scroll"><table>{above}\n<thead><tr>{head}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody></table></div>"
    )


def figure(drawing: Html, caption: str) -> Html:
    """A drawing with what it shows below."""
    return Html(f"<figure>{drawing}<figcaption>{escape(caption)}</figcaption></figure>")


def bar(share: float, series: int = 0) -> Html:
    """A horizontal bar for a table cell, from -1 (full to the left) to 1 (full to the right)."""
    width = 50 * min(abs(share), 1.0)
    left = 50 - width if share < 0 else 50
    style = f"left:{left:.2f}%;width:{width:.2f}%;background:var(--series-{series % SERIES})"
    return Html(f'<span class="bar"><span style="{style}"></span></span>')


def _row(row: Sequence[Cell]) -> str:
    first, *others = row
    return element("th", _show(first), scope="row") + "".join(
        element("td", _show(cell), "number" if isinstance(cell, int | float) else "")
        for cell in others
    )


def _show(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None:
        return "–"
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.6g}"


def clean(text: str) -> str:
    """The text without what no page may hold: halves of characters and control characters."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if "\ud800" <= character <= "\udfff"
        or (character < " " and character not in "\t\n")
        or "\x7f" <= character < "\xa0"
        else character
        for character in text
    )


_STYLE = """
:root { --ink: #1d2433; --quiet: #5c667a; --paper: #fbfaf7; --card: #ffffff; --line: #e3e0d8;
  --warn: #9a4b00; --series-0: #2f5d8c; --series-1: #c2571a; --series-2: #3f7d4e;
  --series-3: #8b4a8c; --series-4: #a8862a; --series-5: #2b8a8a; --series-6: #b03a52;
  --series-7: #6b6f76; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e6eb; --quiet: #9aa3b2; --paper: #14171d;
  --card: #1b1f27; --line: #2d333e; --warn: #f0b26b; --series-0: #7fb0e0; --series-1: #f0935a;
  --series-2: #7cc48d; --series-3: #cf95d0; --series-4: #dcc06a; --series-5: #6fcccc;
  --series-6: #f08a9c; --series-7: #a8adb6; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.55;
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2rem 1.1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .4rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 2.6rem 0 .8rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .5rem; overflow-wrap: anywhere; }
p { margin: .5rem 0; max-width: 44rem; }
.lead, .note, figcaption, caption { color: var(--quiet); }
.warning { color: var(--warn); }
.scroll { overflow-x: auto; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; margin: .8rem 0; }
table { border-collapse: collapse; width: 100%; font-size: .9rem;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; padding: .6rem .8rem 0; }
th, td { text-align: left; padding: .4rem .8rem; border-top: 1px solid var(--line);
  vertical-align: top; }
thead th { border-top: 0; color: var(--quiet); font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 600; }
th.number, td.number { text-align: right; white-space: nowrap; }
figure { margin: 1rem 0; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; padding: .8rem; }
figure { overflow-x: auto; }
figure svg { display: block; width: 100%; min-width: 30rem; height: auto; }
figcaption { font-size: .85rem; margin-top: .4rem; }
.bar { display: block; position: relative; min-width: 7rem; height: .7rem; margin-top: .4rem;
  background: linear-gradient(var(--line), var(--line)) center / 1px 100% no-repeat; }
.bar span { position: absolute; top: 0; bottom: 0; border-radius: 2px; }
.swatch { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px;
  margin-right: .45rem; vertical-align: -.02rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem .9rem; margin: .8rem 0;
  padding: .8rem; background: var(--card); border: 1px solid var(--line); border-radius: .5rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 34rem) { dl { grid-template-columns: 1fr; } dd { margin-bottom: .4rem; } }
"""

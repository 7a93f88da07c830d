"""The frame of pages: well-formed, self-contained, and nothing that is text becomes markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.report.curves import Curve, draw
from calque.report.page import Html, bar, element, escape, figure, page, paragraph, section, table

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Reader(HTMLParser):
    """Follows a page tag by tag; every tag must be closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.cells: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == [], f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag in ("td", "th"):
            self.cells.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data


def check_self_contained(text: str) -> Reader:
    """A page that loads nothing: no address in an attribute or the style, no script."""
    reader = Reader(text)
    assert not {"script", "link", "iframe", "img", "base"} & set(reader.tags)
    for name, value in reader.attributes:
        assert not re.search(r"https?:|^//|^javascript:|^data:", value), f"{name}={value}"
        assert not name.startswith("on"), name
        if name in ("href", "xlink:href", "src"):
            assert value.startswith("#"), value
    assert not re.search(r"@import|url\((?!#)", text)
    ids = [value for name, value in reader.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    return reader


HOSTILE = "</td><script>alert('x')</script> & \" <b>$x$"


def test_a_page_is_well_formed_and_loads_nothing() -> None:
    text = page("Runs", section("A", paragraph("b"), table(["a", "n"], [["x", 1]])), lead="c")
    reader = check_self_contained(text)
    assert reader.tags[:2] == ["html", "head"]
    assert "Runs" in reader.text


@given(st.text(max_size=30), st.text(max_size=30))
def test_text_stays_text(title: str, cell: str) -> None:
    text = page(title, table([cell], [[cell]]), element("p", cell, cell, id="x" + cell))
    plain = page("", table([""], [[""]]), element("p", "", "x", id="x"))
    assert len(Reader(text).tags) == len(Reader(plain).tags)
    text.encode()


def test_hostile_text_is_shown_as_it_is() -> None:
    reader = check_self_contained(page(HOSTILE, table([HOSTILE], [[HOSTILE]])))
    assert reader.cells == [HOSTILE, HOSTILE]


def test_markup_is_taken_as_it_is() -> None:
    assert escape(Html("<b>")) == "<b>"
    assert escape("<b>") == "&lt;b&gt;"


def test_numbers_stand_right_and_nothing_is_a_dash() -> None:
    text = table(["name", "count"], [["a", 12345], ["b", None], ["c", 0.1]])
    reader = Reader(text)
    assert reader.cells == ["name", "count", "a", "12,345", "b", "–", "c", "0.1"]
    assert reader.attributes.count(("class", "number")) == 3


@pytest.mark.parametrize("share", [-2.0, -1.0, -0.3, 0.0, 0.5, 1.0])
def test_a_bar_stays_inside_its_cell(share: float) -> None:
    left, width = (float(x) for x in re.findall(r"(?:left|width):([\d.]+)%", bar(share)))
    assert 0 <= left <= left + width <= 100
    assert left + width == 50 if share < 0 else left == 50


CURVES = [
    Curve("one", [1, 2, 3], [0.1, 0.3, 0.2], 0, mark=1),
    Curve("pool of one", [1, 2, 3], [0.2, 0.4, 0.4], 0, faint=True),
    Curve("two", [1], [0.5], 1),
]


def test_a_drawing_has_a_line_and_a_name_for_every_curve() -> None:
    drawing = draw(CURVES, "round", "BLEU", "scores")
    reader = check_self_contained(page("x", figure(drawing, "below"), figure(drawing2(), "b")))
    for text in ("one", "two", "round", "BLEU"):
        assert text in reader.text
    assert "pool of one" not in reader.text
    for series in (0, 1):
        assert f"stroke: var(--series-{series})" in drawing


def drawing2() -> Html:
    return draw(CURVES, "round", "BLEU", "others")


def test_a_drawing_takes_all_its_colours_from_the_page() -> None:
    drawing = draw(CURVES, "round", "BLEU", "scores")
    assert not re.findall(r"(?:fill|stroke): *#[0-9a-f]{3,6}", drawing)


def test_the_same_curves_give_the_same_bytes() -> None:
    assert draw(CURVES, "round", "BLEU", "scores") == draw(CURVES, "round", "BLEU", "scores")


def test_names_of_curves_are_text() -> None:
    names = [HOSTILE, "_hidden", "$\\frac{", "http://example.org/", "\x00\x1b[0m\ud800"]
    curves = [Curve(name, [1, 2], [3, 4], index) for index, name in enumerate(names)]
    reader = check_self_contained(page("x", draw(curves, "a", "b", "c")))
    assert "script" not in reader.tags
    for name in names[:4]:
        assert name in reader.text

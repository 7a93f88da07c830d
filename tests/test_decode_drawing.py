"""Drawings of blocks: in the terminal with the right widths, as SVG that nothing can break."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from calque.decode.drawing import Box, Grid, Panel, box_drawing, fit, n_cells, svg, visible

SVG = "{http://www.w3.org/2000/svg}"


def make_grid(source: str, *blocks: tuple[int, int, str, str]) -> Grid:
    """A grid of blocks given as source span, target words and orientation."""
    boxes, target = [], list[str]()
    for number, (begin, end, words, letter) in enumerate(blocks, 1):
        at = len(target)
        target += words.split()
        boxes.append(Box(begin, end, at, len(target), number, letter, words))
    return Grid(tuple(source.split()), tuple(target), tuple(boxes))


FIGURE_1 = make_grid(
    "AlTA}rAt AlHrbyp AlAsrA}ylyp tnthk AlmjAl AllbnAny",
    (2, 3, "Israeli", "N"),
    (0, 2, "warplanes", "L"),
    (3, 4, "violate", "N"),
    (4, 6, "Lebanese airspace", "R"),
)


def test_the_example_of_the_paper_is_drawn_as_in_its_figure() -> None:
    drawn = """\
                                             ┌───────────────┐
 airspace                                    │               │
 Lebanese                                    │      4R       │
                                       ┌─────┼───────────────┘
  violate                              │ 3N  │
          ┌────────────────┐           └─────┘
warplanes │       2L       │
          └────────────────┼───────────┐
  Israeli                  │    1N     │
                           └───────────┘
           AlTA}rAt AlHrbyp AlAsrA}ylyp tnthk AlmjAl AllbnAny
"""
    assert box_drawing(FIGURE_1) == drawn
    assert box_drawing(FIGURE_1, 62) == drawn
    assert box_drawing(FIGURE_1, 61) is None


def test_wide_characters_take_two_cells_and_combining_marks_none() -> None:
    grid = make_grid("小さな 家 .", (0, 1, "ein klei\u0301nes", "R"), (1, 3, "Haus .", "R"))
    drawn = """\
               ┌────┐
      .        │    │
   Haus        │ 2R │
        ┌──────┼────┘
kleínes │      │
    ein │  1R  │
        └──────┘
         小さな 家 .
"""
    assert box_drawing(grid) == drawn.replace("í", "i\u0301")


@given(st.text(st.sampled_from("abz .é漢字仮名ｱ한글ＡＢe\u0301\u0300ñ—→\u3000"), max_size=20))
def test_the_width_of_text_is_what_a_terminal_library_says(text: str) -> None:
    assert n_cells(text) == cell_len(text)
    assert n_cells(fit(text, 50)) == n_cells(fit(text, 50, right=True)) == 50


def test_characters_that_steer_a_terminal_become_visible() -> None:
    assert visible("a\x1b[31mb\u202ec\x00\x85") == "a�[31mb�c��"
    assert visible("می\u200cخواهم") == "می\u200cخواهم"


words = st.text(st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp")), min_size=1, max_size=9)


@st.composite
def grids(draw: st.DrawFn) -> Grid:
    """Any words, cut into blocks in any order."""
    spans, at = [], 0
    for length in draw(st.lists(st.integers(1, 3), min_size=1, max_size=12)):
        spans.append((at, at + length))
        at += length
    source = draw(st.lists(words, min_size=at, max_size=at))
    boxes, target = [], list[str]()
    for number, (begin, end) in enumerate(draw(st.permutations(spans)), 1):
        first = len(target)
        target += draw(st.lists(words, min_size=1, max_size=3))
        letter = draw(st.sampled_from("RLN"))
        boxes.append(Box(begin, end, first, len(target), number, letter, draw(words)))
    return Grid(tuple(source), tuple(target), tuple(boxes))


@settings(max_examples=60, deadline=None)
@given(grids())
def test_any_blocks_have_a_line_per_word_and_are_as_wide_as_they_say(grid: Grid) -> None:
    drawn = box_drawing(grid)
    assert drawn is not None
    lines = drawn.removesuffix("\n").split("\n")
    assert len(lines) == len(grid.target) + len(grid.boxes) + 2
    widest = max(map(n_cells, lines))
    assert box_drawing(grid, widest) == drawn
    assert box_drawing(grid, widest - 1) is None
    for corner in "┌┐└┘":
        assert drawn.count(corner) + drawn.count("┼") >= len(grid.boxes)


@settings(max_examples=60, deadline=None)
@given(grids(), words)
def test_a_picture_of_any_words_is_xml_with_a_rectangle_per_block(grid: Grid, text: str) -> None:
    root = ET.fromstring(svg([Panel(text, "", grid), Panel("", text, grid)]))
    assert len(list(root.iter(f"{SVG}rect"))) == 2 * len(grid.boxes)
    assert {element.tag for element in root.iter()} == {
        SVG + name for name in ("svg", "title", "style", "g", "text", "path", "rect")
    }


def test_hostile_words_stay_words_in_a_picture() -> None:
    hostile = "</text><script>alert('&')</script>"
    grid = Grid((hostile,), ('"><rect/>',), (Box(0, 1, 0, 1, 1, "R", "<&>"),))
    root = ET.fromstring(svg([Panel("a\x00b\ud800", "]]>", grid)]))
    texts = [element.text for element in root.iter(f"{SVG}text")]
    assert hostile in texts
    assert '"><rect/>' in texts
    assert "a\ufffdb\ufffd" in texts
    assert len(list(root.iter(f"{SVG}rect"))) == 1


def test_a_picture_needs_nothing_from_elsewhere_and_suits_light_and_dark() -> None:
    picture = svg([Panel("Israeli warplanes", "score 1", FIGURE_1)])
    assert picture.count("http") == 1  # the name of the language
    assert "prefers-color-scheme:dark" in picture
    assert "viewBox" in picture
    assert picture == svg([Panel("Israeli warplanes", "score 1", FIGURE_1)])


def test_rectangles_lie_where_their_words_are() -> None:
    root = ET.fromstring(svg([Panel("", "", FIGURE_1)]))
    frames = [
        tuple(float(rect.attrib[side]) for side in ("x", "y", "width", "height"))
        for rect in root.iter(f"{SVG}rect")
    ]
    left, bottom = min(frame[0] for frame in frames), max(frame[1] for frame in frames)
    cells = [
        (round((x - left) / 28), round((bottom - y) / 28), round(w / 28), round(h / 28))
        for x, y, w, h in frames
    ]
    # Columns from the left; rows from below, of the upper edge; extent of either.
    assert cells == [(2, 0, 1, 1), (0, 1, 2, 1), (3, 2, 1, 1), (4, 4, 2, 2)]


@pytest.mark.parametrize("n", [1, 300])
def test_the_heading_never_makes_a_picture_wide(n: int) -> None:
    grid = make_grid("ein", (0, 1, "a", "R"))
    root = ET.fromstring(svg([Panel("word " * n, "", grid)]))
    assert float(root.attrib["width"]) < 600

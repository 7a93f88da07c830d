"""Alignments on disk: what is written is read back, and what does not fit is refused."""

from __future__ import annotations

import gzip
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.align import Alignments, read_pharaoh, write_pharaoh
from calque.errors import CalqueError, FileError, LineError
from calque.text import Sentences

Link = tuple[int, int]
SOURCE = Sentences.from_lists([[5, 6, 7], [8], []])
TARGET = Sentences.from_lists([[5, 6], [7, 8], [9]])


def rows(alignments: Alignments) -> list[list[list[int]]]:
    return [links.tolist() for links in alignments]


def written(folder: Path, text: str) -> Path:
    path = folder / "links"
    path.write_text(text)
    return path


@settings(max_examples=40)
@given(st.lists(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=9)))
def test_written_alignments_are_read_back(sentences: list[list[Link]]) -> None:
    alignments = Alignments.from_lists(sentences)
    side = Sentences.from_lists([range(12) for _ in sentences])
    for name in ("links", "links.gz"):
        with tempfile.TemporaryDirectory() as folder:
            write_pharaoh(Path(folder, name), alignments)
            again = read_pharaoh(Path(folder, name), side, side)
        assert rows(again) == rows(alignments)
        assert again.links.shape == (len(again.links), 2)


def test_links_are_written_as_the_format_says(tmp_path: Path) -> None:
    alignments = Alignments.from_lists([[(2, 1), (0, 0)], [], [(10, 3)]])
    write_pharaoh(tmp_path / "links.gz", alignments)
    with gzip.open(tmp_path / "links.gz", "rt") as file:
        assert file.read() == "0-0 2-1\n\n10-3\n"


def test_order_repetition_and_spaces_of_a_line_do_not_matter(tmp_path: Path) -> None:
    path = written(tmp_path, " 2-1  0-0\t0-0 \r\n0-1\n\n")
    assert rows(read_pharaoh(path, SOURCE, TARGET)) == [[[0, 0], [2, 1]], [[0, 1]], []]


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("0-0 1-1", "link 1-1 is outside the sentence pair, which has 1 source and 2 target"),
        ("0-2", "link 0-2 is outside"),
        ("0-99999999999999999999", "link 0-99999999999999999999 is outside"),
        ("0", "'0' is not a link, expected source-target positions such as 0-0"),
        ("0-", "'0-' is not a link"),
        ("-1-0", "'-1-0' is not a link"),
        ("0-0-0", "'0-0-0' is not a link"),
        ("0–0", "'0–0' is not a link"),
        ("x" * 60, "xxx...' is not a link"),
    ],
)
def test_a_link_that_does_not_fit_is_named_with_its_line(
    tmp_path: Path, line: str, complaint: str
) -> None:
    path = written(tmp_path, f"0-0\n{line}\n\n")
    with pytest.raises(LineError) as error:
        read_pharaoh(path, SOURCE, TARGET)
    assert error.value.line == 2
    assert f"{path}: line 2: " in str(error.value)
    assert complaint in str(error.value)


@pytest.mark.parametrize("n_lines", [0, 2, 4])
def test_a_wrong_number_of_lines_names_both_numbers(tmp_path: Path, n_lines: int) -> None:
    path = written(tmp_path, "\n" * n_lines)
    with pytest.raises(FileError, match=f"has {n_lines} lines of links, expected 3"):
        read_pharaoh(path, SOURCE, TARGET)


def test_sides_of_different_length_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "0-0\n")
    with pytest.raises(CalqueError, match="source has 3 sentences and the target has 1"):
        read_pharaoh(path, SOURCE, Sentences.from_lists([[1]]))

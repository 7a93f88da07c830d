"""Alignments as text in the Pharaoh format: one line of `source-target` links per sentence pair."""

from __future__ import annotations

from pathlib import Path

from calque._core import format_pharaoh, parse_pharaoh
from calque.align.alignments import Alignments
from calque.errors import CalqueError, FileError, LineError
from calque.text import Sentences, open_output, read_blocks


def read_pharaoh(path: Path | str, source: Sentences, target: Sentences) -> Alignments:
    """The alignments of a file, checked against the bitext that they belong to.

    Links may come in any order and more than once. Raises `LineError` for a link that is malformed
    or outside its sentence pair, and `FileError` for a wrong number of lines.
    """
    check_sides(source, target)
    text = "".join(read_blocks(path))
    n_lines = text.count("\n")
    if n_lines != len(source):
        raise FileError(
            path, f"has {n_lines} lines of links, expected {len(source)}: one per sentence pair"
        )
    links, offsets, bad_line, problem = parse_pharaoh(text, source.offsets, target.offsets)
    if bad_line >= 0:
        raise LineError(path, bad_line + 1, problem)
    return Alignments(links, offsets)


def write_pharaoh(path: Path | str, alignments: Alignments) -> None:
    """Write the alignments to a file that appears complete or not at all; `.gz` is compressed."""
    with open_output(path) as file:
        file.write(format_pharaoh(alignments.links, alignments.offsets))


def check_sides(source: Sentences, target: Sentences) -> None:
    """Raise `CalqueError` unless both sides have the same number of sentences."""
    if len(source) != len(target):
        raise CalqueError(
            f"the source has {len(source)} sentences and the target has {len(target)}: "
            "expected as many on either side"
        )

"""Alignments held against links that people have made."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from calque.align.alignments import Alignments
from calque.errors import FileError, LineError
from calque.text import Sentences, read_lines

LINK = re.compile(r"([0-9]{1,9})([-?p])([0-9]{1,9})")


@dataclass(frozen=True)
class GoldLinks:
    """Links of sentence pairs: those that are sure, and all that are possible."""

    sure: tuple[frozenset[tuple[int, int]], ...]
    possible: tuple[frozenset[tuple[int, int]], ...]
    """The sure ones among them."""


@dataclass(frozen=True)
class AlignmentScores:
    """How good links are (Och & Ney 2003): A are those found, S the sure, P the possible ones."""

    precision: float
    """|A & P| / |A|"""
    recall: float
    """|A & S| / |S|"""
    aer: float
    """Alignment error rate, 1 - (|A & S| + |A & P|) / (|A| + |S|)."""
    n_links: int
    n_sure: int
    n_possible: int


def read_gold(path: Path | str, source: Sentences, target: Sentences) -> GoldLinks:
    """The links of a file: a line per sentence pair, `0-1` sure and `0?1` or `0p1` possible.

    Positions count from 0. Raises `LineError` for what is no link or outside its sentence pair, and
    `FileError` for a wrong number of lines.
    """
    sure, possible = [], []
    lines = list(read_lines(path))
    if len(lines) != len(source):
        raise FileError(
            path, f"has {len(lines):,} lines of links, expected {len(source):,}: one per pair"
        )
    lengths = zip(source.lengths.tolist(), target.lengths.tolist(), strict=True)
    for number, (line, (n_source, n_target)) in enumerate(zip(lines, lengths, strict=True), 1):
        of_kind: dict[str, set[tuple[int, int]]] = {"-": set(), "?": set()}
        for word in line.split():
            match = LINK.fullmatch(word)
            if match is None:
                raise LineError(path, number, f"'{word}': expected a link such as 0-1 or 0?1")
            link = int(match[1]), int(match[3])
            if link[0] >= n_source or link[1] >= n_target:
                raise LineError(
                    path,
                    number,
                    f"'{word}' is outside of its sentence pair of {n_source} and {n_target} words",
                )
            of_kind["-" if match[2] == "-" else "?"].add(link)
        sure.append(frozenset(of_kind["-"]))
        possible.append(frozenset(of_kind["-"] | of_kind["?"]))
    return GoldLinks(tuple(sure), tuple(possible))


def score_links(alignments: Alignments, gold: GoldLinks) -> AlignmentScores:
    """Precision, recall and alignment error rate; where there is nothing, nothing is wrong."""
    n_links = n_sure = n_possible = in_sure = in_possible = 0
    for links, sure, possible in zip(alignments, gold.sure, gold.possible, strict=True):
        linked = {(source, target) for source, target in links.tolist()}
        n_links += len(linked)
        n_sure += len(sure)
        n_possible += len(possible)
        in_sure += len(linked & sure)
        in_possible += len(linked & possible)
    both = n_links + n_sure
    return AlignmentScores(
        precision=in_possible / n_links if n_links else 1.0,
        recall=in_sure / n_sure if n_sure else 1.0,
        aer=1 - (in_sure + in_possible) / both if both else 0.0,
        n_links=n_links,
        n_sure=n_sure,
        n_possible=n_possible,
    )

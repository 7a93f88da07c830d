"""Tables of rules in the text of Moses, Hiero, cdec and Joshua come in and go out whole."""

from __future__ import annotations

import contextlib
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks_reference import Pair, few, rows, sentence_pairs, to_arrays
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calque.blocks import extract, read_hiero_table, read_moses_table, write_moses_tables
from calque.config import BlockOptions, GrammarOptions, RuleOptions
from calque.errors import CalqueError
from calque.text import Vocabulary

WORDS = Vocabulary(["the", "house", "[", "ein", "[X", "z"])
LOOSE = BlockOptions(rules=RuleOptions(boundaries="loose", adjacent_gaps=True))
RULES = [
    "[X][X] of [X][X] [X] ||| [X][X] no [X][X] [X] ||| 0.5 0.25 1 1e-3 ||| 0-2 1-1 2-0 ||| 2 4 1"
    " ||| |||",
    "of [X][X] [X] ||| [X][X] [X] ||| 1 1 0.75 1 ||| 1-0 ||| 3 3 3 ||| |||",
    "of [X] ||| no [X] ||| 1 1 0.25 1 ||| 0-0 ||| 3 3 1 ||| |||",
]
HIERO = [
    "[X] ||| [X,1] of [X,2] ||| [X,2] no [X,1] ||| 0.3 0.6 0 3 ||| 1-1",
    "[S] ||| [S,1] [X,2] ||| [S,1] [X,2] ||| 0.4343",
    "[X] ||| of [X,1] ||| [1] ||| 0 0 0.125 0",
]
small = st.lists(sentence_pairs(max_length=5), max_size=4)
reuse_folder = settings(few, suppress_health_check=[HealthCheck.function_scoped_fixture])


def write(folder: Path, lines: list[str]) -> Path:
    path = folder / "rules"
    path.write_text("".join(line + "\n" for line in lines))
    return path


@pytest.mark.parametrize("suffix", ["", ".gz"])
@reuse_folder
@given(small)
def test_rules_written_and_read_are_the_same_table(
    tmp_path: Path, suffix: str, pairs: list[Pair]
) -> None:
    table = extract(*to_arrays(pairs), LOOSE, with_gaps=True, threads=1)
    path = tmp_path / f"rules{suffix}"
    write_moses_tables(table, WORDS, WORDS, path, with_gaps=True)
    back, *words = read_moses_table(path, None, WORDS, WORDS, with_gaps=True)
    assert words == [WORDS, WORDS]
    for name, array in table.to_arrays().items():
        assert np.array_equal(array, getattr(back, name)), name


@reuse_folder
@given(small)
def test_sides_of_rules_are_sorted_as_bytes(tmp_path: Path, pairs: list[Pair]) -> None:
    table = extract(*to_arrays(pairs), LOOSE, with_gaps=True, threads=1)
    write_moses_tables(table, WORDS, WORDS, tmp_path / "table", with_gaps=True)
    lines = (tmp_path / "table").read_bytes().splitlines()
    sides = [line.split(b"|||")[:2] for line in lines]
    assert sides == sorted(sides)


def test_rules_are_read_as_they_stand(tmp_path: Path) -> None:
    table, source, target = read_moses_table(write(tmp_path, RULES), with_gaps=True)
    of, no = source.id("of"), target.id("no")
    found = rows(table)
    assert set(found) == {((1, of, 2), (2, no, 1)), ((of, 1), (1,)), ((of,), (no,))}
    block = found[(1, of, 2), (2, no, 1)]
    assert table.inner_links(block).tolist() == [[1, 1]]
    assert np.exp(table.scores[block]) == pytest.approx([0.5, 0.25, 1, 1e-3])
    assert table.joint_counts[block] == 1


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a ||| c ||| 1 1 1 1", "the source side of a rule does not end with [X]"),
        ("a [X] ||| c ||| 1 1 1 1", "the target side of a rule does not end with [X]"),
        ("a [NP] ||| c [X] ||| 1 1 1 1", "the source side of a rule does not end with [X]"),
        ("a [NP][X] [X] ||| c [X] ||| 1 1 1 1", "label '[NP][X]': expected no other labels than X"),
        ("<s> [X] ||| <s> [X] ||| 1 1 1 1", "'<s>' marks the boundary of a sentence"),
        ("[X] ||| c [X] ||| 1 1 1 1", "the source phrase is empty"),
        ("[X][X] [X] ||| [X][X] [X] ||| 1 1 1 1 ||| 0-0", "the source side of a rule has no word"),
        ("a [X][X] [X] ||| c [X] ||| 1 1 1 1", "has 1 gaps on the source side and 0 on the target"),
        ("a [X][X] [X] ||| [X][X] c [X] ||| 1 1 1 1", "the alignment does not lead from every gap"),
        (
            "a [X][X] [X] ||| [X][X] c [X] ||| 1 1 1 1 ||| 1-0 0-0",
            "an alignment point leads from a gap to a word or to another gap",
        ),
        (
            "a [X][X] [X][X] [X] ||| [X][X] [X][X] [X] ||| 1 1 1 1 ||| 1-0 1-1 2-1",
            "the alignment does not lead from every gap",
        ),
        (
            "a [X][X] [X][X] [X][X] [X] ||| [X][X] [X][X] [X][X] [X] ||| 1 1 1 1 ||| 1-0 2-1 3-2",
            "has 3 gaps on the source side and 3 on the target side: expected as many, at most two",
        ),
    ],
)
def test_a_bad_rule_is_named(tmp_path: Path, line: str, problem: str) -> None:
    path = write(tmp_path, [*RULES, line])
    with pytest.raises(CalqueError, match=re.escape(f"{path}: line 4: {problem}")):
        read_moses_table(path, with_gaps=True)


def test_words_that_would_be_labels_are_refused(tmp_path: Path) -> None:
    words = Vocabulary(["[X]"])
    with pytest.raises(CalqueError, match=re.escape("the word '[X]' cannot stand")):
        write_moses_tables(extract(*to_arrays([])), words, words, tmp_path / "a", with_gaps=True)
    write_moses_tables(extract(*to_arrays([])), words, words, tmp_path / "a")


@reuse_folder
@given(st.data())
def test_no_damage_to_rules_crashes_the_readers(tmp_path: Path, data: st.DataObject) -> None:
    for lines, read in ((RULES, read_moses_table), (HIERO, read_hiero_table)):
        text = bytearray("".join(line + "\n" for line in lines).encode())
        for _ in range(data.draw(st.integers(0, 4))):
            at = data.draw(st.integers(0, len(text) - 1))
            pieces = [b"", b"|||", b" ", b"\n", b"-", b"9", b"\0", b"\xff", b"[X][X]", b"[X,1]"]
            text[at : at + data.draw(st.integers(0, 3))] = data.draw(st.sampled_from(pieces))
            if not text:
                break
        path = tmp_path / "rules"
        path.write_bytes(text)
        with contextlib.suppress(CalqueError):
            table, _, _ = (
                read_moses_table(path, with_gaps=True)
                if read is read_moses_table
                else read_hiero_table(path)
            )
            assert len(table.orientation) == 0


def test_a_grammar_of_hiero_is_read_as_it_stands(tmp_path: Path) -> None:
    table, source, target = read_hiero_table(write(tmp_path, HIERO))
    of, no = source.id("of"), target.id("no")
    found = rows(table)
    assert set(found) == {((1, of, 2), (2, no, 1)), ((of, 1), (1,))}
    block = found[(1, of, 2), (2, no, 1)]
    assert table.inner_links(block).tolist() == [[1, 1]]
    assert table.scores[block] == pytest.approx([-x * math.log(10) for x in (0.3, 0.6, 0, 3)])


@pytest.mark.parametrize(
    ("values", "number"),
    [
        ("probability", 0.25),
        ("ln", math.log(0.25)),
        ("minus-ln", -math.log(0.25)),
        ("log10", math.log10(0.25)),
        ("minus-log10", -math.log10(0.25)),
    ],
)
def test_features_of_a_grammar_are_chosen_by_name(
    tmp_path: Path, values: Any, number: float
) -> None:
    line = f"[X] ||| a ||| b ||| EgivenF={number!r} Other=7 FgivenE={number!r} ||| 0-0"
    options = GrammarOptions("FgivenE, -, EgivenF, -", values)
    table, _, _ = read_hiero_table(write(tmp_path, [line]), options)
    assert np.exp(table.scores) == pytest.approx(np.array([[0.25, 1, 0.25, 1]]))


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("[X] ||| a ||| b", "has 3 fields separated by |||, expected [X], source, target"),
        ("[NP] ||| a ||| b ||| 1 1 1 1", "label '[NP]': expected [X]"),
        ("[X] ||| a [NP,1] ||| b [NP,1] ||| 1 1 1 1", "label '[NP,1]': expected no other labels"),
        ("[X] ||| a [X,1] [X,1] ||| b ||| 1 1 1 1", "gap [X,1] stands twice on the source side"),
        ("[X] ||| a [X,1] ||| b [X,2] ||| 1 1 1 1", "gap [X,2] of the target side: expected each"),
        ("[X] ||| a [X,1] ||| b ||| 1 1 1 1", "has 1 gaps on the source side and 0 on the target"),
        ("[X] ||| [X,1] ||| [X,1] ||| 1 1 1 1", "the source side of a rule has no word"),
        ("[X] ||| a ||| b ||| 1 1 -1 1", "feature 3 is -1, as minus-log10 no probability above 0"),
        ("[X] ||| a ||| b ||| 1 1 x 1", "feature 3 is x, as minus-log10 no probability above 0"),
        ("[X] ||| a ||| b ||| 1 1 1 1 ||| 0-1", "alignment point '0-1' lies outside the phrases"),
        ("[X] ||| of [X,1] ||| [X,1] ||| 1 1 1 1", "repeats the phrase pair of line 3"),
    ],
)
def test_a_bad_line_of_a_grammar_is_named(tmp_path: Path, line: str, problem: str) -> None:
    path = write(tmp_path, [*HIERO, line])
    with pytest.raises(CalqueError, match=re.escape(f"{path}: line 4: {problem}")):
        read_hiero_table(path)


def test_scores_that_no_rule_has_are_told(tmp_path: Path) -> None:
    path = write(tmp_path, HIERO)
    with pytest.raises(CalqueError, match="no rule has a feature 'EgivenF'"):
        read_hiero_table(path, GrammarOptions("1,2,EgivenF,-"))
    with pytest.raises(CalqueError, match="scores=1: expected 4 names, with commas"):
        read_hiero_table(path, GrammarOptions("1"))

"""Moses's text tables come in and go out whole; every defect is one line with file and line."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path

import numpy as np
import pytest
from blocks_reference import Pair, corpora, few, to_arrays
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calque.blocks import extract, read_moses_table, write_moses_tables
from calque.errors import CalqueError
from calque.text import Vocabulary

WORDS = Vocabulary(["the", "house", "|", "ein", "à", "z"])
PHRASES = [
    "a b ||| x y ||| 0.5 0.25 1 1e-3 ||| 0-0 1-1 0-1 ||| 2 4 1 ||| |||",
    "a ||| x ||| 1 1 0.75 1 ||| 0-0 ||| 3 3 3 ||| |||",
    "a ||| y ||| 1 1 0.25 1 ||| ||| 3 3 1 ||| |||",
]
ORIENTATIONS = [
    "a ||| y ||| 0.6 0.2 0.2 0.6 0.2 0.2",
    "a b ||| x y ||| 0.2 0.2 0.6 0.6 0.2 0.2",
    "a ||| x ||| 0.6 0.2 0.2 0.2 0.6 0.2",
]
reuse_folder = settings(few, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("suffix", ["", ".gz"])
@reuse_folder
@given(corpora)
def test_a_table_written_and_read_is_the_same_table(
    tmp_path: Path, suffix: str, pairs: list[Pair]
) -> None:
    table = extract(*to_arrays(pairs), threads=1)
    phrases, orientations = tmp_path / f"phrases{suffix}", tmp_path / f"orientations{suffix}"
    write_moses_tables(table, WORDS, WORDS, phrases, orientations)
    back, source_words, target_words = read_moses_table(phrases, orientations, WORDS, WORDS)
    assert (source_words, target_words) == (WORDS, WORDS)
    for name, array in table.to_arrays().items():
        assert np.array_equal(array, getattr(back, name)), name


@reuse_folder
@given(corpora)
def test_lines_are_sorted_as_bytes(tmp_path: Path, pairs: list[Pair]) -> None:
    write_moses_tables(extract(*to_arrays(pairs)), WORDS, WORDS, tmp_path / "table")
    lines = (tmp_path / "table").read_bytes().splitlines()
    assert lines == sorted(lines)


def test_a_table_is_read_as_it_stands(tmp_path: Path) -> None:
    phrases, orientations = tables(tmp_path, PHRASES, ORIENTATIONS)
    table, source_words, target_words = read_moses_table(phrases, orientations)
    a, b = source_words.id("a"), source_words.id("b")
    best, second = table.blocks(table.find([a]))
    assert target_words.decode(table.target(best)) == "x"
    assert np.exp(table.scores[best]) == pytest.approx([1, 1, 0.75, 1])
    assert np.exp(table.orientation[second]) == pytest.approx([0.6, 0.2, 0.2, 0.6, 0.2, 0.2])
    (block,) = table.blocks(table.find([a, b]))
    assert table.inner_links(block).tolist() == [[0, 0], [0, 1], [1, 1]]
    assert table.joint_counts[block] == 1
    assert table.target_counts[table.target_phrase[block]] == 2
    assert table.source_counts[table.find([a, b])] == 4


def test_without_counts_or_reordering_table_those_arrays_are_empty(tmp_path: Path) -> None:
    phrases, _ = tables(tmp_path, [" ||| ".join(line.split(" ||| ")[:3]) for line in PHRASES])
    table, source_words, target_words = read_moses_table(phrases)
    assert len(table) == 3
    for name in ("joint_counts", "source_counts", "target_counts", "orientation"):
        assert len(getattr(table, name)) == 0
    with pytest.raises(CalqueError, match="no orientations to write"):
        write_moses_tables(table, source_words, target_words, tmp_path / "p", tmp_path / "o")
    write_moses_tables(table, source_words, target_words, tmp_path / "again")
    assert len(read_moses_table(tmp_path / "again")[0]) == 3


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a ||| c", "has 2 fields separated by |||, expected 3 to 7"),
        ("", "has 1 fields separated by |||, expected 3 to 7"),
        ("||| c ||| 1 1 1 1", "the source phrase is empty"),
        ("a ||| ||| 1 1 1 1", "the target phrase is empty"),
        ("a ||| c ||| 1 1 1", "has 3 scores, expected 4"),
        ("a ||| c ||| 1 1 1 1 2.718", "has 5 scores, expected 4"),
        ("a ||| c ||| 1 x 1 1", "score 'x' is not a number"),
        ("a ||| c ||| 1 nan 1 1", "score 'nan' is not a number"),
        ("a ||| c ||| 1 inf 1 1", "score 'inf' is not a number"),
        ("a ||| c ||| 1 0 1 1", "score '0': expected a probability above 0"),
        ("a ||| c ||| 1 -0.5 1 1", "score '-0.5': expected a probability above 0"),
        ("a ||| c ||| 1 1 1 1 ||| 0-1", "alignment point '0-1' lies outside the phrases (1 and 1"),
        ("a ||| c ||| 1 1 1 1 ||| 0", "alignment point '0': expected two positions as in 0-1"),
        ("a ||| c ||| 1 1 1 1 ||| 0--1", "alignment point '0--1': expected two positions"),
        ("a ||| c ||| 1 1 1 1 ||| 0-0 ||| 1 1", "has 2 counts, expected target, source and pair"),
        ("a ||| c ||| 1 1 1 1 ||| 0-0 ||| 1 1 0.5", "count '0.5': expected a whole number"),
        ("a ||| c ||| 1 1 1 1 ||| 0-0", "lacks the counts that earlier lines have"),
        ("a ||| c ||| 1 1 1 1 ||| ||| 1 1 1 ||| f 1 |||", "has sparse features, expected none"),
        ("a b ||| x y ||| 1 1 1 1 ||| ||| 1 1 1", "repeats the phrase pair of line 1"),
    ],
)
def test_a_bad_line_of_a_phrase_table_is_named(tmp_path: Path, line: str, problem: str) -> None:
    phrases, _ = tables(tmp_path, [*PHRASES, line])
    with pytest.raises(CalqueError, match=re.escape(f"{phrases}: line 4: {problem}")):
        read_moses_table(phrases)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("a ||| z ||| 1 1 1 1 1 1", "this phrase pair is not in the phrase table"),
        ("q ||| x ||| 1 1 1 1 1 1", "this phrase pair is not in the phrase table"),
        ("a ||| y ||| 1 1 1 1 1 1", "repeats a phrase pair"),
        ("a ||| y ||| 1 1 1", "has 3 scores, expected 6"),
        ("a ||| y ||| 1 1 1 1 1 1 |||", "has 4 fields separated by |||, expected 3"),
    ],
)
def test_a_bad_line_of_a_reordering_table_is_named(tmp_path: Path, line: str, problem: str) -> None:
    phrases, orientations = tables(tmp_path, PHRASES, [*ORIENTATIONS, line])
    with pytest.raises(CalqueError, match=re.escape(f"{orientations}: line 4: {problem}")):
        read_moses_table(phrases, orientations)


@pytest.mark.parametrize("n", [0, 2])
def test_a_reordering_table_that_lacks_pairs_is_refused(tmp_path: Path, n: int) -> None:
    phrases, orientations = tables(tmp_path, PHRASES, ORIENTATIONS[:n])
    problem = f"{orientations}: lacks the phrase pair of {phrases}, line"
    with pytest.raises(CalqueError, match=re.escape(problem)):
        read_moses_table(phrases, orientations)


def test_the_bar_is_no_word(tmp_path: Path) -> None:
    words = Vocabulary(["|||"])
    with pytest.raises(CalqueError, match="cannot stand in a Moses table"):
        write_moses_tables(extract(*to_arrays([])), words, words, tmp_path / "table")


@reuse_folder
@given(st.data())
def test_no_damage_to_a_table_crashes_the_reader(tmp_path: Path, data: st.DataObject) -> None:
    texts = [bytearray("\n".join(lines).encode()) for lines in (PHRASES, ORIENTATIONS)]
    for text in texts:
        for _ in range(data.draw(st.integers(0, 4))):
            at = data.draw(st.integers(0, len(text) - 1))
            piece = data.draw(
                st.sampled_from([b"", b"|||", b" ", b"\n", b"-", b"9", b"\0", b"\xff"])
            )
            text[at : at + data.draw(st.integers(0, 3))] = piece
            if not text:
                break
    phrases, orientations = tmp_path / "phrases", tmp_path / "orientations"
    phrases.write_bytes(texts[0])
    orientations.write_bytes(texts[1])
    with contextlib.suppress(CalqueError):
        table, _, _ = read_moses_table(phrases, orientations)
        assert len(table.orientation) == len(table)


def tables(
    folder: Path, phrases: list[str], orientations: list[str] | None = None
) -> tuple[Path, Path]:
    paths = folder / "phrase-table", folder / "reordering-table"
    for path, lines in zip(paths, (phrases, orientations or []), strict=True):
        path.write_text("".join(line + "\n" for line in lines))
    return paths

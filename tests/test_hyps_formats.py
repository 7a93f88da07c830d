"""N-best lists on disk: every format comes back, every mistake is one line with its place."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.errors import CalqueError
from calque.features import Weights
from calque.hyps import FORMATS, NBest, joined, read_nbest, rescored, write_nbest
from calque.hyps.formats import Format
from calque.hyps.weights import read_weights, write_weights

WORD = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
NAME = st.sampled_from(["lm", "tm_0", "Größe", "x-y", "pp"])
FINITE = st.floats(allow_nan=False, allow_infinity=False)
CANDIDATE = st.tuples(st.lists(WORD, max_size=4), st.dictionaries(NAME, FINITE), FINITE)
LISTS = st.lists(st.lists(CANDIDATE, min_size=1, max_size=3), min_size=1, max_size=3)


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(line + "\n" for line in lines))
    return path


def features(nbest: NBest, at: int) -> dict[str, float]:
    some = slice(nbest.row_offsets[at], nbest.row_offsets[at + 1])
    names = [nbest.names[column] for column in nbest.columns[some]]
    return dict(zip(names, nbest.values[some].tolist(), strict=True))


@given(lists=LISTS, format=st.sampled_from(FORMATS))
def test_what_is_written_comes_back(
    lists: list[list[tuple[list[str], dict[str, float], float]]],
    format: Format,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    rows = [(s, *candidate) for s, some in enumerate(lists) for candidate in some]
    names = list(dict.fromkeys(name for row in rows for name in row[2]))
    columns = [names.index(name) for row in rows for name in row[2]]
    offsets = np.cumsum([0, *(len(row[2]) for row in rows)])
    nbest = NBest(
        tuple(names),
        np.array([row[0] for row in rows], np.int64),
        [" ".join(row[1]) for row in rows],
        offsets.astype(np.int64),
        np.array(columns, np.int32),
        np.array([value for row in rows for value in row[2].values()], np.float64),
        np.array([row[3] for row in rows]),
    )
    path = tmp_path_factory.mktemp("lists") / "lists.gz"
    write_nbest(path, nbest, format)
    found = read_nbest(path)
    assert found.sentences.tolist() == [row[0] for row in rows]
    assert list(found.texts) == [" ".join(row[1]) for row in rows]
    assert found.totals is not None
    assert found.totals.tolist() == [row[3] for row in rows]
    assert [features(found, at) for at in range(len(rows))] == [row[2] for row in rows]


def test_labels_of_several_values_become_numbered_features(tmp_path: Path) -> None:
    path = write(tmp_path / "n", "0 ||| a b  ||| LR0= -1.5 0 2 LM0= -43 ||| -3.2 ||| 0=0 1=1")
    nbest = read_nbest(path)
    assert features(nbest, 0) == {"LR0_0": -1.5, "LR0_1": 0.0, "LR0_2": 2.0, "LM0": -43.0}
    assert nbest.texts == ["a b"]


@pytest.mark.parametrize(
    "written", ["lm= -3 w= 2", "lm: -3 w: 2", "lm -3 w 2", "lm=-3 w=2", "lm=-3 w= +2.0"]
)
def test_labels_are_understood_in_every_dress(tmp_path: Path, written: str) -> None:
    nbest = read_nbest(write(tmp_path / "n", f"0 ||| a ||| {written} ||| 1e2"))
    assert features(nbest, 0) == {"lm": -3.0, "w": 2.0}


def test_an_empty_translation_is_a_candidate(tmp_path: Path) -> None:
    nbest = read_nbest(write(tmp_path / "n", "0 |||  ||| lm= 1 ||| 0", "0 ||| ||| lm= 2 ||| 0"))
    assert nbest.texts == ["", ""]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["hello"], "line 1: expected 'id ||| words ||| features ||| score'"),
        (["x ||| a ||| lm= 1 ||| 1"], "line 1: 'x' is no sentence id"),
        (["0 ||| a ||| lm= nan ||| 1"], "line 1: the value of 'lm' is nan, expected a finite"),
        (["0 ||| a ||| lm= 1 ||| inf"], "line 1: the total score is 'inf', expected a finite"),
        (["0 ||| a ||| lm= 1 lm= 2 ||| 1"], "line 1: 'lm' is given twice"),
        (["0 ||| a ||| lm= w= 2 ||| 1"], "line 1: 'lm' has no value"),
        (["0 ||| a ||| 1 2 ||| 1"], "line 1: '1' has no name"),
        (["0 ||| a ||| lm= 1 ||| 1", "0 ||| a ||| lm= 1 2 ||| 1"], "line 2: 'lm' has 2 values"),
        (["0 ||| a ||| lm= 1 ||| 1", "0 ||| a ||| lm= 1"], "line 2: has no total score, but"),
        (["1 ||| a ||| lm= 1 ||| 1"], "line 1: sentence 0 has no candidates before sentence 1"),
        (["0 ||| a ||| l= 1", "3 ||| a ||| l= 1"], "line 2: sentences 1-2 have no candidates"),
        (["0 ||| a ||| l= 1", "1 ||| a ||| l= 1", "0 ||| b ||| l= 1"], "line 3: sentence 0 after"),
        (['{"id": 0}'], 'line 1: expected {"id": 0, "text"'),
        (['{"id": 0, "text": "a", "features": {"l": NaN}}'], "line 1: the value of 'l' is nan"),
        (['{"id": 0, "text": "a", "features": {}, "sore": 1}'], "line 1: unknown field 'sore'"),
        ([], "has no candidates"),
    ],
)
def test_bad_lists_are_refused_with_their_place(
    tmp_path: Path, lines: list[str], message: str
) -> None:
    path = write(tmp_path / "lists", *lines)
    with pytest.raises(CalqueError) as caught:
        read_nbest(path)
    assert str(caught.value).startswith(f"{path}: {message}")


def test_features_missing_from_lists_are_reported(tmp_path: Path) -> None:
    lines = [
        "0 ||| a ||| lm= 1 x= 1",
        "0 ||| b ||| lm= 1",
        "1 ||| c ||| lm= 1",
        "2 ||| c ||| lm= 1",
    ]
    nbest = read_nbest(write(tmp_path / "n", *lines))
    assert nbest.dense_names() == ("lm",)
    assert nbest.missing() == [
        "feature 'x' is on 1 of 4 candidates and missing from 2 of 3 lists: there it is 0"
    ]
    assert nbest.matrix(["x", "lm"]).tolist() == [[1, 1], [0, 1], [0, 1], [0, 1]]


def test_joined_lists_hold_the_candidates_of_all_by_sentence(tmp_path: Path) -> None:
    one = read_nbest(write(tmp_path / "1", "0 ||| a ||| x= 1", "1 ||| b ||| x= 2"))
    two = read_nbest(write(tmp_path / "2", "0 ||| c ||| y= 3 x= 4", "1 ||| d ||| y= 5"))
    both = joined([one, two])
    assert both.texts == ["a", "c", "b", "d"]
    assert [features(both, at) for at in range(4)] == [
        {"x": 1},
        {"y": 3, "x": 4},
        {"x": 2},
        {"y": 5},
    ]


def test_rescored_lists_are_sorted_by_their_new_totals(tmp_path: Path) -> None:
    lines = [
        "0 ||| a ||| x= 1 y= 0 ||| 9",
        "0 ||| b ||| x= 3 y= 1 ||| 8",
        "0 ||| c ||| x= 3 y= 1 ||| 7",
    ]
    path = write(tmp_path / "n", *lines)
    ranked = rescored(read_nbest(path), {"x": 2.0, "y": -1.0}, path)
    assert list(ranked.texts) == ["b", "c", "a"]
    assert ranked.totals is not None
    assert ranked.totals.tolist() == [5.0, 5.0, 2.0]
    by_total = rescored(read_nbest(path), {"x": 0.0, "y": 0.0, "Total": -1.0}, path)
    assert list(by_total.texts) == ["c", "b", "a"]
    with pytest.raises(CalqueError, match="feature 'y' of .* has no weight"):
        rescored(read_nbest(path), {"x": 2.0}, path)
    with pytest.raises(CalqueError, match="has no feature 'z'"):
        rescored(read_nbest(path), {"x": 2.0, "y": 1.0, "z": 1.0}, path)


@given(values=st.dictionaries(NAME, st.floats(-1e20, 1e20), min_size=1))
def test_weights_come_back_bit_for_bit(
    values: dict[str, float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("weights") / "w"
    write_weights(path, Weights(values))
    assert read_weights(path) == values
    assert all(
        math.copysign(1, read_weights(path)[n]) == math.copysign(1, v) for n, v in values.items()
    )


def test_weights_of_moses_are_read_as_features_of_its_lists(shared_data: Path) -> None:
    weights = read_weights(shared_data / "moses" / "multi30k.dev.weights")
    nbest = read_nbest(shared_data / "moses" / "multi30k.dev.nbest100.gz")
    assert len(nbest) == 23_555
    assert set(weights) == {*nbest.names, "UnknownWordPenalty0"}
    with gzip.open(shared_data / "moses" / "multi30k.dev.nbest100.gz", "rt") as file:
        last = file.readlines()[-1].split("|||")
    assert nbest.texts[-1] == last[1].strip()
    assert nbest.values[-14:].tolist() == [float(x) for x in last[2].split() if "=" not in x]


@pytest.mark.parametrize(
    "line",
    [
        '{"id": 9223372036854775808, "text": "a", "features": {"f": 1}}',
        '{"id": 0, "text": "a", "features": {"f": 1%s}}' % ("0" * 400),
        '{"id": 0, "text": "a", "features": {"f": 1}, "score": 1%s}' % ("0" * 400),
        '{"id": 0, "text": "a", "features": %s}' % ("[" * 100_000),
        '{"id": 0, "text": "\\ud800", "features": {"f": 1}}',
        '{"id": 0, "text": "a", "features": {"\\udfff": 1}}',
    ],
)
def test_hostile_json_is_located(tmp_path: Path, line: str) -> None:
    path = tmp_path / "lists"
    path.write_text(line + "\n")
    with pytest.raises(CalqueError, match=f"{path}: line 1: "):
        read_nbest(path)


@pytest.mark.parametrize("format", ["moses", "joshua"])
def test_bars_and_line_ends_in_a_text_do_not_spoil_a_list(tmp_path: Path, format: Format) -> None:
    path = tmp_path / "lists"
    path.write_text(
        '{"id": 0, "text": "a ||| b", "features": {"f": 1}}\n'
        '{"id": 1, "text": "c\\n d", "features": {"f": 1}}\n'
    )
    write_nbest(tmp_path / "again", read_nbest(path), format)
    assert list(read_nbest(tmp_path / "again").texts) == ["a ||| b", "c  d"]

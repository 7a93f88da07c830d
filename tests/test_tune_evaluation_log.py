"""The log of evaluations: bit by bit what was seen, whatever ended the process."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.errors import FileError, LineError
from calque.features import Weights
from calque.tune.evaluation_log import EvaluationLog, Logged, from_json, to_json
from calque.tune.values import Value

NAMES = tuple(Weights.default())
finite = st.floats(allow_nan=False, allow_infinity=False)
ONE = Weights(dict.fromkeys(NAMES, 1.0))
VALUE = Value(0.1, {"bleu": 90.0, "nist": 1 / 3}, 12345, 99)


@given(st.lists(finite, min_size=len(NAMES), max_size=len(NAMES)), finite, finite)
def test_numbers_come_back_bit_by_bit(values: list[float], error: float, score: float) -> None:
    weights = Weights(dict(zip(NAMES, values, strict=True)))
    value = Value(error, {"bleu": score}, 7, 8)
    line = Logged(weights, value, 0.1)
    written = json.dumps(to_json(1, line), allow_nan=False)
    assert from_json(json.loads(written)) == line


def test_what_is_no_number_comes_back(tmp_path: Path) -> None:
    log = EvaluationLog(tmp_path / "log")
    log.append(1, ONE, Value(math.inf, {"bleu": math.nan}, 7, 8))
    [(_, found)] = EvaluationLog(tmp_path / "log").known
    assert found.error == math.inf
    assert math.isnan(found.scores["bleu"])


@pytest.mark.parametrize("cut", [1, 10, 400])
def test_an_unfinished_line_is_removed(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "log"
    log = EvaluationLog(path)
    assert log.known == []
    log.append(1, ONE, VALUE)
    first = path.read_bytes()
    log.append(2, ONE, VALUE)
    path.write_bytes(path.read_bytes()[:-cut])
    again = EvaluationLog(path)
    assert again.known == [(ONE, VALUE)]
    assert path.read_bytes() == first
    again.append(2, ONE, VALUE)
    assert len(EvaluationLog(path).known) == 2


@pytest.mark.parametrize("line", ["[]", "{}", "x", '{"scores": 1}', "\xff"])
def test_a_foreign_line_is_one_clear_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "log"
    EvaluationLog(path).append(1, ONE, VALUE)
    with path.open("a", encoding="latin-1") as file:
        file.write(line + "\n")
    with pytest.raises(LineError, match="line 2: is no evaluation of a run"):
        EvaluationLog(path)


def test_a_folder_in_its_place_is_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="cannot be read"):
        EvaluationLog(tmp_path)

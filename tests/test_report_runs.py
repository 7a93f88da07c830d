"""The page of runs: complete, deterministic, safe, and clear where a run tells little."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from test_report_page import HOSTILE, Reader, check_self_contained

from calque.features import SparseWeights, Weights
from calque.report.record import RoundRecord, RunRecord
from calque.report.runs import report
from calque.tune.examples import Example

HOSTILE_WORD = HOSTILE.replace(" ", "_")

MERT = RunRecord(
    "near-mert",
    "mert",
    "bleu",
    [
        RoundRecord(1, 31.25, 33.0, 0.97, 1000, seconds=2.5),
        RoundRecord(2, 34.5, 35.5, 1.01, 1800, seconds=3.5),
        RoundRecord(3, 34.25, 36.0, 1.02, 2300, seconds=66.0),
    ],
    seed=7,
    signature="nrefs:1|tok:none",
    chosen=2,
    reason="nothing new",
    options={"restarts": 20, "interval": "middle", "average": False},
    start_weights=Weights({"language_model": 0.5, "unknown": 100.0, "distance": 0.1}),
    end_weights=Weights({"language_model": 0.25, "unknown": 100.0, "distance": -0.125}),
    warnings=["the weights of 2 features are tiny"],
    examples=[Example("ein haus", "a house", "a", "a house")],
)
SIMPLEX = RunRecord(
    "near-simplex",
    "simplex",
    "bleu",
    [RoundRecord(n, score, n_hypotheses=1000 + n) for n, score in enumerate([30, 29, 31, 30.5], 1)],
    chosen=3,
)


def test_the_table_tells_how_every_run_went() -> None:
    cells = check_self_contained(report([MERT, SIMPLEX])).cells
    at = cells.index("mert") - 1
    assert cells[at + 1 : at + 10] == [
        "mert", "7", "3", "2", "bleu", "31.25", "34.5", "1 min 12 s", "nothing new",
    ]  # fmt: skip
    at = cells.index("simplex") - 1
    assert cells[at + 1 : at + 10] == [
        "simplex", "–", "4", "3", "bleu", "30", "31", "–", "not finished",
    ]  # fmt: skip


def test_every_run_has_its_curve() -> None:
    text = report([MERT, SIMPLEX])
    reader = check_self_contained(text)
    # Twice in the score's drawing and its legend's neighbours: once per drawing that shows it.
    assert reader.tags.count("svg") == 3  # score, length, search
    drawings = text.split("<svg")[1:]
    assert "near-mert" in drawings[0]
    assert "near-simplex" in drawings[0]
    assert "near-simplex" not in drawings[1].partition("</svg>")[0]
    for series in (0, 1):
        assert f"stroke: var(--series-{series})" in drawings[0]


def test_runs_on_different_metrics_have_axes_of_their_own() -> None:
    other = replace(SIMPLEX, name="nist-run", metric="nist", rounds=[RoundRecord(1, 5.0)])
    reader = check_self_contained(report([MERT, other]))
    assert reader.tags.count("svg") == 3  # two scores, length


def test_weights_show_start_and_end() -> None:
    cells = Reader(report([MERT])).cells
    at = cells.index("distance")
    assert cells[at : at + 3] == ["distance", "0.1", "-0.125"]


def test_of_many_sparse_weights_the_largest_are_shown_and_all_are_counted() -> None:
    keys = np.arange(1, 50_001, dtype=np.uint64)
    values = np.random.default_rng(1).permutation(50_000).astype(np.float32) - 20_000.5
    values /= 10_000
    start = SparseWeights.from_arrays(keys[:25_000], np.ones(25_000, np.float32))
    end = SparseWeights.from_arrays(keys, values)
    run = replace(
        MERT,
        start_weights=Weights(MERT.start_weights, start),
        end_weights=Weights(MERT.end_weights, end),
    )
    text = report([run])
    assert len(text) < len(report([MERT])) + 50_000
    reader = Reader(text)
    shown = [cell for cell in reader.cells if cell.startswith("#")]
    largest = sorted(keys.tolist(), key=lambda key: -abs(values[key - 1]))[:50]
    assert shown == [f"#{key:016x}" for key in largest]
    before = "1" if largest[0] <= 25_000 else "0"
    at = reader.cells.index(shown[0])
    assert reader.cells[at + 1 : at + 3] == [before, "3"]
    assert "50,000, the 50 largest here" in reader.text
    assert "distance" in reader.cells


def test_bars_are_measured_by_the_weights_that_moved() -> None:
    text = report([MERT])
    assert text.count("width:50.00%") == 2  # the largest that moved, and the huge one that did not
    assert "left:25.00%;width:25.00%" in text


def test_examples_options_and_warnings_are_shown() -> None:
    text = Reader(report([MERT])).text
    for shown in ("ein haus", "a house", "restarts", "false", "2 features are tiny", "tok:none"):
        assert shown in text


def test_hostile_names_and_texts_stay_text() -> None:
    run = replace(
        MERT,
        name=HOSTILE,
        method=HOSTILE,
        metric=HOSTILE,
        reason=HOSTILE,
        options={HOSTILE: HOSTILE},
        start_weights=Weights({HOSTILE_WORD: 1.0}),
        end_weights=Weights({HOSTILE_WORD: 2.0}),
        warnings=[HOSTILE],
        examples=[Example(HOSTILE, HOSTILE, HOSTILE, HOSTILE)],
    )
    reader = check_self_contained(report([run, run]))
    assert "script" not in reader.tags
    assert HOSTILE in reader.text
    assert HOSTILE_WORD in reader.text


def test_the_same_runs_give_the_same_bytes() -> None:
    assert report([MERT, SIMPLEX]) == report([MERT, SIMPLEX])


@pytest.mark.parametrize(
    "rounds",
    [
        [],
        [RoundRecord(1, None)],
        [RoundRecord(1, float("nan"), float("inf"), float("nan"))],
        [RoundRecord(1, None, 30.0), RoundRecord(2, None, 31.0)],
    ],
)
def test_a_run_that_tells_little_has_a_page(rounds: list[RoundRecord]) -> None:
    reader = check_self_contained(report([RunRecord("bare", "mert", "bleu", rounds)]))
    assert "bare" in reader.text

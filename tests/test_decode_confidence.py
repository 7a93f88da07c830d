"""How sure a translation is of its words: posteriors, calibration, and what they are worth."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, done, mistake
from hypothesis import given
from hypothesis import strategies as st

from calque.data import CorpusFiles
from calque.decode import edits, load
from calque.decode.calibrate import Judged, calibrate, quality_of, right_words
from calque.decode.confidence import (
    LEAST,
    UNCALIBRATED,
    Calibration,
    Evidence,
    read_calibration,
)
from calque.errors import CalqueError, ModelError
from calque.model import ModelWriter
from calque.text import read_lines

WORDS = st.lists(st.sampled_from("abc"), max_size=5)


def test_a_posterior_is_the_probability_of_the_candidates_with_the_word(
    trained: Path, corpus: CorpusFiles
) -> None:
    translator = load(trained)
    lines = list(read_lines(corpus.test_source))[:8]
    lists = list(translator.n_best(lines, 100))
    for (best, evidence), candidates in zip(translator.evidence(lines), lists, strict=True):
        assert best.text == candidates[0].text
        for scale in (0.3, 1.0):
            shares = [math.exp(scale * (candidate.score - best.score)) for candidate in candidates]
            stays = [right_words(best.words, [candidate.words]) for candidate in candidates]
            expected = np.array(shares) @ np.array(stays) / sum(shares)
            np.testing.assert_allclose(evidence.posteriors(scale), expected, atol=1e-5)
        words = UNCALIBRATED.confidences(evidence)
        np.testing.assert_allclose(words, np.clip(evidence.posteriors(1.0), LEAST, 1 - LEAST))


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_right_words_are_those_that_the_fewest_edits_keep(
    words: list[str], references: list[list[str]]
) -> None:
    def best(i: int, j: int, reference: list[str]) -> tuple[int, int]:
        """Fewest edits, then most words kept (negative), by trying everything."""
        if i == len(words) or j == len(reference):
            return len(words) - i + len(reference) - j, 0
        same = words[i] == reference[j]
        edits, kept = best(i + 1, j + 1, reference)
        ways = [(edits + (not same), kept - same)]
        for step in ((1, 0), (0, 1)):
            edits, kept = best(i + step[0], j + step[1], reference)
            ways.append((edits + 1, kept))
        return min(ways)

    is_right = right_words(words, references)
    assert len(is_right) == len(words)
    nearest = min(references, key=lambda reference: best(0, 0, reference))
    assert is_right.sum() == -best(0, 0, nearest)[1]
    kept = iter(nearest)  # what stays is there in the same order
    assert all(word in kept for word, right in zip(words, is_right, strict=True) if right)


def test_tables_are_filled_in_parts_without_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(2)
    words, *others = (draw.integers(0, 4, draw.integers(0, 9)).tolist() for _ in range(30))
    whole = edits.edit(words, others)
    monkeypatch.setattr(edits, "MOST_CELLS", 1)
    parts = edits.edit(words, others)
    np.testing.assert_array_equal(whole.costs, parts.costs)
    np.testing.assert_array_equal(whole.stays, parts.stays)


@given(st.lists(st.tuples(st.integers(0, 20), st.booleans()), min_size=2, max_size=40))
def test_quality_agrees_with_counting_pairs(words: list[tuple[int, bool]]) -> None:
    confidences = np.array([value / 20 for value, _ in words])
    is_right = np.array([right for _, right in words])
    quality = quality_of(confidences, is_right)
    pairs = [(a > b) + (a == b) / 2 for a in confidences[is_right] for b in confidences[~is_right]]
    if pairs:
        assert quality.auc == pytest.approx(sum(pairs) / len(pairs))
    else:
        assert math.isnan(quality.auc)
    error = 0.0
    for bin in range(10):
        inside = [
            (c, r)
            for c, r in zip(confidences, is_right, strict=True)
            if bin / 10 <= c < (bin + 1) / 10 or (bin == 9 and c == 1)
        ]
        if inside:
            mean, share = np.mean([c for c, _ in inside]), np.mean([r for _, r in inside])
            error += len(inside) / len(words) * abs(mean - share)
    assert quality.calibration_error == pytest.approx(error, abs=1e-9)


def judged_by(truth: Calibration, n_sentences: int) -> list[Judged]:
    """Sentences whose words are right with exactly the confidence that `truth` gives."""
    draw = np.random.default_rng(1)
    judged = []
    for _ in range(n_sentences):
        n_words = int(draw.integers(3, 15))
        scores = -np.sort(draw.exponential(2.0, 30))
        agrees = draw.random((30, n_words)) < draw.random(n_words)
        agrees[0] = True
        evidence = Evidence(scores, agrees, draw.random(n_words) < 0.1)
        judged.append(Judged(evidence, draw.random(n_words) < truth.confidences(evidence)))
    return judged


def test_calibration_finds_the_map_that_made_the_words_right() -> None:
    truth = Calibration(scale=0.5, bias=-0.4, posterior=0.6, sentence=0.5, unknown=-1.5)
    learned = calibrate(judged_by(truth, 3000))
    assert learned.calibration.scale == truth.scale
    for name, value in truth.to_json().items():
        assert getattr(learned.calibration, name) == pytest.approx(value, abs=0.15)
    assert learned.quality.calibration_error < 0.015 < learned.raw.calibration_error
    assert learned.quality.auc > learned.raw.auc


def test_calibration_needs_right_and_wrong_words() -> None:
    truth = Calibration(scale=0.5, bias=0.0, posterior=1.0, sentence=0.0, unknown=0.0)
    judged = judged_by(truth, 60)
    with pytest.raises(CalqueError, match="expected at least 200, right and wrong ones"):
        calibrate(
            [Judged(sentence.evidence, np.ones_like(sentence.is_right)) for sentence in judged]
        )
    with pytest.raises(CalqueError, match="expected at least 200"):
        calibrate(judged[:3])


@pytest.mark.parametrize(
    "values", [None, {}, {"scale": 1.0}, {**UNCALIBRATED.to_json(), "bias": "x"}]
)
def test_a_damaged_calibration_is_one_clear_line(values: object) -> None:
    with pytest.raises(ModelError, match="confidence: expected the numbers scale, bias"):
        Calibration.from_json(values)


def test_calibrated_confidences_come_with_json_until_the_weights_change(
    verb: Run, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    model = Path(shutil.copytree(trained, tmp_path / "model"))
    line = next(read_lines(corpus.test_source))
    command = ["translate", "--model", model, "--json"]
    raw = json.loads(done(verb(*command, stdin=line)))
    assert raw["calibrated"] is False
    files = ["--source", corpus.test_source, "--reference", corpus.test_references[0]]
    told = json.loads(done(verb("calibrate", "--model", model, *files, "--json")))
    assert 0.5 < told["quality"]["auc"] <= 1
    row = json.loads(done(verb(*command, stdin=line)))
    assert row["calibrated"] is True
    assert {key: row[key] for key in ("text", "words", "links")} == {
        key: raw[key] for key in ("text", "words", "links")
    }
    translator = load(model)
    assert translator.calibration == Calibration(**told["calibration"])
    [[best]] = translator.n_best([line], 1, with_confidence=True)
    assert row["word_confidences"] == pytest.approx(list(best.word_confidences))
    assert len(best.word_confidences) == len(best.words)
    assert row["confidence"] == pytest.approx(np.mean(best.word_confidences))
    assert translator.translate(line).confidence is None
    out = done(verb("calibrate", "--model", model, *files, "-q"))
    assert [row.split()[0] for row in out.splitlines()[1:3]] == ["posteriors", "calibrated"]
    with ModelWriter(model, update=True) as writer:
        writer.text("weights/default", translator.model.weights.dense_text() + "\n")
        writer.commit({})
    assert read_calibration(model) is None


def test_files_of_different_length_are_told(verb: Run, trained: Path, corpus: CorpusFiles) -> None:
    files = ["--source", corpus.test_source, "--reference", corpus.dev_references[0]]
    told = mistake(verb("calibrate", "--model", trained, *files))
    assert told.endswith("has 10: expected equal numbers")

"""What every metric of the registry promises."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calque.errors import CalqueError, OptionError
from calque.metrics import (
    METRIC_NAMES,
    ExternalScores,
    Metric,
    bleu,
    make_metric,
    settings_of,
)

HYPOTHESES = [
    "the cat sat on the mat .",
    "a dog",
    "",
    "on the the mat the cat sat , quietly",
    "the cat is sitting on the mat .",
    "Ein Satz",
]
REFERENCES = [
    ["the cat sat on the mat .", "the dog barks", "something", "the cat sat quietly on the mat",
     "the cat sits on a mat .", ""],
    ["a cat was on the mat .", "dogs bark", "", "quietly the cat sat", "cats sit .", "ein Satz"],
]  # fmt: skip


def made(name: str) -> Metric:
    if name == "external":
        return make_metric(name, scores=np.array([0.5, 0.25, -1.0, 0.75, 0.125, 2.0]))
    return make_metric(name)


@pytest.fixture(params=METRIC_NAMES)
def metric(request: pytest.FixtureRequest) -> Metric:
    return made(request.param)


def test_statistics_are_one_row_of_doubles_per_hypothesis(metric: Metric) -> None:
    prepared = metric.prepare(REFERENCES)
    statistics = prepared.statistics(HYPOTHESES)
    assert prepared.n_sentences == len(HYPOTHESES)
    assert statistics.shape == (len(HYPOTHESES), len(metric.statistics_names))
    assert statistics.dtype == np.float64
    assert np.isfinite(statistics).all()
    assert len(set(metric.statistics_names)) == len(metric.statistics_names)


def test_a_corpus_that_is_there_twice_scores_as_once(metric: Metric) -> None:
    if isinstance(metric, ExternalScores):
        return  # it has scores for its own lines only
    once = metric.prepare(REFERENCES).statistics(HYPOTHESES).sum(axis=0)
    twice = metric.prepare([lines * 2 for lines in REFERENCES]).statistics(HYPOTHESES * 2)
    assert metric.score(twice.sum(axis=0)) == pytest.approx(float(metric.score(once)))


# Ties: of equal rates, one reference needs twice the edits at twice the length.
TIED = [
    ("a b", ["a c", "a b d e"]),
    ("a b c d", ["a x", "a b y z"]),
    ("a x", ["a b", "a b c d", "x y"]),
    ("x y", ["a", "a b", ""]),
    ("a b a b", ["a b", "b a b a c", "a a b b"]),
]


@pytest.mark.parametrize(
    "name", [name for name in METRIC_NAMES if name not in ("external", "chrf")]
)
def test_the_order_of_references_changes_nothing(name: str) -> None:
    # Not so chrF: of equally good references sacreBLEU takes the first, and so do we.
    random = np.random.default_rng(1)
    words = np.array(list("abcd"))
    draw = [" ".join(random.choice(words, random.integers(1, 7))) for _ in range(4 * 300)]
    texts = [draw[:300], draw[300:600], draw[600:900]]
    for hypothesis, some in TIED:
        for text, line in zip(texts, [*some, *some], strict=False):
            text.append(line)
        draw.append(hypothesis)
    hypotheses = draw[900:]
    metric = made(name)
    first = metric.prepare(texts).statistics(hypotheses)
    for other in ([2, 1, 0], [1, 2, 0]):
        again = metric.prepare([texts[k] for k in other]).statistics(hypotheses)
        np.testing.assert_allclose(again, first, rtol=1e-12)


@pytest.mark.parametrize(
    "name", [name for name in METRIC_NAMES if name not in ("external", "nist")]
)
def test_the_parts_of_a_corpus_prepared_alone_give_the_same_rows(name: str) -> None:
    # Not so NIST, whose information is counted over all references of the corpus.
    metric = made(name)
    whole = metric.prepare(REFERENCES).statistics(HYPOTHESES)
    for i, line in enumerate(HYPOTHESES):
        alone = metric.prepare([[lines[i]] for lines in REFERENCES]).statistics([line])
        np.testing.assert_array_equal(alone[0], whole[i])


@pytest.mark.parametrize("n_remembered", [1, 2])
def test_how_many_references_are_counted_together_changes_nothing(
    n_remembered: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = make_metric("bleu").prepare(REFERENCES).statistics(HYPOTHESES)
    monkeypatch.setattr(bleu, "STRETCH", 4)
    monkeypatch.setattr(bleu, "REMEMBERED", n_remembered)
    prepared = make_metric("bleu").prepare(REFERENCES)
    order = np.array([5, 0, 4, 1, 5, 3])
    some = prepared.statistics([HYPOTHESES[at] for at in order], order)
    np.testing.assert_array_equal(some, whole[order])


@pytest.mark.parametrize("name", [name for name in METRIC_NAMES if name != "external"])
def test_a_row_depends_on_nothing_but_its_hypothesis_and_sentence(name: str) -> None:
    metric = made(name)
    prepared = metric.prepare(REFERENCES)
    whole = prepared.statistics(HYPOTHESES)
    order = np.array([3, 3, 0, 5, 2])
    some = prepared.statistics([HYPOTHESES[i] for i in order], order)
    np.testing.assert_array_equal(some, whole[order])
    np.testing.assert_array_equal(made(name).prepare(REFERENCES).statistics(HYPOTHESES), whole)


@pytest.mark.parametrize("name", [name for name in METRIC_NAMES if name != "external"])
def test_the_number_of_threads_changes_nothing(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hypotheses = [f"{HYPOTHESES[i % 6]} w{i % 7}" for i in range(3000)]
    sentences = np.arange(3000) % 6
    prepared = made(name).prepare(REFERENCES)
    monkeypatch.setenv("CALQUE_THREADS", "1")
    alone = prepared.statistics(hypotheses, sentences)
    monkeypatch.setenv("CALQUE_THREADS", "3")
    np.testing.assert_array_equal(prepared.statistics(hypotheses, sentences), alone)


@pytest.mark.parametrize("name", [name for name in METRIC_NAMES if name != "external"])
def test_the_reference_itself_scores_best(name: str) -> None:
    metric = made(name)
    reference = "the quick brown fox jumps over the lazy dog ."
    prepared = metric.prepare([[reference]])
    others = ["", "fox", "the quick red fox jumps over", "the lazy dog jumps over a brown cat ."]
    best, *worse = metric.score(
        prepared.statistics([reference, *others], np.zeros(len(others) + 1, dtype=np.int64))
    )
    assert all((best > other) == metric.higher_is_better for other in worse)
    assert all(best != other for other in worse)


def test_scores_run_over_any_leading_axes(metric: Metric) -> None:
    statistics = metric.prepare(REFERENCES).statistics(HYPOTHESES)
    scores = metric.score(statistics)
    assert scores.shape == (len(HYPOTHESES),)
    np.testing.assert_allclose(metric.score(statistics.reshape(2, 3, -1)), scores.reshape(2, 3))
    assert metric.score(statistics[0]).shape == ()
    assert np.isfinite(metric.score(np.zeros(statistics.shape[1])))


def test_a_signature_says_the_settings_and_a_version(metric: Metric) -> None:
    pairs = [part.split(":") for part in metric.signature.split("|")]
    assert all(len(pair) == 2 for pair in pairs)
    assert pairs[-1][0] == "version"


@pytest.mark.parametrize("name", [name for name in METRIC_NAMES if name != "external"])
def test_no_hypotheses_give_no_rows(name: str) -> None:
    metric = made(name)
    nothing = metric.prepare(REFERENCES).statistics([], np.zeros(0, dtype=np.int64))
    assert nothing.shape == (0, len(metric.statistics_names))


def test_unequal_numbers_are_one_clear_line(metric: Metric) -> None:
    with pytest.raises(CalqueError, match="at least one reference"):
        metric.prepare([])
    with pytest.raises(CalqueError, match="reference 2 has 1 lines, reference 1 has 2"):
        metric.prepare([["a", "b"], ["a"]])
    prepared = metric.prepare([["a", "b"]])
    with pytest.raises(CalqueError, match="1 hypotheses for 2 sentences"):
        prepared.statistics(["a"])
    with pytest.raises(CalqueError, match="sentence 2: the references have 2"):
        prepared.statistics(["a"], np.array([2]))
    with pytest.raises(CalqueError, match="1 hypotheses, but the sentences of 2"):
        prepared.statistics(["a"], np.array([0, 1]))


@pytest.mark.parametrize(
    ("name", "setting", "problem"),
    [
        ("blue", {}, "unknown metric 'blue'; did you mean 'bleu'?"),
        ("bleu", {"lenght": "closest"}, "unknown setting of bleu 'lenght'; did you mean 'length'?"),
        ("bleu", {"length": "short"}, "unknown reference length 'short'; did you mean 'shortest'?"),
        ("nist", {"tokenize": "31a"}, "unknown tokenizer '31a'; did you mean '13a'?"),
        ("meteor", {"stem": "yes"}, "meteor: stem=yes: expected true or false"),
        ("chrf", {"char_order": 2.5}, "chrf: char_order=2.5: expected a whole number"),
        ("chrf", {"char_order": 0}, "char_order=0: expected at least 1"),
        ("chrf", {"beta": 0}, "beta=0: expected a number above 0"),
        ("expected-bleu", {"smoothing": -1}, "smoothing=-1: expected a number of at least 0"),
        ("external", {}, "external: the setting 'scores' is missing"),
    ],
)
def test_a_wrong_name_or_setting_is_one_clear_line(
    name: str, setting: dict[str, Any], problem: str
) -> None:
    with pytest.raises(OptionError) as caught:
        make_metric(name, **setting)
    assert str(caught.value) == problem


def test_settings_are_listed() -> None:
    assert settings_of("bleu") == ("tokenize", "lowercase", "length")


def test_text_that_utf_8_cannot_hold_is_one_clear_line() -> None:
    with pytest.raises(CalqueError, match="line 2: expected text that UTF-8 can hold"):
        make_metric("bleu", tokenize="none").prepare([["a", "\ud800"]])


def test_external_scores_are_read_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "neural.txt"
    path.write_text("0.5\n-1e-2\n 3 \n")
    for metric in (ExternalScores.read(path), make_metric("external", scores=path)):
        statistics = metric.prepare([["a", "b"]]).statistics(["x", "y", "z"], np.array([0, 0, 1]))
        np.testing.assert_array_equal(statistics, [[0.5, 1], [-0.01, 1], [3, 1]])
        assert float(metric.score(statistics.sum(axis=0))) == pytest.approx(3.49 / 3)
        assert metric.higher_is_better
        assert "source:neural.txt" in metric.signature
    assert not ExternalScores.read(path, higher_is_better=False).higher_is_better


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"1\ntwo\n", "line 2: expected a number, found 'two'"),
        (b"nan\n", "line 1: expected a number, found 'nan'"),
        (b"", "is empty, expected one number per line"),
        (b"\xff\n", "is not UTF-8, expected one number per line"),
    ],
)
def test_bad_external_scores_are_one_clear_line(
    tmp_path: Path, content: bytes, problem: str
) -> None:
    path = tmp_path / "scores"
    path.write_bytes(content)
    with pytest.raises(CalqueError) as caught:
        ExternalScores.read(path)
    assert str(caught.value) == f"{path}: {problem}"


def test_external_scores_of_other_hypotheses_are_refused(tmp_path: Path) -> None:
    with pytest.raises(CalqueError, match="no such file"):
        ExternalScores.read(tmp_path / "absent")
    metric = make_metric("external", scores=[1.0, 2.0])
    with pytest.raises(CalqueError, match="1 hypotheses, but 2 external scores"):
        metric.prepare([["a"]]).statistics(["a"])

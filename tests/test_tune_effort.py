"""The pop limit of a tuned model: as small as its scores allow."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import calque as api
from calque.config.decode import FITTED, THOROUGH
from calque.data import CorpusFiles, write_corpus
from calque.model import ModelFolder
from calque.text import read_lines
from calque.tune import effort
from calque.tune.effort import fit_pop_limit

LIMITS = (1, 3, 8, 20, 80, 400, 3000)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("effort")
    return write_corpus(folder, "far", {"train": 400, "dev": 30, "test": 1}, seed=2)


@pytest.fixture(scope="module")
def trained(files: CorpusFiles) -> Path:
    folder = files.train_source.parent / "model"
    api.train(files.train_source, files.train_target, folder, preset="fast")
    return folder


def score_of_a_word(model: Path, lines: list[str], pop_limit: int) -> float:
    found = api.load(model).translate_all(lines, pop_limit=pop_limit)
    scores = [translation.score for translation in found]
    return sum(scores) / sum(len(line.split()) for line in lines)


@pytest.mark.parametrize("most", [1e-6, 0.002, 0.02, 0.1])
def test_the_next_smaller_pop_limit_would_lose_too_much(
    trained: Path,
    files: CorpusFiles,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    most: float,
) -> None:
    monkeypatch.setattr(effort, "LIMITS", LIMITS)
    monkeypatch.setattr(effort, "MOST_LOST", {FITTED: most})
    model = tmp_path / "model"
    shutil.copytree(trained, model)
    done = fit_pop_limit(model, files.dev_source, FITTED)
    assert done is not None
    lines = list(read_lines(files.dev_source))
    best = score_of_a_word(trained, lines, effort.DEEPEST)
    lost = {limit: best - score_of_a_word(trained, lines, limit) for limit in LIMITS}
    assert lost[1] > 0.1  # so that there is something to choose
    assert done.lost == pytest.approx(lost[done.pop_limit], abs=1e-12)
    assert lost[done.pop_limit] <= most
    assert lost[LIMITS[LIMITS.index(done.pop_limit) - 1]] > most
    assert api.load(model).options.pop_limit == done.pop_limit
    made_with, before_it = (
        ModelFolder(folder).manifest.info["options"] for folder in (model, trained)
    )
    assert made_with["decode"] == {**before_it["decode"], "pop_limit": done.pop_limit}
    assert {**made_with, "decode": 0} == {**before_it, "decode": 0}
    assert f"pop limit {done.pop_limit:,}; with 3,200" in done.summary
    before, after = (api.load(folder).model for folder in (trained, model))
    assert dict(after.weights) == dict(before.weights)


def test_where_every_limit_loses_too_much_the_deepest_search_is_taken(
    trained: Path, files: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(effort, "LIMITS", (1, 2))
    model = tmp_path / "model"
    shutil.copytree(trained, model)
    done = fit_pop_limit(model, files.dev_source, THOROUGH)
    assert done is not None
    assert (done.pop_limit, done.lost) == (effort.DEEPEST, 0.0)


def test_a_pop_limit_that_was_given_stays(trained: Path, files: CorpusFiles) -> None:
    before = api.load(trained).options
    assert fit_pop_limit(trained, files.dev_source, 70) is None
    assert api.load(trained).options == before

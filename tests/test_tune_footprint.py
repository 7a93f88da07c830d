"""Tuning says how much memory it takes before it takes it."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import Run, done

from calque.config import FeatureOptions, TrainOptions
from calque.data import CorpusFiles, write_corpus
from calque.errors import CalqueError
from calque.hyps import CandidatePool
from calque.model.build import build
from calque.text import BitextFiles
from calque.tune import DecoderTask, Mira, footprint
from calque.tune.footprint import BYTES_PER_FEATURE, Footprint


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("development")
    return write_corpus(folder, "near", {"train": 500, "dev": 60, "test": 1}, seed=3)


@pytest.fixture(scope="module")
def model(files: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "model"
    options = TrainOptions(features=FeatureOptions(sparse="ruleid"))
    build(BitextFiles(files.train_source, files.train_target), path, options)
    return path


def task_of(model: Path, files: CorpusFiles) -> DecoderTask:
    return DecoderTask(model, files.dev_source, files.dev_references, n_best=100)


def test_the_first_sentences_tell_what_all_take(model: Path, files: CorpusFiles) -> None:
    task = task_of(model, files)
    pool = CandidatePool(task.source.n_sentences, task.source.dense_names)
    first, estimate = 0, None
    for lists in task.source.lists(task.start):
        pool.add(lists, task.judge.statistics, first=first)
        first += len(lists.lengths)
        estimate = estimate or Footprint.of(pool, first, task.source.n_sentences, 2048)
    assert estimate is not None
    assert estimate.candidates == pytest.approx(pool.store.n_bytes, rel=0.3)
    assert estimate.features == pytest.approx(len(pool.keys()) * BYTES_PER_FEATURE, rel=0.5)
    assert estimate.memory == estimate.features + 2 * estimate.candidates
    assert not estimate.in_files
    small = Footprint(candidates=estimate.candidates, features=1000, limit=estimate.candidates)
    assert small.in_files
    assert small.memory == 1000 + estimate.candidates // 2


def test_a_tuning_without_room_is_refused_before_it_takes_it(
    model: Path, files: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(footprint, "free_memory", lambda: 1000)
    with pytest.raises(CalqueError, match=r"tuning would take about \d+ MB of memory, but 0 MB"):
        Mira(rounds=1).fit(task_of(model, files))
    monkeypatch.setattr(footprint, "free_memory", lambda: None)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=1000))
    with pytest.raises(CalqueError, match="of disk, but 0 MB are free in"):
        Mira(rounds=1).fit(task_of(model, files), run=tmp_path / "run", memory_mb=1)
    Mira(rounds=1, passes=1).fit(task_of(model, files))  # in memory: no need of disk


def test_it_is_said_how_much_memory_sparse_features_take(
    verb: Run, model: Path, files: CorpusFiles, tmp_path: Path
) -> None:
    copy = shutil.copytree(model, tmp_path / "model")
    references = [x for path in files.dev_references for x in ("--reference", path)]
    command = ["tune", "--model", copy, "--source", files.dev_source, *references]
    told = verb(*command, "--method", "mira", "--set", "rounds=1", "--memory-mb", "1")
    done(told)
    assert "memory: about" in told.stderr
    assert "of candidates a round, which are kept in files" in told.stderr


def test_free_memory_is_a_number_where_linux_tells_it() -> None:
    free = footprint.free_memory()
    assert free is None or free > 1 << 20

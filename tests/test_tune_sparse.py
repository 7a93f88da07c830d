"""Models with families of sparse features: tuned, kept, used, and continued after a kill."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from conftest import Run, done
from numpy.typing import NDArray
from tuning_lists import Snapshots

from calque.config import FeatureOptions, TrainOptions
from calque.data import CorpusFiles, write_corpus
from calque.decode import Translator, load
from calque.errors import CalqueError, OptionError
from calque.features import SparseWeights, Weights
from calque.hyps import CandidatePool
from calque.hyps.weights import read_weights, write_weights
from calque.model import Model
from calque.model.build import build
from calque.text import BitextFiles, read_lines
from calque.tune import (
    Costmargin,
    DecoderTask,
    Mert,
    Mira,
    PoolTrainer,
    Pro,
    Simplex,
    candidate_trainer,
)
from calque.tune.freezing import free_features
from calque.tune.task import CandidateSource

MIRA = ["--set", "rounds=2", "--set", "passes=20", "--set", "min_change=0", "--list-length", "20"]


@pytest.fixture(scope="module")
def development(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("development")
    return write_corpus(folder, "near", {"train": 800, "dev": 50, "test": 1}, seed=3)


@pytest.fixture(scope="module")
def built(development: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("built") / "model"
    options = TrainOptions(features=FeatureOptions(sparse="ruleid"))
    build(BitextFiles(development.train_source, development.train_target), path, options)
    return path


@pytest.fixture
def model(built: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "model"))


def command(model: Path, development: CorpusFiles, method: str, *more: object) -> list[object]:
    references = [x for path in development.dev_references for x in ("--reference", path)]
    files = ["--model", model, "--source", development.dev_source, *references]
    return ["tune", *files, "--method", method, *more]


def test_mira_tunes_sparse_weights_that_translating_uses(
    verb: Run, model: Path, development: CorpusFiles, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    told = json.loads(
        done(verb(*command(model, development, "mira", *MIRA, "--run", run, "--json")))
    )
    weights = Model.load(model).weights
    assert np.count_nonzero(weights.sparse.to_arrays()["values"]) > 10
    assert weights.by_name() == told["weights"]
    assert told["score"] > told["history"][0]["score"]
    lines = list(read_lines(development.dev_source))
    translator = load(model)
    assert any(
        abs(
            translation.score
            - sum(weights[name] * value for name, value in translation.features.items())
        )
        > 1e-3
        for translation in translator.translate_all(lines)
    ), "sparse weights take part in scores"
    text = development.dev_source.read_text()
    printed = done(verb("translate", "--model", model, stdin=text)).splitlines()
    task = DecoderTask(model, development.dev_source, development.dev_references, start="mira")
    assert task.source.translate(weights) == printed
    examples = [json.loads(line) for line in (run / "examples.jsonl").read_text().splitlines()]
    assert examples
    assert all(
        example["before"] != example["after"] and example["after"] in printed
        for example in examples
    )


@pytest.mark.parametrize("trainer", [Mira(rounds=2, passes=20), Pro(rounds=2)])
def test_candidates_of_tuned_weights_score_as_features_times_weights(
    trainer: Mira | Pro, built: Path, development: CorpusFiles
) -> None:
    task = DecoderTask(built, development.dev_source, development.dev_references, n_best=20)
    weights = trainer.fit(task).weights
    assert np.count_nonzero(weights.sparse.to_arrays()["values"])
    pool, first, totals = CandidatePool(50, task.source.dense_names), 0, list[float]()
    for lists in task.source.lists(weights):
        n = len(lists.texts)
        assert pool.add(lists, np.zeros((n, 1)), first=first) == n
        first += len(lists.lengths)
        totals += lists.scores.tolist()
    assert pool.lists().scores(pool.vector(weights)) == pytest.approx(totals, abs=1e-3)


def test_a_run_with_sparse_weights_goes_on_to_the_same_weights(
    built: Path, development: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = DecoderTask(built, development.dev_source, development.dev_references, n_best=20)
    trainer = Mira(rounds=2, passes=20, min_change=0.0)
    with monkeypatch.context() as patch:
        snapshots = Snapshots(patch, tmp_path).folders
        whole = trainer.fit(task, run=tmp_path / "whole")
    assert len(whole.weights.sparse) > 10
    for cut in snapshots[1:4]:
        (cut / "pool" / "001.000000.npz").write_bytes(b"of an attempt that was killed")
        assert trainer.fit(task, run=cut, memory_mb=1).weights == whole.weights
        examples = (cut / "examples.jsonl").read_bytes()
        assert examples == (tmp_path / "whole" / "examples.jsonl").read_bytes()


def test_a_run_without_sparse_features_is_another_run(
    model: Path, development: CorpusFiles, tmp_path: Path
) -> None:
    text = development.dev_source, development.dev_references
    Mira(rounds=1, passes=1).fit(DecoderTask(model, *text, n_best=5), run=tmp_path / "run")
    dense = DecoderTask(model, *text, n_best=5, dense_only=True)
    with pytest.raises(CalqueError, match="dense_only is null there and true here"):
        Mira(rounds=1, passes=1).fit(dense, run=tmp_path / "run")


def test_mert_holds_sparse_weights_and_says_so(
    verb: Run, model: Path, development: CorpusFiles
) -> None:
    done(verb(*command(model, development, "mira", *MIRA)))
    before = Model.load(model).weights
    quick = ["--set", "rounds=1", "--set", "restarts=1", "--list-length", "20"]
    told = verb(*command(model, development, "mert", "--start", "mira", *quick, "--json"))
    assert told.returncode == 0
    assert "mert tunes dense weights only: those of sparse features stay" in told.stderr
    after = Model.load(model).weights
    assert after.by_name() == json.loads(told.stdout)["weights"]
    old, new = before.sparse.to_arrays(), after.sparse.to_arrays()
    assert (old["keys"] == new["keys"]).all()
    factors = new["values"] / old["values"]
    assert factors == pytest.approx(factors[0], rel=1e-4)


def test_a_weight_that_no_candidate_has_follows_the_scale(
    built: Path, development: CorpusFiles
) -> None:
    translator = load(built)
    files = development.dev_source, development.dev_references
    source = DecoderTask(translator, *files, n_best=10).source
    keys = np.unique(
        np.concatenate([lists.sparse.keys for lists in source.lists(translator.model.weights)])
    )
    absent = 12345
    assert absent not in keys.tolist()
    some = np.array([*keys[:5].tolist(), absent], np.uint64)
    bad = {name: -0.1 if name == "word_count" else 0.1 for name in translator.model.weights}
    start = Weights(
        {**bad, "unknown": 100.0}, SparseWeights.from_arrays(some, np.full(6, 0.01, np.float32))
    )
    translator.model = replace(translator.model, weights=start)
    result = Mert(rounds=3, restarts=2).fit(DecoderTask(translator, *files, n_best=30))
    assert result.chosen > 0
    scales = {result.weights.sparse[key] for key in some.tolist()}
    assert len(scales) == 1
    assert scales != {float(np.float32(0.01))}


def test_simplex_refuses_to_start_from_sparse_weights(
    verb: Run, model: Path, development: CorpusFiles
) -> None:
    done(verb(*command(model, development, "mira", *MIRA)))
    files = development.dev_source, development.dev_references
    with pytest.raises(CalqueError, match="^simplex tunes dense features only"):
        Simplex().fit(DecoderTask(model, *files, start="mira"))


def test_weights_by_name_come_back_from_a_file(tmp_path: Path) -> None:
    keys, values = np.array([7, 2**64 - 1], np.uint64), np.array([0.1, -3e-9], np.float32)
    weights = Weights({"a": 0.1, "b": -2.0}, SparseWeights.from_arrays(keys, values))
    write_weights(tmp_path / "w", weights)
    with (tmp_path / "w").open("a") as file:
        file.write("# a comment\n")
    found = read_weights(tmp_path / "w")
    assert list(found) == ["a", "b", "#0000000000000007", "#ffffffffffffffff"]
    assert list(found.values())[:2] == [0.1, -2.0]
    assert (np.array(list(found.values()))[2:].astype(np.float32) == values).all()
    write_weights(tmp_path / "w", weights, {7: "seven", 2**64 - 1: "last"}.__getitem__)
    assert list(read_weights(tmp_path / "w")) == ["a", "b", "seven", "last"]


MOST = 12
FEW_PAIRS = partial(Pro, pairs_sampled=300, pairs_kept=20)
"""PRO where it matters which features it tunes, and not how well."""


def most_frequent(task: DecoderTask, start: Weights, family: str = "") -> list[int]:
    """The features on most distinct candidates of the first lists; of equal ones the first seen."""
    counts: dict[int, int] = {}
    seen, first = set[tuple[object, ...]](), 0
    for lists in task.source.lists(start):
        sentences = np.repeat(np.arange(first, first + len(lists.lengths)), lists.lengths)
        first += len(lists.lengths)
        for row, sentence in enumerate(sentences.tolist()):
            inside = slice(*lists.sparse.offsets[row : row + 2].tolist())
            keys = sorted(lists.sparse.keys[inside].tolist())
            candidate = sentence, lists.texts[row], tuple(lists.dense[row].tolist()), tuple(keys)
            if candidate not in seen:
                seen.add(candidate)
                for key in keys:
                    counts[key] = counts.get(key, 0) + 1
    if family:
        every = np.array(list(counts), np.uint64)
        inside_family = task.model.in_family(family, every).tolist()
        counts = {
            key: n for (key, n), fits in zip(counts.items(), inside_family, strict=True) if fits
        }
    return sorted(counts, key=lambda key: -counts[key])[:MOST]


@pytest.mark.parametrize("trainer", [Mira, FEW_PAIRS, Costmargin])
def test_only_the_most_frequent_sparse_features_are_tuned(
    trainer: Callable[..., PoolTrainer],
    built: Path,
    development: CorpusFiles,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = DecoderTask(built, development.dev_source, development.dev_references, n_best=20)
    few = trainer(rounds=2, most_sparse=MOST, min_change=0.0).fit(task)
    wanted = most_frequent(task, task.start)
    found = few.weights.sparse.to_arrays()["keys"].tolist()
    assert found
    assert set(found) <= set(wanted)
    every = trainer(rounds=2, min_change=0.0).fit(task).weights.sparse
    assert len(every) > 5 * MOST

    def only_wanted(
        fixed: str, source: CandidateSource, keys: NDArray[np.uint64]
    ) -> NDArray[np.bool_]:
        free = free_features(fixed, source, keys)
        free[len(source.dense_names) :] = np.isin(keys, np.array(wanted, np.uint64))
        return free

    monkeypatch.setattr(candidate_trainer, "free_features", only_wanted)
    same = trainer(rounds=2, min_change=0.0).fit(task)
    assert few.weights == same.weights
    assert [record.score for record in few.history] == [record.score for record in same.history]


def test_the_most_frequent_are_chosen_among_those_that_may_move(
    built: Path, development: CorpusFiles
) -> None:
    translator = load(built)
    options = replace(translator.model.feature_options, sparse="ruleid, W1")
    translator = Translator(replace(translator.model, feature_options=options))
    files = development.dev_source, development.dev_references
    task = DecoderTask(translator, *files, n_best=20)
    weights = FEW_PAIRS(rounds=1, most_sparse=MOST, fixed="W1", min_change=0.0).fit(task).weights
    keys = weights.sparse.to_arrays()["keys"]
    assert len(keys)
    assert task.model.in_family("ruleid", keys).all()
    assert set(keys.tolist()) <= set(most_frequent(task, task.start, "ruleid"))


@pytest.mark.parametrize("trainer", [FEW_PAIRS, Costmargin])
def test_the_choice_of_the_first_round_survives_a_kill(
    trainer: Callable[..., PoolTrainer],
    built: Path,
    development: CorpusFiles,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = DecoderTask(built, development.dev_source, development.dev_references, n_best=20)
    learner = trainer(rounds=3, most_sparse=MOST, min_change=0.0)
    with monkeypatch.context() as patch:
        snapshots = Snapshots(patch, tmp_path).folders
        whole = learner.fit(task, run=tmp_path / "whole")
    assert len(whole.weights.sparse)
    for cut in snapshots:
        again = learner.fit(task, run=cut)
        assert again.weights == whole.weights
        assert [record.score for record in again.history] == [
            record.score for record in whole.history
        ]


def test_a_method_of_dense_weights_has_none_to_choose(
    built: Path, development: CorpusFiles
) -> None:
    task = DecoderTask(built, development.dev_source, development.dev_references, n_best=20)
    with pytest.raises(OptionError, match="most_sparse=5: mert tunes dense weights only"):
        Mert(most_sparse=5).fit(task)

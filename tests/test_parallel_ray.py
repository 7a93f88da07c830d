"""A Ray cluster of two nodes on this machine: real processes, real kills, the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from test_align_sampler import OPTIONS, noisy_bitext
from test_parallel_engines import die, die_once, fail_at, times

from calque.align import align, align_sets, in_parts
from calque.blocks import on_cluster
from calque.data import CorpusFiles
from calque.decode import CandidateSearch, candidates, load, oracle_text
from calque.errors import CalqueError, FileError, OptionError
from calque.features import Weights
from calque.model import ModelFolder
from calque.model.build import build
from calque.parallel import Engine, engine_of
from calque.text import BitextFiles, read_lines
from calque.text.shared_folder import cluster_beside
from calque.tune import (
    Costmargin,
    DecoderTask,
    Maxviolation,
    Mert,
    Mira,
    Perceptron,
    Pro,
    Simplex,
    Xbleu,
    evaluation,
)
from calque.tune.force import gold_store
from calque.tune.xbleu import on_engine

pytestmark = pytest.mark.slow
cluster_utils = pytest.importorskip(
    "ray.cluster_utils", reason="ray is not installed (calque[cluster])"
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))  # workers import tasks of the tests
        patch.setenv("RAY_raylet_start_wait_time_s", "300")  # the machine may be busy
        yield from _cluster()


def _cluster() -> Iterator[Any]:
    nodes = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    nodes.add_node(num_cpus=1)
    yield nodes
    nodes.shutdown()


@pytest.fixture(scope="module")
def engine(cluster: Any) -> Iterator[Engine]:
    # The driver joins by the address that a user would see in RAY_ADDRESS.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_ADDRESS", cluster.address)
        with engine_of("auto") as opened:
            yield opened


def test_results_come_in_order_and_errors_at_their_place(engine: Engine) -> None:
    work = partial(times, engine.share(7))
    assert list(engine.ordered_map(work, range(30))) == [7 * x for x in range(30)]
    results = engine.ordered_map(partial(fail_at, 3), range(9))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(OptionError, match="x=3: expected another number"):
        next(results)


def test_a_killed_worker_costs_time_only(engine: Engine, tmp_path: Path) -> None:
    results = engine.ordered_map(partial(die_once, tmp_path), range(12))
    assert list(results) == [x * x for x in range(12)]


def test_work_that_kills_every_worker_is_given_up_in_one_line(engine: Engine) -> None:
    with pytest.raises(CalqueError, match="the cluster lost a part of the work 5 times"):
        list(engine.ordered_map(die, range(2)))


def test_lists_are_the_same_while_a_node_is_lost_and_another_joins(
    cluster: Any, engine: Engine, corpus: CorpusFiles, trained: Path
) -> None:
    lines = list(read_lines(corpus.train_source)) * 6
    translator = load(trained)
    search, weights = CandidateSearch(translator, lines), translator.model.weights
    expected = list(search.lists(weights, 10))
    lost = cluster.add_node(num_cpus=1)
    texts = []
    for at, part in enumerate(search.lists(weights, 10, engine=engine)):
        texts.append(part.texts)
        if at == 1:
            cluster.remove_node(lost, allow_graceful=False)
        if at == 3:
            cluster.add_node(num_cpus=1)
    assert texts == [part.texts for part in expected]


MOST_CHANGES = 2
"""Of the cluster in a test: they take seconds."""
SMALL_PARTS = {
    candidates: {"BATCH": 2, "FEW": 2},
    oracle_text: {"BATCH": 2},
    gold_store: {"PAIRS": 20},
    on_engine: {"SENTENCES": 2},
    evaluation: {"AT_ONCE": 2},
}
"""How much is a task where there is little text: there must be tasks left when a node is lost."""


def changed(cluster: Any) -> Iterator[None]:
    """At every step a node is lost without a word, or another joins."""
    while True:
        node = cluster.add_node(num_cpus=1)
        yield
        cluster.remove_node(node, allow_graceful=False)
        yield


class Disturbing(Engine):
    """An engine whose cluster changes while results are taken from it."""

    threads_per_task = 1

    def __init__(self, cluster: Any, engine: Engine) -> None:
        self._changes = changed(cluster)
        self._engine = engine
        self.n_maps = self.n_changes = 0

    def ordered_map(self, work: Any, items: Any) -> Iterator[Any]:
        self.n_maps += 1
        for at, result in enumerate(self._engine.ordered_map(work, items)):
            if at == 1 and self.n_changes < MOST_CHANGES:
                next(self._changes)
                self.n_changes += 1
            yield result

    def share(self, value: Any) -> Any:
        return self._engine.share(value)

    def close(self) -> None:
        """The engine is the fixture's."""


def test_a_model_is_the_same_while_nodes_are_lost_and_join(
    cluster: Any,
    engine: Engine,
    corpus: CorpusFiles,
    trained: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(in_parts, "SENTENCES", 64)
    monkeypatch.setattr(on_cluster, "SENTENCES", 64)
    monkeypatch.setattr(on_cluster, "WORDS_PER_RANGE", 1000)
    disturbing = Disturbing(cluster, engine)
    text = BitextFiles(corpus.train_source, corpus.train_target)
    build(text, tmp_path / "model", threads=1, engine=disturbing)
    assert disturbing.n_maps == 13, (
        "word pairs, five iterations of Model 1, three of the HMM, best paths, blocks, their"
        " scores, n-grams"
    )
    assert disturbing.n_changes == MOST_CHANGES
    one, other = (ModelFolder(path).manifest.entries for path in (tmp_path / "model", trained))
    assert [entry.sha256 for entry in one.values()] == [entry.sha256 for entry in other.values()]


def test_sampled_links_are_the_same_while_nodes_are_lost_and_join(
    cluster: Any, engine: Engine, tmp_path: Path
) -> None:
    source, target, _ = noisy_bitext(300)
    disturbing = Disturbing(cluster, engine)
    expected = align(source, target, OPTIONS, 1).links.tobytes()
    for _ in range(MOST_CHANGES):
        with cluster_beside(tmp_path / "model", disturbing) as there:
            [found] = align_sets(source, target, OPTIONS, 1, cluster=there)
        assert found.links.tobytes() == expected
    assert disturbing.n_changes == disturbing.n_maps == MOST_CHANGES


TRAINERS: dict[str, Any] = {
    "mert": Mert(rounds=1, seed=3),
    "pro": Pro(rounds=1, seed=3),
    "mira": Mira(rounds=2, seed=3),
    "simplex": Simplex(max_evaluations=5, restarts=0, seed=3),
    "costmargin": Costmargin(rounds=1, passes=2, truth="oracle", seed=3),
    "costmargin-shards": Costmargin(rounds=1, passes=2, shards=2, seed=3),
    "perceptron": Perceptron(rounds=1, passes=2, seed=3),
    "maxviolation": Maxviolation(rounds=1, n_pairs=100, seed=3),
    "maxviolation-shards": Maxviolation(rounds=1, n_pairs=100, shards=2, seed=3),
    "xbleu": Xbleu(rounds=2, seed=3),
    "xbleu-shards": Xbleu(rounds=2, update="adagrad", batch=4, shards=2, seed=3),
}


@pytest.mark.parametrize("method", TRAINERS)
def test_a_round_of_every_trainer_has_the_same_bits_while_nodes_are_lost_and_join(
    cluster: Any,
    engine: Engine,
    corpus: CorpusFiles,
    trained: Path,
    monkeypatch: pytest.MonkeyPatch,
    method: str,
) -> None:
    for room, sizes in SMALL_PARTS.items():
        for name, size in sizes.items():
            monkeypatch.setattr(room, name, size)

    def learned(**where: Any) -> list[Weights]:
        task = DecoderTask(trained, corpus.dev_source, corpus.dev_references, n_best=20, **where)
        seen: list[Weights] = []
        TRAINERS[method].fit(task, watch=lambda round, weights: seen.append(weights))
        return seen

    disturbing = Disturbing(cluster, engine)
    assert learned(engine=disturbing) == learned(threads=1)
    assert disturbing.n_changes == MOST_CHANGES


def test_a_full_disk_is_one_clear_line_and_the_run_goes_on_when_there_is_room(
    engine: Engine, corpus: CorpusFiles, trained: Path, tmp_path: Path
) -> None:
    """The models of the parts are written by the workers."""
    disk, run = tmp_path / "disk", tmp_path / "run"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root only")

    def learned(**where: Any) -> Weights:
        task = DecoderTask(
            trained, corpus.train_source, [corpus.train_target], n_best=5, jackknife=2, **where
        )
        return Xbleu(rounds=1, take="last", seed=3).fit(task, run=run).weights

    try:
        with pytest.raises(FileError, match=r"disk/without-.*No space left on device"):
            learned(engine=engine, part_models=disk)
        subprocess.run(["mount", "-o", "remount,size=200m", str(disk)], check=True)
        found = learned(engine=engine, part_models=disk)
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=True)
    shutil.rmtree(run)
    assert found == learned(threads=1)


def test_work_that_needs_more_memory_than_a_machine_has_is_one_clear_line() -> None:
    """Ray's own watch kills workers before the machine runs out: here, at once."""
    program = """
import os, time
from ray.cluster_utils import Cluster
from calque.parallel import engine_of
settings = {"memory_usage_threshold": 0.001, "memory_monitor_refresh_ms": 50, "task_oom_retries": 1}
nodes = Cluster(True, head_node_args={"num_cpus": 1, "_system_config": settings})
os.environ["RAY_ADDRESS"] = nodes.address
with engine_of("auto") as engine:
    list(engine.ordered_map(time.sleep, [60]))
"""
    environment = {**os.environ, "RAY_raylet_start_wait_time_s": "300"}
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment
    )
    last = said.stderr.strip().splitlines()[-1]
    assert last.startswith("calque.errors.CalqueError: "), said.stderr
    assert "memory" in last


def test_an_address_where_nothing_answers_is_one_clear_line() -> None:
    program = "from calque.parallel import engine_of\nengine_of('auto')"
    environment = {"PATH": "/usr/bin:/bin", "RAY_ADDRESS": "127.0.0.1:1"}
    said = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        env=environment,
        timeout=100,
    )
    assert "no Ray cluster answers at 'auto'" in said.stderr

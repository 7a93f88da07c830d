"""A Ray cluster of two nodes on this machine: real processes, real kills, the same bytes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from test_parallel_engines import die, die_once, fail_at, times

from calque.data import CorpusFiles
from calque.decode import CandidateSearch, load
from calque.errors import CalqueError, OptionError
from calque.features import Weights
from calque.parallel import Engine, engine_of
from calque.text import read_lines
from calque.tune import DecoderTask, Mira, Xbleu

pytestmark = pytest.mark.slow
cluster_utils = pytest.importorskip(
    "ray.cluster_utils", reason="ray is not installed (calque[cluster])"
)


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))  # workers import tasks of the tests
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


@pytest.mark.parametrize("method", ["mira", "xbleu"])
def test_a_training_ends_with_the_same_bits(
    engine: Engine, corpus: CorpusFiles, trained: Path, method: str
) -> None:
    trainer = Mira(rounds=2, seed=3) if method == "mira" else Xbleu(rounds=2, seed=3)

    def learned(**where: Any) -> Weights:
        task = DecoderTask(trained, corpus.dev_source, corpus.dev_references, n_best=20, **where)
        return trainer.fit(task).weights

    assert learned(engine=engine) == learned(threads=1)


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

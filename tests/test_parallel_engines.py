"""Every engine gives the same results, and survives what happens to its workers."""

from __future__ import annotations

import ast
import gc
import json
import os
import resource
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run, done, mistake
from hypothesis import given
from hypothesis import strategies as st

import calque
from calque.align import in_parts
from calque.blocks import on_cluster as blocks_on_cluster
from calque.config import TrainOptions, fill
from calque.data import CorpusFiles
from calque.decode import CandidateSearch, forcing, load
from calque.errors import CalqueError, FileError, LineError, OptionError
from calque.lm import on_cluster as ngrams_on_cluster
from calque.model import ModelFolder
from calque.model.build import build
from calque.parallel import Engine, Here, Processes, Shared, combined, engine_of
from calque.text import BitextFiles, pipeline, read_lines
from calque.tune import DecoderTask, Mira, Xbleu


@pytest.fixture(scope="module", params=["here", "processes"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with Here(2) if request.param == "here" else Processes(2) as opened:
        yield opened


def times(factor: Shared[int], x: int) -> int:
    return factor.get() * x


def fail_at(bad: int, x: int) -> int:
    if x == bad:
        raise OptionError(f"x={x}: expected another number")
    return x


def fail_on(line: int) -> None:
    raise LineError("text.de", line, "is no text")


def die_once(folder: Path, x: int) -> int:
    """Kill this process at the first try of every fifth item."""
    mark = folder / str(x)
    if x % 5 == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def die(x: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return x


def test_results_come_in_order_with_what_is_shared(engine: Engine) -> None:
    factor = engine.share(7)
    assert list(engine.ordered_map(partial(times, factor), range(50))) == [7 * x for x in range(50)]


def test_an_error_of_the_work_rises_at_its_place(engine: Engine) -> None:
    results = engine.ordered_map(partial(fail_at, 3), range(9))
    assert [next(results) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(OptionError, match="x=3: expected another number"):
        next(results)
    assert list(engine.ordered_map(partial(fail_at, -1), range(4))) == [0, 1, 2, 3]


def test_an_error_of_a_file_arrives_as_it_was(engine: Engine) -> None:
    """Its class is made of more than the message that pickle knows of."""
    with pytest.raises(LineError, match="text.de: line 7: is no text") as raised:
        list(engine.ordered_map(fail_on, [7]))
    assert raised.value.line == 7


@contextmanager
def full_disk(n_bytes: int) -> Iterator[None]:
    """No file of this process, or of one that it starts meanwhile, may be larger."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_full_disk_is_one_clear_line_and_the_run_goes_on_when_there_is_room(
    corpus: CorpusFiles, trained: Path, tmp_path: Path
) -> None:
    """The models of the parts are written by the workers."""
    parts, run = tmp_path / "parts", tmp_path / "run"

    def learned(engine: Engine, run: Path | None, parts: Path | None = None) -> calque.Weights:
        task = DecoderTask(
            trained,
            corpus.train_source,
            [corpus.train_target],
            n_best=2,
            jackknife=2,
            part_models=parts,
            engine=engine,
        )
        return Xbleu(rounds=1, iterations=1, take="last", seed=3).fit(task, run=run).weights

    with (
        full_disk(30_000),
        Processes(1) as limited,
        pytest.raises(FileError, match=r"parts/without-0: cannot be written: File too large"),
    ):
        learned(limited, run, parts)
    here = Here(1)
    assert learned(here, run, parts) == learned(here, None)


def test_what_workers_share_needs_room_on_the_disk() -> None:
    with (
        Processes(1) as engine,
        full_disk(1000),
        pytest.raises(FileError, match="what workers share cannot be written here: File too large"),
    ):
        engine.share(np.zeros(1000))


def test_values_that_are_dropped_leave_no_file_and_are_not_taken_for_later_ones() -> None:
    gc.collect()  # files of earlier tests are closed now, not while we count
    with Processes(1) as engine:
        n_open = set()
        for factor in range(1, 6):
            work = partial(times, engine.share(factor))
            assert list(engine.ordered_map(work, [1, 2])) == [factor, 2 * factor]
            n_open.add(len(list(Path("/proc/self/fd").iterdir())))
        assert len(n_open) == 1


def test_the_decoder_is_shared_once_for_all_rounds(trained: Path) -> None:
    translator = load(trained)
    search, weights = CandidateSearch(translator, ["a b"]), translator.model.weights
    shared: list[Any] = []

    class Counting(Here):
        def share(self, value: Any) -> Shared[Any]:
            shared.append(value)
            return super().share(value)

    engine = Counting(1)
    for _ in range(3):
        list(search.lists(weights, 1, engine=engine))
    assert len(shared) == 1 + 3, "and the weights once a round"


def test_what_a_killed_worker_was_to_do_is_done_again(tmp_path: Path) -> None:
    with Processes(2) as engine:
        assert list(engine.ordered_map(partial(die_once, tmp_path), range(12))) == [
            x * x for x in range(12)
        ]


def test_work_that_kills_every_worker_is_given_up() -> None:
    with Processes(2) as engine, pytest.raises(CalqueError, match="ended 3 times without a result"):
        list(engine.ordered_map(die, range(4)))


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=40))
def test_sums_go_over_the_tree_that_their_number_makes(values: list[float]) -> None:
    def add(left: tuple[float, int], right: tuple[float, int]) -> tuple[float, int]:
        return left[0] + right[0], left[1] + right[1]

    def over_tree(some: list[float]) -> float:
        if len(some) == 1:
            return some[0]
        left = 1 << (len(some) - 1).bit_length() - 1  # the largest power of two below
        return over_tree(some[:left]) + over_tree(some[left:])

    total, n = combined(((value, 1) for value in values), add)
    assert (total, n) == (over_tree(values), len(values))


def test_there_is_nothing_to_sum_of_nothing() -> None:
    with pytest.raises(CalqueError, match="nothing to combine"):
        combined(iter(()), max)


def test_lists_do_not_depend_on_the_engine(
    corpus: CorpusFiles, trained: Path, engine: Engine
) -> None:
    lines = list(read_lines(corpus.dev_source))[:60]
    translator = load(trained)
    search = CandidateSearch(translator, lines)
    weights = translator.model.weights
    expected = list(search.lists(weights, 20))
    found = list(search.lists(weights, 20, engine=engine))
    assert [part.texts for part in found] == [part.texts for part in expected]
    for mine, other in zip(found, expected, strict=True):
        for field in ("lengths", "dense", "scores"):
            assert np.array_equal(getattr(mine, field), getattr(other, field))


def test_a_training_ends_with_the_same_bits_on_every_engine(
    corpus: CorpusFiles, trained: Path, engine: Engine
) -> None:
    def learned(**where: Any) -> calque.Weights:
        task = DecoderTask(trained, corpus.dev_source, corpus.dev_references, n_best=20, **where)
        return Mira(rounds=2, seed=3).fit(task).weights

    assert learned(engine=engine) == learned(threads=1)


@pytest.mark.parametrize(
    "trainer",
    [
        calque.Costmargin(rounds=1, passes=2, truth="oracle", shards=3, seed=3),
        calque.Maxviolation(rounds=1, n_pairs=100, seed=3),
        calque.Simplex(max_evaluations=2, restarts=0, seed=3),
    ],
    ids=["oracle", "forced", "whole search"],
)
def test_oracle_forced_and_whole_search_do_not_depend_on_the_engine(
    corpus: CorpusFiles, trained: Path, engine: Engine, trainer: Any
) -> None:
    def learned(**where: Any) -> calque.Weights:
        task = DecoderTask(trained, corpus.dev_source, corpus.dev_references, n_best=5, **where)
        seen: list[calque.Weights] = []
        trainer.fit(task, watch=lambda round, weights: seen.append(weights))
        return seen[-1]

    assert learned(engine=engine) == learned(threads=1)


@pytest.mark.parametrize("engine", ["processes"], indirect=True)
def test_a_model_of_plain_text_does_not_depend_on_the_engine(
    corpus: CorpusFiles, engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tokenised and aligned in many parts; every file is the same."""
    monkeypatch.setattr(in_parts, "SENTENCES", 128)
    monkeypatch.setattr(blocks_on_cluster, "SENTENCES", 300)
    monkeypatch.setattr(blocks_on_cluster, "WORDS_PER_RANGE", 2000)
    monkeypatch.setattr(ngrams_on_cluster, "WORDS", 3000)
    monkeypatch.setattr(pipeline, "_PIECE", 1 << 10)
    text = BitextFiles(corpus.train_source, corpus.train_target)
    plain = {"tokenize": True, "source_language": "de", "target_language": "en", "casing": "true"}
    options = fill(TrainOptions(), {"text": plain})
    build(text, tmp_path / "here", options, threads=1)
    build(text, tmp_path / "there", options, threads=1, engine=engine)
    here, there = (ModelFolder(tmp_path / name).manifest.entries for name in ("here", "there"))
    assert {name: entry.sha256 for name, entry in here.items()} == {
        name: entry.sha256 for name, entry in there.items()
    }


@pytest.mark.parametrize("engine", ["processes"], indirect=True)
def test_models_of_parts_and_gradients_do_not_depend_on_the_engine(
    corpus: CorpusFiles, trained: Path, engine: Engine, tmp_path: Path
) -> None:
    def learned(**where: Any) -> calque.Weights:
        task = DecoderTask(
            trained, corpus.train_source, [corpus.train_target], n_best=5, jackknife=2, **where
        )
        seen: list[calque.Weights] = []
        trainer = Xbleu(rounds=1, iterations=3, seed=3)
        trainer.fit(task, watch=lambda round, weights: seen.append(weights))
        return seen[-1]

    assert learned(engine=engine, part_models=tmp_path / "parts") == learned(threads=1)


def test_the_command_line_trains_in_processes(
    corpus: CorpusFiles, trained: Path, verb: Run, tmp_path: Path
) -> None:
    files = ("--source", corpus.train_source, "--target", corpus.train_target)
    where = ("--model", tmp_path / "model", "--preset", "fast", "--cluster", "processes")
    done(verb("train", *files, *where, "--quiet"))
    one, other = (ModelFolder(path).manifest.entries for path in (tmp_path / "model", trained))
    assert [entry.sha256 for entry in one.values()] == [entry.sha256 for entry in other.values()]


def test_the_command_line_translates_in_processes(
    corpus: CorpusFiles, trained: Path, verb: Run, tmp_path: Path
) -> None:
    outputs = []
    for place in ((), ("--cluster", "processes")):
        out, links = tmp_path / f"out{len(place)}", tmp_path / f"links{len(place)}"
        files = ("--output", out, "--alignment-output", links)
        done(verb("translate", "--model", trained, "--input", corpus.dev_source, *files, *place))
        outputs.append((out.read_text(), links.read_text()))
    assert outputs[0] == outputs[1]


def test_the_command_line_seeks_oracles_in_processes(
    corpus: CorpusFiles, trained: Path, verb: Run, tmp_path: Path
) -> None:
    outputs = []
    for place in ((), ("--cluster", "processes")):
        out, rows = tmp_path / f"out{len(place)}", tmp_path / f"rows{len(place)}"
        text = ("--source", corpus.dev_source, "--reference", corpus.dev_references[0])
        files = ("--output", out, "--derivations", rows)
        said = done(verb("oracle", "--model", trained, *text, *files, *place, "--json"))
        outputs.append((said, out.read_text(), rows.read_text()))
    assert outputs[0] == outputs[1]


def test_the_command_line_forces_pairs_in_processes(
    corpus: CorpusFiles, trained: Path, verb: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forcing, "BATCH", 100)
    outputs = []
    for place in ((), ("--cluster", "processes")):
        out = tmp_path / f"out{len(place)}"
        text = ("--source", corpus.train_source, "--reference", corpus.train_target)
        how = ("--limits", "0,2", "--leave-one-out", "one-count", "--output", out, "--json")
        said = json.loads(done(verb("force", "--model", trained, *text, *how, *place)))
        for of_limit in said["total"]:
            del of_limit["seconds"]
        outputs.append((said, out.read_text()))
    assert outputs[0] == outputs[1]


def test_a_wrong_place_is_one_clear_line(corpus: CorpusFiles, trained: Path, verb: Run) -> None:
    where = ("translate", "--model", trained, "--input", corpus.dev_source, "--cluster")
    assert "cluster=here: expected auto, an address" in mistake(verb(*where, "here"))
    with pytest.raises(OptionError, match="expected auto, an address such as ray://HOST:10001"):
        engine_of("tcp://x")


def test_without_ray_a_cluster_is_refused_in_one_line() -> None:
    program = (
        "import sys; sys.modules['ray'] = None\n"
        "from calque.parallel import engine_of\n"
        "try: engine_of('auto')\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert said.stdout == (
        "OptionError a cluster needs Ray, which is not installed: pip install 'calque[cluster]'\n"
    )


def test_one_file_imports_ray() -> None:
    importing = []
    for path in Path(calque.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if any(name.partition(".")[0] == "ray" for name in names):
                importing.append(path.name)
    assert importing == ["on_ray.py"]

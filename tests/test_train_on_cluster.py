"""Blocks and n-grams counted through files in a shared folder: the same bytes, whatever happens."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks_reference import Pair, corpora, few, to_arrays
from hypothesis import given
from hypothesis import strategies as st
from test_cli_interrupted import interrupt, training
from test_parallel_engines import full_disk

from calque.blocks import BlockTable, extract
from calque.blocks import on_cluster as blocks_on_cluster
from calque.config import TrainOptions, fill
from calque.config.blocks import BlockOptions
from calque.config.lm import LmOptions
from calque.config.presets import find_preset
from calque.data import CorpusFiles
from calque.errors import FileError
from calque.lm import LanguageModel, estimate
from calque.lm import on_cluster as ngrams_on_cluster
from calque.model import ModelFolder
from calque.model.build import build
from calque.parallel import Engine, Here, Processes, Shared
from calque.text import BitextFiles, Sentences, Vocabulary
from calque.text.shared_folder import Cluster, SharedFolder, cluster_beside

ALL = {"SENTENCES": 2, "RECORDS": 10, "SIDES": 10, "WORDS_PER_RANGE": 3, "SAMPLED": 3}
"""How much is a task of a corpus of a few sentences."""


@pytest.fixture(autouse=True, scope="module")
def small_parts() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name, size in ALL.items():
            patch.setattr(blocks_on_cluster, name, size)
        patch.setattr(ngrams_on_cluster, "WORDS", 7)
        yield


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Cluster:
    """Tasks in this process, through files all the same."""
    return Cluster(Here(1), SharedFolder(tmp_path_factory.mktemp("shared")))


def equal(one: BlockTable | LanguageModel, other: BlockTable | LanguageModel) -> bool:
    ours, theirs = one.to_arrays(), other.to_arrays()
    return ours.keys() == theirs.keys() and all(
        ours[name].dtype == theirs[name].dtype and ours[name].tobytes() == theirs[name].tobytes()
        for name in ours
    )


@few
@given(corpora, st.booleans(), st.integers(1, 2), st.booleans())
def test_tasks_make_the_same_blocks_and_rules(
    cluster: Cluster, pairs: list[Pair], with_gaps: bool, min_count: int, twice: bool
) -> None:
    source, target, links, offsets = to_arrays(pairs)
    if twice:  # two sets of links, stacked
        links = np.concatenate([links, links])
        offsets = np.concatenate([offsets, offsets[1:] + offsets[-1]])
    made = partial(
        extract,
        *(source, target, links, offsets),
        BlockOptions(min_count=min_count),
        with_gaps=with_gaps,
        threads=1,
    )
    assert equal(made(cluster=cluster), made())
    assert not list(cluster.folder.path.iterdir()), "what is no longer needed is gone"


@few
@given(
    st.lists(st.lists(st.integers(3, 8), max_size=8), min_size=1, max_size=40), st.integers(1, 5)
)
def test_tasks_make_the_same_language_model(
    cluster: Cluster, lists: list[list[int]], order: int
) -> None:
    made = partial(
        estimate, Sentences.from_lists(lists), Vocabulary("abcdef"), LmOptions(order=order)
    )
    assert equal(made(cluster=cluster), made())
    assert not list(cluster.folder.path.iterdir())


def test_n_grams_are_merged_in_several_passes_over_files(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ngrams_on_cluster, "WORDS", 30_000)
    sentences = Sentences.from_lists(np.random.default_rng(1).integers(3, 40, (8000, 10)))
    words = Vocabulary(map(str, range(40)))
    made = partial(estimate, sentences, words)
    assert equal(made(LmOptions(memory_mb=1), cluster=cluster), made(LmOptions()))


PAIRS: list[Pair] = [([3, 4, 5], [6, 7], [(0, 0), (1, 1)]), ([5, 3], [7, 8], [(0, 0), (1, 1)])]


class Wrapping(Engine):
    """Another engine, with something done around every task or map."""

    threads_per_task = 1

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def ordered_map(self, work: Any, items: Iterable[Any]) -> Iterator[Any]:
        return self._engine.ordered_map(work, items)

    def share(self, value: Any) -> Shared[Any]:
        return self._engine.share(value)

    def close(self) -> None:
        """The engine is somebody else's."""


class Killing(Wrapping):
    """Kills the first worker that does one of the first tasks of a map, when its work is done."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        super().__init__(engine)
        self._folder = folder
        self.n_maps = 0

    def ordered_map(self, work: Any, items: Iterable[Any]) -> Iterator[Any]:
        self.n_maps += 1
        mark = self._folder / str(self.n_maps)
        return self._engine.ordered_map(partial(killed_once, mark, work), items)


def killed_once(mark: Path, work: Callable[[Any], Any], item: Any) -> Any:
    result = work(item)
    try:
        mark.touch(exist_ok=False)
        os.kill(os.getpid(), signal.SIGKILL)
    except FileExistsError:  # somebody died already
        pass
    return result


def checksums(model: Path) -> dict[str, str]:
    return {name: entry.sha256 for name, entry in ModelFolder(model).manifest.entries.items()}


def test_blocks_are_the_same_where_every_kind_of_task_loses_a_worker(tmp_path: Path) -> None:
    """A task that is done again finds what the worker that died had written in nobody's way."""
    marks = tmp_path / "marks"
    marks.mkdir()
    made = partial(extract, *to_arrays(PAIRS), threads=1)
    with Processes(2) as processes:
        killing = Killing(processes, marks)
        with cluster_beside(tmp_path / "model", killing) as cluster:
            assert equal(made(cluster=cluster), made())
    assert len(list(marks.iterdir())) == killing.n_maps == 2
    assert list(tmp_path.iterdir()) == [marks]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["phrase", "chart"])
def test_a_model_is_the_same_where_every_kind_of_task_loses_a_worker(
    corpus: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.setattr(blocks_on_cluster, "SENTENCES", 300)
    monkeypatch.setattr(blocks_on_cluster, "WORDS_PER_RANGE", 2000)
    monkeypatch.setattr(blocks_on_cluster, "SAMPLED", 100)
    monkeypatch.setattr(ngrams_on_cluster, "WORDS", 3000)
    text = BitextFiles(corpus.train_source, corpus.train_target)
    options = fill(TrainOptions(), find_preset("fast", engine).train)
    options = fill(options, {"decode.engine": engine})
    marks = tmp_path / "marks"
    marks.mkdir()
    with Processes(2) as processes:
        killing = Killing(processes, marks)
        build(text, tmp_path / "there", options, threads=1, engine=killing)
    assert len(list(marks.iterdir())) == killing.n_maps == (14 if engine == "chart" else 13)
    build(text, tmp_path / "here", options, threads=1)
    assert checksums(tmp_path / "there") == checksums(tmp_path / "here")
    assert {path.name for path in tmp_path.iterdir()} == {"here", "there", "marks"}


class Spoiling(Wrapping):
    """Does something to the files of a folder before one of the maps begins."""

    def __init__(self, at: int, spoil: Callable[[], None]) -> None:
        super().__init__(Here(1))
        self._before, self._spoil = at, spoil

    def ordered_map(self, work: Any, items: Iterable[Any]) -> Iterator[Any]:
        if self._before == 0:
            self._spoil()
        self._before -= 1
        return super().ordered_map(work, items)


def flip_a_bit(path: Path) -> None:
    written = bytearray(path.read_bytes())
    written[len(written) // 2] ^= 1
    path.write_bytes(written)


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-40])


@pytest.mark.parametrize("spoil", [Path.unlink, flip_a_bit, cut])
@pytest.mark.parametrize("kind", ["npz", "npy"])
def test_a_missing_or_damaged_file_is_one_clear_line(
    tmp_path: Path, kind: str, spoil: Callable[[Path], None]
) -> None:
    """Before blocks are scored, all runs and tables are there."""

    def spoil_all() -> None:
        for path in tmp_path.glob(f"*.{kind}"):
            spoil(path)

    cluster = Cluster(Spoiling(1, spoil_all), SharedFolder(tmp_path))
    told = "is missing" if spoil == Path.unlink else "is damaged"
    with pytest.raises(FileError, match=rf"^{tmp_path}/[0-9a-f]+\.{kind}: {told}.*$"):
        extract(*to_arrays(PAIRS), threads=1, cluster=cluster)


def test_a_machine_that_does_not_see_the_folder_is_named_in_one_line(tmp_path: Path) -> None:
    away = SharedFolder(tmp_path / "away")
    with Processes(1) as engine:
        for task in (away.read, partial(write_to, away)):
            with pytest.raises(FileError, match=r"away: the machine \S+ does not see this folder:"):
                list(engine.ordered_map(task, ["x.npz"]))


def write_to(folder: SharedFolder, name: str) -> str:
    return folder.write({name: np.zeros(1)})


@pytest.mark.parametrize("full", ["here", "workers"])
def test_a_full_disk_is_one_clear_line_and_leaves_nothing(tmp_path: Path, full: str) -> None:
    told = r"/calque-\S+@train-\w+/\w+\.npz: cannot be written: File too large"
    with Processes(1) as engine:
        with full_disk(500):
            list(engine.ordered_map(abs, [1]))  # the worker starts, with this limit for good
        with (
            full_disk(500 if full == "here" else 1 << 30),
            pytest.raises(FileError, match=told),
            cluster_beside(tmp_path / "model", engine) as cluster,
        ):
            extract(*to_arrays(PAIRS), threads=1, cluster=cluster)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_under_a_table_is_one_clear_line(tmp_path: Path) -> None:
    told = r"/\w+\.npy: cannot be written: File too large"
    with full_disk(500), pytest.raises(FileError, match=told):
        SharedFolder(tmp_path).store(np.zeros(1000))
    assert not list(tmp_path.iterdir())


def test_threads_need_no_shared_folder(tmp_path: Path) -> None:
    for engine in (None, Here(1)):
        with cluster_beside(tmp_path / "model", engine) as cluster:
            assert cluster is None
            assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_working_files_go_with_an_interrupted_training_or_with_the_next(
    corpus: CorpusFiles, tmp_path: Path, how: signal.Signals
) -> None:
    place = tmp_path / "models"
    place.mkdir()
    where = ("--cluster", "processes", "--threads", "2")
    command = training(corpus, place / "model", *where)
    code, lines = interrupt(command, "number phrases", how, tmp_path / "tmp")
    left = {path.name for path in place.iterdir()}
    if how == signal.SIGINT:
        assert (code, lines[-1]) == (130, "calque: interrupted")
        assert left == set()
        return
    assert code == -signal.SIGKILL
    other = place / f"calque-other-{socket.gethostname()}@train-x"
    other.mkdir()
    assert any(f"calque-{socket.gethostname()}@train-" in name for name in left)
    with Processes(1) as engine, cluster_beside(place / "next", engine):
        pass  # what the next training does
    assert {path.name for path in place.iterdir()} == {"model", other.name}

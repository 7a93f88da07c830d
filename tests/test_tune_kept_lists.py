"""Lists on disk: several trainings on the same text decode it once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calque.config import TrainOptions, fill
from calque.data import CorpusFiles, write_corpus
from calque.decode import CandidateLists, candidates, load
from calque.errors import CalqueError, FileError, OptionError
from calque.model.build import build
from calque.text import BitextFiles
from calque.tune import DecoderTask, Xbleu, jackknife, kept_lists


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("text")
    return write_corpus(folder, "near", {"train": 150, "dev": 24, "test": 1}, seed=4)


@pytest.fixture(scope="module")
def model(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("kept") / "model"
    options = fill(TrainOptions(), {"features": {"dense": "standard", "sparse": "phrase-pair"}})
    build(BitextFiles(text.train_source, text.train_target), path, options)
    return path


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "FEW", 10)
    monkeypatch.setattr(kept_lists, "JOINED_BYTES", 1)


def task_of(model: Path, text: CorpusFiles, **options: Any) -> DecoderTask:
    given: dict[str, Any] = {"n_best": 8, **options}
    return DecoderTask(model, text.dev_source, [text.dev_references[0]], **given)


def lists_of(task: DecoderTask, skip: int = 0) -> list[CandidateLists]:
    return list(task.source.lists(task.start, skip=skip))


def same(some: list[CandidateLists], others: list[CandidateLists]) -> bool:
    def arrays(lists: CandidateLists) -> list[Any]:
        return [lists.lengths, lists.texts, lists.dense, lists.scores, *lists.sparse]

    return len(some) == len(others) and all(
        np.array_equal(array, other)
        for a, b in zip(some, others, strict=True)
        for array, other in zip(arrays(a), arrays(b), strict=True)
    )


def no_decoding(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> Iterator[CandidateLists]:
        raise AssertionError("decoded again")
        yield

    monkeypatch.setattr(candidates.CandidateSearch, "lists", refuse)


def test_lists_come_from_the_folder_as_the_decoder_gave_them(
    model: Path, text: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = lists_of(task_of(model, text))
    assert len(plain) == 3
    assert same(lists_of(task_of(model, text, lists=tmp_path)), plain)
    no_decoding(monkeypatch)
    kept = task_of(model, text, lists=tmp_path)
    assert same(lists_of(kept), plain)
    assert same(lists_of(kept, skip=20), plain[2:])
    assert lists_of(kept, skip=24) == []
    with pytest.raises(CalqueError, match="the first 15 sentences are known"):
        lists_of(kept, skip=15)


def test_small_batches_are_kept_together(
    model: Path, text: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = lists_of(task_of(model, text))
    monkeypatch.setattr(kept_lists, "JOINED_BYTES", plain[0].n_bytes + 1)
    together = [CandidateLists.concatenated(plain[:2]), plain[2]]
    assert same(lists_of(task_of(model, text, lists=tmp_path)), together)
    assert {path.name for path in tmp_path.glob("*.npz")} == {"00000.npz", "00001.npz"}
    (tmp_path / "00001.npz").unlink()  # as if killed before it
    assert same(lists_of(task_of(model, text, lists=tmp_path)), together)
    no_decoding(monkeypatch)
    assert same(lists_of(task_of(model, text, lists=tmp_path)), together)


def test_how_much_is_kept_together_changes_no_bit(
    model: Path, text: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learned = {}
    for n_bytes, n_parts in ((1, 3), (1 << 30, 1)):
        monkeypatch.setattr(kept_lists, "JOINED_BYTES", n_bytes)
        run = tmp_path / str(n_bytes)
        trainer = Xbleu(rounds=2, seed=1)
        learned[n_bytes] = trainer.fit(task_of(model, text), run=run, memory_mb=1).weights
        assert len(list((run / "pool").glob("*.npz"))) == n_parts
    assert learned[1] == learned[1 << 30]


def test_sentences_that_are_prepared_for_each_call_have_the_same_lists(
    model: Path, text: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = lists_of(task_of(model, text))
    monkeypatch.setattr(candidates, "REMEMBERED", 20)
    task = task_of(model, text)
    assert same(lists_of(task), plain)
    assert same(lists_of(task, skip=10), plain[1:])


def test_a_decoding_that_was_stopped_goes_on(
    model: Path, text: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = lists_of(task_of(model, text))
    begun = task_of(model, text, lists=tmp_path)
    next(iter(begun.source.lists(begun.start)))
    asked = []
    decode = candidates.CandidateSearch.lists

    def watch(self: Any, *given: Any, skip: int = 0, **more: Any) -> Iterator[CandidateLists]:
        asked.append(skip)
        return decode(self, *given, skip=skip, **more)

    monkeypatch.setattr(candidates.CandidateSearch, "lists", watch)
    assert same(lists_of(task_of(model, text, lists=tmp_path)), plain)
    assert asked == [10]


def test_other_weights_are_decoded_and_not_kept(
    model: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    task = task_of(model, text, lists=tmp_path)
    first = lists_of(task)
    moved = task.start.with_dense({"language_model": 2.0})
    others = list(task.source.lists(moved))
    assert others[0].texts != first[0].texts
    assert same(lists_of(task), first)


def test_lists_of_something_else_are_refused(
    model: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    lists_of(task_of(model, text, lists=tmp_path))
    other = task_of(model, text, lists=tmp_path, n_best=9)
    with pytest.raises(CalqueError, match="has lists of another text"):
        lists_of(other)


def test_a_damaged_file_is_named(model: Path, text: CorpusFiles, tmp_path: Path) -> None:
    lists_of(task_of(model, text, lists=tmp_path))
    (tmp_path / "00001.npz").write_bytes(b"PK")
    with pytest.raises(FileError, match=r"00001\.npz.*damaged"):
        lists_of(task_of(model, text, lists=tmp_path))
    (tmp_path / "lists.json").write_text("{")
    with pytest.raises(FileError, match=r"lists\.json.*not the head"):
        lists_of(task_of(model, text, lists=tmp_path))


def test_every_update_rule_learns_the_same_from_kept_lists(
    model: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    for update in ("rprop", "gt"):
        options: dict[str, Any] = {"update": update, "rounds": 1, "fixed": "dense"}
        expected = Xbleu(**options).fit(task_of(model, text)).history
        found = Xbleu(**options).fit(task_of(model, text, lists=tmp_path)).history
        assert [part.scores for part in found] == [part.scores for part in expected]


def test_a_translator_is_jackknifed_where_it_says_where_its_model_lies(
    model: Path, text: CorpusFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jackknife, "STRETCH", 20)

    def jackknifed(**options: Any) -> DecoderTask:
        given: dict[str, Any] = {"n_best": 3, "jackknife": 3, **options}
        return DecoderTask(load(model), text.train_source, [text.train_target], **given)

    with pytest.raises(OptionError, match="takes the folder of a model"):
        jackknifed()
    plain = lists_of(jackknifed(folder=model))
    assert same(lists_of(jackknifed(folder=model, lists=tmp_path)), plain)
    no_decoding(monkeypatch)
    assert same(lists_of(jackknifed(folder=model, lists=tmp_path)), plain)

"""The training text decoded by models that have not seen it: what they are, and how runs go on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from blocks_reference import equal
from conftest import Run as Verb
from conftest import mistake

from calque.align import write_pharaoh
from calque.config import BlockOptions, LeaveOneOutOptions, TrainOptions, fill
from calque.data import CorpusFiles, write_corpus
from calque.decode import CandidateLists, CandidateSearch, Translator, load
from calque.errors import CalqueError, ModelError, OptionError
from calque.model import Model
from calque.model.build import build
from calque.text import BitextFiles
from calque.tune import Costmargin, DecoderTask, Mira, Simplex, Xbleu, jackknife, kept_lists
from calque.tune.decoder_source import DecoderSource
from calque.tune.jackknife import part_of_lines

FEATURES = {"dense": "standard", "sparse": "P1,W1"}
N_PARTS = 3
COPYING = {"least_agreement": 1}
"""What stands for unseen words is learned from the whole text, and so differs."""


@pytest.fixture(scope="module", autouse=True)
def _short_stretches() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jackknife, "STRETCH", 20)
        yield


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> CorpusFiles:
    folder = tmp_path_factory.mktemp("text")
    return write_corpus(folder, "near", {"train": 180, "dev": 20, "test": 1}, seed=4)


@pytest.fixture(scope="module")
def model(text: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("jackknife") / "model"
    options = fill(
        TrainOptions(), {"features": FEATURES, "blocks": {"min_count": 1}, "decode": COPYING}
    )
    build(BitextFiles(text.train_source, text.train_target), path, options)
    return path


def decoding(model: Path | Translator, text: CorpusFiles, **options: Any) -> DecoderTask:
    given = {"n_best": 5, "jackknife": N_PARTS, **options}
    return DecoderTask(model, text.train_source, [text.train_target], **given)


def all_lists(batches: Iterator[CandidateLists]) -> CandidateLists:
    return CandidateLists.concatenated(list(batches))


def test_each_part_is_decoded_by_a_model_built_from_the_others(
    model: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    """Built from their lines with the same links, it finds the same lists."""
    whole = Model.load(model)
    assert whole.bitext is not None
    found = all_lists(decoding(model, text).source.lists(whole.weights))
    ends = np.cumsum(found.lengths)
    lines = [path.read_text().splitlines() for path in (text.train_source, text.train_target)]
    parts = part_of_lines(np.arange(180), N_PARTS)
    assert set(parts.tolist()) == {0, 1, 2}
    assert whole.bitext.lines.tolist() == list(range(180))
    for part in range(N_PARTS):
        keep = parts != part
        files = [tmp_path / f"{side}-{part}" for side in ("source", "target", "links")]
        for path, side in zip(files, lines, strict=False):
            path.write_text("".join(side[at] + "\n" for at in np.flatnonzero(keep)))
        write_pharaoh(files[2], whole.bitext.alignments.select(keep))
        options = fill(TrainOptions(), {"features": FEATURES, "decode": COPYING})
        folder = tmp_path / f"model-{part}"
        build(BitextFiles(*files[:2]), folder, options, alignment=files[2])
        own = np.flatnonzero(~keep)
        search = CandidateSearch(load(folder), [lines[0][at] for at in own])
        expected = all_lists(search.lists(whole.weights, 5))
        begin = n_same = 0
        for at, n in zip(own.tolist(), expected.lengths.tolist(), strict=True):
            mine, theirs = range(ends[at] - found.lengths[at], ends[at]), range(begin, begin + n)
            begin += n
            better, wanted = untied(found, mine), untied(expected, theirs)
            # The block that is made for a word without any depends on ids where several fit.
            if better.keys() == wanted.keys():
                n_same += 1
                assert found.scores[mine] == pytest.approx(expected.scores[theirs], abs=1e-4)
                for candidate, (dense, keys) in wanted.items():
                    assert better[candidate][0] == pytest.approx(dense, abs=1e-4)
                    assert better[candidate][1] == keys
        assert n_same > 0.9 * len(own)


def untied(lists: CandidateLists, rows: range) -> dict[str, tuple[list[float], list[int]]]:
    """Candidates that are better than the last of a list, with their features."""
    sparse = lists.sparse
    return {
        lists.texts[row]: (
            lists.dense[row].tolist(),
            sparse.keys[slice(*sparse.offsets[row : row + 2])].tolist(),
        )
        for row in rows
        if lists.scores[row] > lists.scores[rows[-1]] + 1e-4
    }


def test_lists_of_the_seen_text_are_better_than_the_model_is(
    model: Path, text: CorpusFiles
) -> None:
    seen, unseen = (
        task.judge.verdict(task.translate(task.start)).score
        for task in (decoding(model, text, jackknife=0), decoding(model, text))
    )
    dev = DecoderTask(model, text.dev_source, text.dev_references[:1])
    new = dev.judge.verdict(dev.translate(dev.start)).score
    assert seen > unseen + 10
    assert abs(unseen - new) < 10


def test_word_classes_are_those_of_the_whole_model(text: CorpusFiles, tmp_path: Path) -> None:
    features = {"dense": "standard + class_language_model", "sparse": "W2"}
    options = fill(TrainOptions(), {"features": features})
    build(BitextFiles(text.train_source, text.train_target), tmp_path / "model", options)
    task = decoding(tmp_path / "model", text, jackknife=2, part_models=tmp_path / "parts")
    assert len(list(task.source.lists(task.start))) > 0
    whole, part = Model.load(tmp_path / "model"), Model.load(tmp_path / "parts" / "without-1")
    data = whole.feature_data, part.feature_data
    assert data[0].class_lm is not None
    assert data[1].class_lm is not None
    assert (data[0].class_lm.class_of == data[1].class_lm.class_of).all()
    assert len(part.blocks) < len(whole.blocks)


class KilledError(Exception):
    """Stands for the end of a process."""


@pytest.mark.parametrize("n_parts", [0, N_PARTS])
def test_a_corpus_half_decoded_is_not_decoded_again(
    n_parts: int,
    model: Path,
    text: CorpusFiles,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(kept_lists, "JOINED_BYTES", 1)
    task = decoding(model, text, jackknife=n_parts, part_models=tmp_path / "parts")
    trainer = Xbleu(rounds=2, iterations=2, fixed="dense", decode_every=1)
    whole = trainer.fit(task, run=tmp_path / "whole")
    lists, to_die = DecoderSource.lists, [5, 3, 1]

    def dying(self: DecoderSource, *arguments: Any, **options: Any) -> Iterator[CandidateLists]:
        for at, batch in enumerate(lists(self, *arguments, **options)):
            if at == to_die[0]:
                raise KilledError
            yield batch

    while to_die:
        with monkeypatch.context() as patch:
            patch.setattr(DecoderSource, "lists", dying)
            with pytest.raises(KilledError):
                trainer.fit(task, run=tmp_path / "cut")
        to_die.pop(0)
    assert len(list((tmp_path / "cut" / "pool").iterdir())) == 9
    again = trainer.fit(task, run=tmp_path / "cut")
    assert again.weights == whole.weights
    assert [done.score for done in again.history] == [done.score for done in whole.history]
    assert [done.n_new for done in again.history] == [done.n_new for done in whole.history]


def test_learning_on_jackknifed_lists_from_the_command_line(
    verb: Verb, model: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    files = ["--model", model, "--source", text.train_source, "--reference", text.train_target]
    dev = ["--dev-source", text.dev_source, "--dev-reference", text.dev_references[0]]
    options = ["--list-length", 5, "--set", "rounds=2", "--set", "fixed=dense", "--name", "jack"]
    result = verb(
        *("tune", *files, *dev, "--method", "xbleu", "--jackknife", 2, *options),
        *("--run", tmp_path / "run"),
    )
    assert "chosen: round" in result.stdout, result.stderr
    assert sorted(path.name for path in (tmp_path / "run" / "parts").iterdir()) == [
        "without-0",
        "without-1",
    ]
    both = ("--leave-one-out", "counts", "--jackknife", 2)
    assert "two ways to the same" in mistake(verb("tune", *files, "--method", "mira", *both))


def test_what_jackknife_cannot_do_is_said(model: Path, text: CorpusFiles, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="jackknife takes the folder of a model"):
        decoding(load(model), text)
    with pytest.raises(OptionError, match="expected at least 2 parts"):
        decoding(model, text, jackknife=1)
    with pytest.raises(OptionError, match="two ways to the same"):
        decoding(model, text, leave_one_out=LeaveOneOutOptions())
    with pytest.raises(CalqueError, match="source line 1 is not that of the training text"):
        DecoderTask(model, text.dev_source, text.dev_references, jackknife=2)
    with pytest.raises(CalqueError, match="it cannot use leave-one-out or jackknife"):
        Simplex().fit(decoding(model, text))
    with pytest.raises(OptionError, match="jackknife cannot search for oracle truths"):
        Costmargin(truth="oracle").fit(decoding(model, text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jackknife, "STRETCH", 1000)
        with pytest.raises(CalqueError, match="all 180 sentence pairs are in one part"):
            decoding(model, text)
    options = fill(TrainOptions(), {"keep_bitext_mb": 0})
    build(BitextFiles(text.train_source, text.train_target), tmp_path / "plain", options)
    with pytest.raises(ModelError, match="jackknife needs: train it with a larger keep_bitext_mb"):
        decoding(tmp_path / "plain", text)
    assert Mira(rounds=1, passes=2).fit(decoding(model, text)).score > 0


def test_models_of_parts_have_rules_where_the_whole_has(text: CorpusFiles, tmp_path: Path) -> None:
    chosen = {"decode.engine": "chart", "features.dense": "rules", "blocks.rules.max_span": 6}
    files = BitextFiles(text.train_source, text.train_target)
    build(files, tmp_path / "model", fill(TrainOptions(), chosen))
    whole = Model.load(tmp_path / "model")
    assert whole.bitext is not None
    every = np.ones(len(whole.bitext), bool)
    again = jackknife.model_of(whole, whole.bitext, every, BlockOptions())
    assert equal(again.blocks, whole.blocks)
    parts = decoding(tmp_path / "model", text).source.lists(whole.weights)
    assert len(all_lists(parts).lengths) == 180


def test_models_of_parts_have_the_sparse_features_of_the_task(
    model: Path, text: CorpusFiles, tmp_path: Path
) -> None:
    """Whatever a task with or without them has left in the folder of the parts."""
    weights = Model.load(model).weights
    for dense_only in (True, False, True):
        task = decoding(model, text, part_models=tmp_path / "parts", dense_only=dense_only)
        found = all_lists(task.source.lists(weights))
        assert bool(len(found.sparse.keys)) != dense_only

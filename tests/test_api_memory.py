"""Text, lists and models that never were files, or travel to another process."""

from __future__ import annotations

import multiprocessing
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import calque
from calque.data import CorpusFiles
from calque.model import Model
from calque.text import read_lines, write_lines

OPTIONS: dict[str, Any] = {"lm": {"order": 3}, "threads": 1}


def _lines(path: Path) -> list[str]:
    return list(read_lines(path))


def test_training_on_lists_and_on_a_table_equals_training_on_two_files(
    corpus: CorpusFiles, tmp_path: Path
) -> None:
    source, target = _lines(corpus.train_source), _lines(corpus.train_target)
    write_lines(tmp_path / "t.tsv", map("\t".join, zip(source, target, strict=True)))
    by_file = calque.train(corpus.train_source, corpus.train_target, tmp_path / "f", **OPTIONS)
    by_list = calque.train(source, np.array(target), tmp_path / "l", **OPTIONS)
    mixed = calque.train(source, corpus.train_target, tmp_path / "m", **OPTIONS)
    by_table = calque.train(bitext=tmp_path / "t.tsv", out=tmp_path / "t", **OPTIONS)
    test = _lines(corpus.test_source)
    expected = list(by_file.translate_all(test))
    for translator in (by_list, mixed, by_table):
        assert list(translator.translate_all(test)) == expected
    with pytest.raises(calque.CalqueError, match="source has 400 sentences, but target has 399;"):
        calque.train(source, target[:-1], tmp_path / "x")
    with pytest.raises(calque.CalqueError, match="target: number 2: a sentence is of type int"):
        calque.train(["a", "b"], ["a", 2], tmp_path / "x")  # type: ignore[list-item]  # the mistake
    with pytest.raises(calque.CalqueError, match="expected source and target, or bitext"):
        calque.train(source, out=tmp_path / "x")
    with pytest.raises(calque.CalqueError, match="out is missing: expected the folder"):
        calque.train(source, target)


def test_line_breaks_inside_sentences_do_not_shift_the_pairs(tmp_path: Path) -> None:
    broken = calque.train(["eins\nzwei", "drei"], ["one\ntwo", "three"], tmp_path / "m", threads=1)
    assert broken.translate("drei").text == "three"


def test_tuning_on_lists_of_sentences_equals_tuning_on_files(
    trained: Path, corpus: CorpusFiles
) -> None:
    model = calque.load(trained)
    files = calque.DecoderTask(
        model, corpus.test_source, corpus.test_references[:2], n_best=5, threads=1
    )
    references = [_lines(path) for path in corpus.test_references[:2]]
    memory = calque.DecoderTask(
        model,
        np.array(_lines(corpus.test_source)),
        [references[0], np.array(references[1])],
        n_best=5,
        threads=1,
        dev_source=_lines(corpus.test_source),
        dev_references=references,
    )
    trainer = calque.Mira(rounds=1, passes=2)
    by_files, by_memory = trainer.fit(files, threads=1), trainer.fit(memory, threads=1)
    assert by_files.weights == by_memory.weights
    assert by_files.score == by_memory.score


def test_a_run_on_sentences_in_memory_continues_only_with_the_same(
    trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    model, lines = calque.load(trained), _lines(corpus.dev_source)
    references = [_lines(corpus.dev_references[0])]
    trainer = calque.Mira(rounds=1, passes=1)
    for _ in range(2):
        task = calque.DecoderTask(model, lines, references, n_best=5, threads=1)
        trainer.fit(task, run=tmp_path / "run", threads=1)
    other = calque.DecoderTask(model, lines[::-1], references, n_best=5, threads=1)
    with pytest.raises(calque.CalqueError, match="inputs.source.sha256"):
        trainer.fit(other, run=tmp_path / "run", threads=1)


def _nbest() -> calque.NBest:
    rng = np.random.default_rng(1)
    lists = []
    for _ in range(6):
        values = rng.normal(size=(4, 2))
        candidates = [
            calque.Candidate("a b c d e" if v[0] == values[:, 0].max() else "x y z d e", {
                "good": float(v[0]), "noise": float(v[1])}, float(v.sum()))
            for v in values
        ]  # fmt: skip
        lists.append(candidates)
    return calque.NBest.from_lists(lists)


def test_lists_in_memory_are_tuned_like_those_of_a_file(tmp_path: Path) -> None:
    nbest = _nbest()
    references = [["a b c d e"] * 6]
    calque.write_nbest(tmp_path / "n", nbest)
    write_lines(tmp_path / "r", references[0])
    memory = calque.Mert(restarts=2).fit(calque.NBestTask(nbest, references))
    files = calque.Mert(restarts=2).fit(calque.NBestTask(tmp_path / "n", [tmp_path / "r"]))
    assert memory.weights == files.weights
    assert memory.score == pytest.approx(100)
    longer = nbest.with_feature("more", np.arange(len(nbest), dtype=float))
    both = calque.NBestTask([longer, tmp_path / "n"], references)
    assert both.source.nbest.names == ("good", "noise", "more")
    assert len(both.source.nbest) == 2 * len(nbest)


def test_lists_are_the_same_from_a_matrix(tmp_path: Path) -> None:
    nbest = _nbest()
    same = calque.NBest.from_matrix(
        nbest.names, nbest.sentences, nbest.texts, nbest.matrix(nbest.names), nbest.totals
    )
    assert same.digest() == nbest.digest()
    assert same.with_feature("x", np.zeros(len(nbest))).digest() != nbest.digest()
    with pytest.raises(calque.CalqueError, match=r"features of shape \(2, 1\)"):
        calque.NBest.from_matrix(["f"], [0], ["a"], np.zeros((2, 1)))
    with pytest.raises(calque.CalqueError, match="must be finite"):
        calque.NBest.from_matrix(["f"], [0], ["a"], np.full((1, 1), np.nan))
    with pytest.raises(calque.CalqueError, match="the value of 'f' is nan"):
        calque.NBest.from_lists([[("a", {"f": float("nan")}, None)]])
    with pytest.raises(calque.CalqueError, match="some candidates have a score"):
        calque.NBest.from_lists([[calque.Candidate("a", {}, 1.0), calque.Candidate("b", {})]])
    with pytest.raises(calque.CalqueError, match="list 1: line 2: sentence 1 has no candidates"):
        calque.NBestTask(calque.NBest.from_lists([[("a", {"f": 1.0}, 1.0)], [], [("b", {}, 1.0)]]),
                         [["a", "b", "c"]])  # fmt: skip


def _translated(translator: calque.Translator, line: str) -> str:
    return translator.translate(line).text


def test_a_translator_works_in_another_process(trained: Path, corpus: CorpusFiles) -> None:
    model, lines = calque.load(trained), _lines(corpus.test_source)[:4]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        away = pool.starmap(_translated, [(model, line) for line in lines])
    assert away == [model.translate(line).text for line in lines]


def test_a_loaded_model_travels_as_its_folder_and_its_new_weights(
    trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    loaded = calque.load(trained)
    small = pickle.dumps(loaded)
    assert len(small) < 20_000 < loaded.model.blocks.scores.nbytes
    tuned = replace(loaded.model, weights=loaded.model.weights.with_dense({"word_count": -9.0}))
    back = pickle.loads(pickle.dumps(calque.Translator(tuned, loaded.options)))
    assert back.model.weights == tuned.weights
    lines = _lines(corpus.test_source)
    assert list(back.translate_all(lines)) == list(calque.Translator(tuned).translate_all(lines))
    copy = tmp_path / "model"
    Model.load(trained).save(copy, {})
    moved = pickle.dumps(calque.load(copy))
    calque.train(["a"], ["b"], copy, threads=1)
    with pytest.raises(calque.CalqueError, match="has changed since it was pickled"):
        pickle.loads(moved)


def test_a_model_that_is_no_folder_travels_by_value(trained: Path, corpus: CorpusFiles) -> None:
    loaded = calque.load(trained)
    by_value = calque.Translator(replace(loaded.model, origin=None))
    back = pickle.loads(pickle.dumps(by_value))
    lines = _lines(corpus.test_source)
    assert list(back.translate_all(lines)) == list(loaded.translate_all(lines))
    assert pickle.loads(pickle.dumps(loaded.model.weights)) == loaded.model.weights

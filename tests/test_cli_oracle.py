"""`calque oracle` as a user meets it: the table, the files, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Run, done, mistake

from calque.data import CorpusFiles
from calque.text import read_lines, write_lines


@pytest.fixture
def files(trained: Path, corpus: CorpusFiles) -> list[object]:
    inputs = ["--source", corpus.test_source, "--reference", corpus.test_references[0]]
    return ["oracle", "--model", trained, *inputs, "-q"]


def scored(verb: Run, hypothesis: Path, reference: Path) -> float:
    files = ["--hypothesis", hypothesis, "--reference", reference]
    return float(json.loads(done(verb("score", *files, "--metric", "bleu", "--json")))[0]["value"])


def test_oracles_beat_the_best_translations_and_score_what_the_table_says(
    verb: Run, files: list[object], corpus: CorpusFiles, tmp_path: Path
) -> None:
    out = tmp_path / "oracle.en"
    found = json.loads(done(verb(*files, "--json", "--output", out)))
    assert found["oracle"]["bleu"] > found["1-best"]["bleu"]
    assert found["oracle"]["sentence_bleu"] > found["1-best"]["sentence_bleu"]
    bleu = scored(verb, out, corpus.test_references[0])
    assert found["oracle"]["bleu"] == pytest.approx(bleu)
    assert found["n_sentences"] == len(list(read_lines(out)))


def test_the_1_best_is_that_of_translate_under_the_same_reordering(
    verb: Run, files: list[object], trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    for rule in ([], ["--reordering", "mon"]):
        found = json.loads(done(verb(*files, "--json", *rule)))
        out = tmp_path / "best.en"
        inputs = ["--input", corpus.test_source, "--output", out]
        done(verb("translate", "--model", trained, *inputs, "-q", *rule))
        bleu = scored(verb, out, corpus.test_references[0])
        assert found["1-best"]["bleu"] == pytest.approx(bleu)


def test_derivations_are_written_best_first_and_cover_the_source(
    verb: Run, files: list[object], corpus: CorpusFiles, tmp_path: Path
) -> None:
    out, best = tmp_path / "oracle.jsonl.gz", tmp_path / "best.txt"
    done(verb(*files, "--derivations", out, "--nbest", "3", "--output", best))
    rows = [json.loads(line) for line in read_lines(out)]
    sources, texts = list(read_lines(corpus.test_source)), list(read_lines(best))
    for index, source in enumerate(sources):
        mine = [row for row in rows if row["index"] == index]
        assert [row["rank"] for row in mine] == list(range(1, len(mine) + 1))
        assert 1 <= len(mine) <= 3
        scores = [row["sentence_bleu"] for row in mine]
        assert scores == sorted(scores, reverse=True)
        assert mine[0]["text"] == texts[index]
        for row in mine:
            covered = [i for step in row["steps"] for i in range(step["begin"], step["end"])]
            assert sorted(covered) == list(range(len(source.split())))


def test_a_second_reference_and_the_brevity_penalty_count(
    verb: Run, files: list[object], corpus: CorpusFiles, tmp_path: Path
) -> None:
    one = json.loads(done(verb(*files, "--json")))["oracle"]
    oracle = tmp_path / "oracle.en"
    done(verb(*files, "--output", oracle))
    two = json.loads(done(verb(*files, "--json", "--reference", oracle)))["oracle"]
    assert two["sentence_bleu"] == pytest.approx(100)
    assert one["sentence_bleu"] < 99
    longer = json.loads(done(verb(*files, "--json", "--brevity-penalty", "true")))["oracle"]
    assert longer["length_ratio"] >= one["length_ratio"]
    assert "with brevity penalty" in done(verb(*files, "--brevity-penalty", "true"))


def test_mistakes_are_one_clear_line(
    verb: Run, files: list[object], trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    assert "--derivations" in mistake(verb(*files, "--nbest", "3"))
    same = ["--output", tmp_path / "x", "--derivations", tmp_path / "x"]
    assert "expected two files" in mistake(verb(*files, *same))
    short = tmp_path / "short"
    write_lines(short, ["one line"])
    assert "expected equal numbers" in mistake(verb(*files, "--reference", short))
    assert "mon, swap, phrase" in mistake(verb(*files, "--reordering", "free"))
    assert "at least 0" in mistake(verb(*files, "--stack-size", "-1"))
    empty = tmp_path / "empty"
    empty.write_text("")
    nothing = ["--source", empty, "--reference", corpus.test_references[0]]
    assert "is empty" in mistake(verb("oracle", "--model", trained, *nothing))
    missing = ["--source", tmp_path / "nowhere", "--reference", corpus.test_references[0]]
    assert "nowhere" in mistake(verb("oracle", "--model", trained, *missing))


def test_empty_sentences_have_empty_oracles(verb: Run, trained: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "a", ["", "x"])
    write_lines(tmp_path / "b", ["y", ""])
    inputs = ["--source", tmp_path / "a", "--reference", tmp_path / "b"]
    done(verb("oracle", "--model", trained, *inputs, "--output", tmp_path / "c", "-q"))
    assert list(read_lines(tmp_path / "c")) == ["", "x"]

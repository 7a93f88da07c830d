"""`calque force` as a user meets it: tables, derivations, mistakes; and the sums behind them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from conftest import Run, done, mistake

from calque.config import ForceOptions
from calque.data import CorpusFiles
from calque.decode import force_pairs
from calque.decode.reachability import Counts, count, tabulate
from calque.model import Model
from calque.text import BitextFiles, read_lines, write_lines


def arguments(model: Path, source: Path, reference: Path) -> list[object]:
    return ["force", "--model", model, "--source", source, "--reference", reference, "-q"]


@pytest.fixture
def training(trained: Path, corpus: CorpusFiles) -> list[object]:
    return arguments(trained, corpus.train_source, corpus.train_target)


def test_the_training_text_is_mostly_reachable_and_more_so_with_a_higher_limit(
    verb: Run, training: list[object]
) -> None:
    found = json.loads(done(verb(*training, "--json", "--limits", "0,2,6")))
    total = found["total"]
    assert [figures["limit"] for figures in total] == [0, 2, 6]
    assert [figures["n_pairs"] for figures in total] == [400] * 3
    shares = [figures["sentences"] for figures in total]
    assert shares == sorted(shares)
    assert shares[-1] > 0.5
    assert all(figures["words_with_prefixes"] >= figures["words"] for figures in total)
    for row in found["lengths"]:
        reachable = [figures["n_reachable"] for figures in row["limits"]]
        assert reachable == sorted(reachable)
    assert sum(row["limits"][0]["n_pairs"] for row in found["lengths"]) == 400


def test_the_limit_bounds_jumps_or_on_demand_the_way_back(verb: Run, tmp_path: Path) -> None:
    for name, lines in {
        "train.a": list("abcd"),
        "train.b": list("ABCD"),
        "a": ["a b c d"],
        "b": ["B D C A"],  # the last jump is of three words, but D ends four words after the gap
    }.items():
        write_lines(tmp_path / name, lines)
    model = tmp_path / "model"
    files = ["--source", tmp_path / "train.a", "--target", tmp_path / "train.b"]
    done(verb("train", *files, "--model", model, "-q"))

    def reached(*rule: str) -> list[int]:
        pair = arguments(model, tmp_path / "a", tmp_path / "b")
        found = json.loads(done(verb(*pair, "--json", "--limits", "2,3,4", *rule)))
        return [figures["n_reachable"] for figures in found["total"]]

    assert reached() == reached("--distortion-rule", "jump") == [0, 1, 1]
    assert reached("--distortion-rule", "window") == [0, 0, 1]


def test_the_tables_are_printed(verb: Run, training: list[object]) -> None:
    out = done(verb(*training, "--bucket", "10"))
    assert "reachable of 400 sentence pairs" in out
    assert "limit 6" in out
    assert "1-10" in out
    assert "mon" in done(verb(*training, "--reordering", "mon"))
    assert "no limit" in done(verb(*training, "--limits", "-1", "--max-words", "8"))


def test_the_derivations_give_the_references(
    verb: Run, training: list[object], trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    out = tmp_path / "gold.jsonl.gz"
    total = json.loads(done(verb(*training, "--limits", "2", "--output", out, "--json")))["total"]
    rows = [json.loads(line) for line in read_lines(out)]
    assert [row["index"] for row in rows] == list(range(400))
    assert sum(row["reachable"] for row in rows) == total[0]["n_reachable"]
    assert sum(row["prefix"] is not None for row in rows) == total[0]["n_prefix"]
    weights = Model.load(trained).weights
    references = [line.split() for line in read_lines(corpus.train_target)]
    for row, reference in zip(rows, references, strict=True):
        if "steps" not in row:
            continue
        words = " ".join(step["target"] for step in row["steps"]).split()
        assert words == reference[: row["prefix"][1] if row["prefix"] else None]
        added = sum(weights[name] * value for name, value in row["features"].items())
        assert row["score"] == pytest.approx(added, abs=1e-3)


def test_the_number_of_threads_and_the_batches_change_nothing(
    trained: Path, corpus: CorpusFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = Model.load(trained)
    text = BitextFiles(corpus.test_source, corpus.test_references[0])

    def found(threads: int, batch: int) -> list[tuple[object, ...]]:
        monkeypatch.setattr("calque.decode.forcing.BATCH", batch)
        pairs = force_pairs(model, text.blocks(), (0, 6), ForceOptions(), threads=threads)
        return [
            (pair.source, result.reachable, result.prefix_source, result.n_derivations, result.best)
            for pair in pairs
            for result in pair.found
        ]

    assert found(1, 512) == found(2, 7)


def test_empty_lines_are_left_out_and_too_long_ones_told(
    verb: Run, trained: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    source, reference = tmp_path / "s", tmp_path / "r"
    first, second = list(read_lines(corpus.train_source))[:2]
    source.write_text(f"{first}\n\n{second}\n")
    reference.write_text("\n\nx\n")
    gold = tmp_path / "gold"
    more = ["--json", "--max-words", "1", "--output", gold]
    result = verb(*arguments(trained, source, reference), *more)
    found = json.loads(done(result))
    assert "2 pairs have an empty side" in result.stderr
    assert found["n_empty"] == 2
    assert found["total"][0]["n_too_large"] == found["total"][0]["n_pairs"] == 1
    assert len(gold.read_text().splitlines()) == 3


def test_mistakes_are_one_clear_line(
    verb: Run, trained: Path, corpus: CorpusFiles, training: list[object], tmp_path: Path
) -> None:
    empty = tmp_path / "empty"
    empty.write_text("")
    assert "is empty" in mistake(verb(*arguments(trained, empty, empty)))
    unequal = arguments(trained, corpus.train_source, corpus.test_references[0])
    assert "has 400 lines, but" in mistake(verb(*unequal))
    assert "no such file" in mistake(verb(*arguments(trained, tmp_path / "x", empty)))
    for limits in ("", "a", "2,2", "-2", "1,"):
        assert "expected different whole numbers" in mistake(verb(*training, "--limits", limits))
    both = ["--limits", "2", "--reordering", "swap"]
    assert "only --reordering phrase" in mistake(verb(*training, *both))
    assert "--memory-mb 0: expected" in mistake(verb(*training, "--memory-mb", "0"))


def test_a_table_adds_up_lengths_and_takes_geometric_means() -> None:
    def pair(n_words: int, n_derivations: int) -> Counts:
        reach = n_derivations > 0
        log = math.log(n_derivations) if reach else 0.0
        return Counts(1, n_words, int(reach), n_words * reach, 0, 0, 0, log)

    counts = {
        (2, 5): pair(5, 2) + pair(5, 8),
        (2, 6): pair(6, 0),
        (2, 10): pair(10, 3),
        (4, 5): pair(5, 2) + pair(5, 8),
        (4, 6): pair(6, 9),
        (4, 10): pair(10, 3),
    }
    table = tabulate(counts, (2, 4), 5)
    assert [(row.shortest, row.longest) for row in table.rows] == [(1, 5), (6, 10)]
    assert table.rows[0].counts[0].derivations == pytest.approx(4)
    assert table.rows[1].counts[0].sentences == 0.5
    assert table.rows[1].counts[0].words == 10 / 16
    assert [total.n_reachable for total in table.total] == [3, 4]
    assert tabulate({}, (0,), 5).total == (Counts(),)


def test_a_short_prefix_is_of_no_use(trained: Path, corpus: CorpusFiles) -> None:
    model = Model.load(trained)
    text = BitextFiles(corpus.test_source, corpus.test_references[0])
    out_of_reach = 0
    for pair in force_pairs(model, text.blocks(), (2,), ForceOptions()):
        found = pair.found[0]
        n = len(pair.source)
        if not found.reachable:
            out_of_reach += 1
            assert count(found, n, found.prefix_source + 1).n_prefix == 0
            if found.prefix_source > 0:
                assert count(found, n, found.prefix_source).n_prefix_words == found.prefix_source
    assert out_of_reach > 0

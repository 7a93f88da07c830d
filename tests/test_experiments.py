"""The frame of reproduced papers: corpora, cells that are worked out once, verdicts, reports."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from conftest import Run, mistake
from test_report_page import check_self_contained

from calque.config import CompareOptions, FeatureOptions
from calque.data import CorpusFiles
from calque.decode import Translator
from calque.errors import CalqueError, FileError, OptionError
from calque.experiments.bench import Bench, variant
from calque.experiments.cell import Cell, Cells
from calque.experiments.claim import Claim, Evidence, Paired, Verdict, stated
from calque.experiments.corpus import Corpus, Text, generated_corpus, read_corpus
from calque.experiments.markdown import to_markdown
from calque.experiments.paper import Figure, Paper, Section, Table
from calque.experiments.reproduce import reproduce
from calque.features import SparseWeights, Weights
from calque.model import Model
from calque.progress import SILENT, Progress, SilentStage, Stage
from calque.report import System
from calque.report.curves import Curve
from calque.tune import DecoderTask, Mert

# Corpora -----------------------------------------------------------------------------------------


def folder_of(path: Path, **files: int) -> Path:
    """A corpus of files `split_language` with so many lines; `dev_en_0` is `dev.en.0`."""
    path.mkdir()
    for name, n_lines in files.items():
        (path / name.replace("_", ".")).write_text("a b\n" * n_lines)
    return path


WHOLE = {"train_de": 5, "train_en": 5, "dev_de": 2, "dev_en": 2, "test_de": 3, "test_en": 3}


def test_a_folder_is_read_by_the_ends_of_its_names(tmp_path: Path) -> None:
    files = {name: n for name, n in WHOLE.items() if name != "dev_en"}
    path = folder_of(tmp_path / "c", **files, dev_en_0=2, dev_en_1=2, dev_en_10=2)
    corpus = read_corpus(path)
    assert (corpus.source_language, corpus.target_language) == ("de", "en")
    assert [reference.name for reference in corpus.dev.references] == [
        "dev.en.0",
        "dev.en.1",
        "dev.en.10",
    ]
    assert [len(text.sentences) for text in corpus.texts] == [5, 2, 3]
    assert corpus.dev.n_words == (4, 12)
    assert read_corpus(path, "de-en").test.digest == corpus.test.digest != corpus.dev.digest


@pytest.mark.parametrize(
    ("changes", "languages", "problem"),
    [
        ({"dev_en": None}, None, r"dev\.en: no such file"),
        ({"test_de": None}, None, r"test\.de: no such file"),
        ({"train_en": 4}, None, r"train\.en: has 4 lines, but train\.de has 5"),
        ({"dev_en": 1}, None, r"dev\.en: has 1 lines"),
        ({"train_fr": 5}, None, "has train.de, train.en, train.fr: expected two"),
        ({"train_en": None, "train_fr": 5}, None, "say which languages"),
        ({}, "de", "expected SOURCE-TARGET"),
        ({}, "de-fr", r"train\.fr: no such file"),
        ({"dev_de": 0, "dev_en": 0}, None, r"dev\.de: is empty"),
    ],
)
def test_a_folder_that_is_no_corpus_is_one_clear_line(
    tmp_path: Path, changes: dict[str, Any], languages: str | None, problem: str
) -> None:
    files = {name: n for name, n in {**WHOLE, **changes}.items() if n is not None}
    with pytest.raises(CalqueError, match=problem):
        read_corpus(folder_of(tmp_path / "c", **files), languages)


def test_the_generated_corpus_is_written_once(tmp_path: Path) -> None:
    sizes = {"train": 30, "dev": 3, "test": 4}
    first = generated_corpus(tmp_path / "near", "near", sizes)
    written = first.train.source.stat().st_mtime_ns
    again = generated_corpus(tmp_path / "near", "near", sizes)
    assert again.train.source.stat().st_mtime_ns == written
    assert [text.digest for text in again.texts] == [text.digest for text in first.texts]
    assert len(again.dev.references) == 4
    other = generated_corpus(tmp_path / "near", "near", {**sizes, "test": 5})
    assert len(other.test.sentences) == 5


# Cells -------------------------------------------------------------------------------------------


class Counted:
    """Work that counts how often it is done."""

    def __init__(self, cell: Cell) -> None:
        self.cell, self.n_calls = cell, 0

    def __call__(self, folder: Path) -> Cell:
        self.n_calls += 1
        return self.cell


def test_a_cell_is_worked_out_once_and_read_by_others(tmp_path: Path) -> None:
    sparse = SparseWeights.from_arrays(np.array([7], np.uint64), np.array([0.5], np.float32))
    cell = Cell(
        {"bleu": 12.25}, {"dev": [1.0, 2.5]}, {"test": ["a b", "", "ü"]}, ["short"],
        Weights({"x": 0.1}, sparse),
    )  # fmt: skip
    work, cells = Counted(cell), Cells(tmp_path, {"corpus": "c"})
    found = cells.cell("one", {"seed": 1}, work)
    assert replace(found, name="", key="") == cell
    assert cells.cell("one", {"seed": 1}, work) is found
    assert Cells(tmp_path, {"corpus": "c"}).cell("one", {"seed": 1}, work) == found
    assert work.n_calls == 1
    assert len(found.key) == 8


def test_whatever_a_cell_depends_on_makes_another_cell(tmp_path: Path) -> None:
    work = Counted(Cell({"x": 1.0}))
    keys = set()
    for common, name, depends in product(("c", "d"), ("one", "two"), ({"s": 1}, {"s": 2})):
        keys.add(Cells(tmp_path, {"corpus": common}).cell(name, depends, work).key)
    assert len(keys) == work.n_calls == 8
    Cells(tmp_path, {"corpus": "c"}).cell("one", {"s": 1}, work)
    assert work.n_calls == 8, "cells of other dependencies leave it where it is"


def test_killed_work_finds_what_it_had_kept(tmp_path: Path) -> None:
    def work(folder: Path) -> Cell:
        half = folder / "half"
        if not half.exists():
            half.write_text("")
            raise KeyboardInterrupt
        return Cell({"resumed": 1.0})

    with pytest.raises(KeyboardInterrupt):
        Cells(tmp_path, {}).cell("one", {}, work)
    assert Cells(tmp_path, {}).cell("one", {}, work).figures == {"resumed": 1.0}


def test_a_damaged_cell_is_named(tmp_path: Path) -> None:
    Cells(tmp_path, {}).cell("one", {}, Counted(Cell()))
    [file] = tmp_path.rglob("cell.json")
    file.write_text("{")
    with pytest.raises(FileError, match=r"cell\.json: not a cell"):
        Cells(tmp_path, {}).cell("one", {}, Counted(Cell()))


# Verdicts ----------------------------------------------------------------------------------------


@pytest.fixture
def text(tmp_path: Path) -> Text:
    random = Random(1)
    lines = [" ".join(random.choices("abcdefgh", k=10)) + "\n" for _ in range(60)]
    for name in ("test.de", "test.en"):
        (tmp_path / name).write_text("".join(lines))
    return Text("test", tmp_path / "test.de", (tmp_path / "test.en",))


def spoiled(text: Text, n_sentences: int, name: str = "spoiled") -> System:
    """A system that gives the references, but for the first so many: these lose their last word."""
    lines = list(text.reference_lines[0])
    for i in range(n_sentences):
        lines[i] = lines[i][:-2] + " z"
    return System(name, (lines,))


def test_a_difference_is_judged_by_a_paired_test(text: Text) -> None:
    good, bad, nearly = spoiled(text, 0), spoiled(text, 40), spoiled(text, 1)
    by = Paired(text, "bleu", CompareOptions(trials=500))
    assert by.better(good, bad).verdict == Verdict.HOLDS
    assert by.better(bad, good).verdict == Verdict.FAILS
    assert by.better(good, nearly).verdict == Verdict.OPEN
    assert by.not_worse(good, bad).verdict == Verdict.HOLDS
    assert by.not_worse(nearly, good).verdict == Verdict.HOLDS
    assert by.not_worse(bad, good).verdict == Verdict.FAILS
    assert by.alike(nearly, good, margin=0.0).verdict == Verdict.HOLDS
    assert by.alike(bad, good, margin=0.5).verdict == Verdict.FAILS
    assert by.alike(good, bad, margin=0.5).verdict == Verdict.FAILS
    assert by.alike(bad, good, margin=50.0).verdict == Verdict.HOLDS


def test_an_error_rate_is_better_where_it_is_lower(text: Text) -> None:
    by = Paired(text, "mwer", CompareOptions(trials=500))
    assert by.better(spoiled(text, 0), spoiled(text, 40)).verdict == Verdict.HOLDS


def test_the_interval_of_a_score_is_that_of_resampled_sentences(text: Text) -> None:
    by = Paired(text, "avg-mwer", CompareOptions(trials=4000))
    rates = np.repeat([10.0, 0.0], [20, 40])  # one of ten words is wrong in the first 20
    drawn = np.random.default_rng(5).choice(rates, (4000, 60)).mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert by.half_width(spoiled(text, 20)) == pytest.approx((high - low) / 2, rel=0.1)


def test_the_line_of_evidence_tells_scores_and_chance(text: Text) -> None:
    by = Paired(text, "mwer", CompareOptions(trials=99))
    seen = by.better(spoiled(text, 30, "bad"), spoiled(text, 0, "good")).seen
    assert seen == "bad 5.00 against good 0.00 mWER on test (+5.00, p = 0.010)"


def test_the_verdict_on_a_claim_is_that_of_its_weakest_evidence() -> None:
    for verdicts in product(Verdict, repeat=3):
        claim = Claim("1", "", "", "", [Evidence(verdict, "") for verdict in verdicts])
        if Verdict.FAILS in verdicts:
            assert claim.verdict == Verdict.FAILS
        else:
            assert (claim.verdict == Verdict.HOLDS) == all(v == Verdict.HOLDS for v in verdicts)


# A paper -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def small(corpus: CorpusFiles) -> Corpus:
    return Corpus(
        "small", "vel", "eng",
        Text("train", corpus.train_source, (corpus.train_target,)),
        Text("dev", corpus.dev_source, corpus.dev_references),
        Text("test", corpus.test_source, corpus.test_references),
    )  # fmt: skip


def trained_cell(bench: Bench, n_rounds: int) -> Cell:
    def work(folder: Path, progress: Progress) -> Cell:
        model = variant(bench.model(FeatureOptions.standard()), dense="standard")
        dev = bench.corpus.dev
        task = DecoderTask(Translator(model), dev.source, dev.references, n_best=5)
        trainer = Mert(rounds=n_rounds, restarts=1)
        result = trainer.fit(task, run=folder / "run", threads=1, progress=progress)
        curve = [done.score for done in result.history]
        return Cell({"bleu": result.score}, {"dev": curve}, weights=result.weights)

    return bench.cell("mert", {"rounds": n_rounds}, work)


def fake_section(bench: Bench) -> Section:
    cell = trained_cell(bench, bench.rounds(6))
    curve = Curve("dev <b>", range(len(cell.curves["dev"])), cell.curves["dev"], 0)
    score = cell.figures["bleu"]
    return Section(
        "Table I",
        [Table("Scores.", ["method", "paper", "here"], [["mert | x", "12.3", score]])],
        [Figure("Figure 1.", "round", "BLEU", [curve])],
        [Claim("1", "It learns", "+3", "it ends higher", [stated(score > 0, "yes")])],
    )


FAKE = Paper(
    "fake", "Nobody 2000", "A test.", "near", {"train": 10}, 0.5, "6 rounds", None, "all pairs",
    {"I": fake_section, "II": lambda bench: Section("Table II")},
)  # fmt: skip


def test_a_report_has_what_the_recipes_gave(small: Corpus, tmp_path: Path) -> None:
    found = reproduce(FAKE, Bench(small, tmp_path, scale=0.5))
    text = (tmp_path / "report.md").read_text()
    [cell] = found.cells.values()
    assert len(cell["curves"]["dev"]) <= 4, "half of the rounds, and the start"
    assert f"| mert \\| x | 12.3 | {cell['figures']['bleu']:.2f} |" in text
    assert "| I | 1 | It learns | holds |" in text
    assert "- rounds: 0.5 of 6 rounds\n- sentences: 0.5 of all pairs\n" in text
    reader = check_self_contained((tmp_path / "report.html").read_text())
    assert "12.3" in reader.cells
    result = json.loads((tmp_path / "result.json").read_text())
    assert result["claims"][0]["verdict"] == "holds"
    assert result == json.loads(json.dumps(found.to_json()))


@pytest.mark.parametrize(
    ("others", "rows"),
    [
        ([1.0, 2.0], ["| 1 | 10.00 | 30.00 |", "| 2 | 20.00 | 40.00 |"]),
        (
            [3.0, 2.5],
            ["| a | 1 | 10.00 |", "| a | 2 | 20.00 |", "| b | 2.5 | 40.00 |", "| b | 3 |"],
        ),
    ],
)
def test_points_of_curves_are_rows(others: list[float], rows: list[str]) -> None:
    curves = [Curve("a", [1.0, 2.0], [10.0, 20.0], 0), Curve("b", others, [30.0, 40.0], 1)]
    section = Section("Table I", figures=[Figure("Figure 1.", "cost", "BLEU", curves)])
    text = to_markdown(FAKE, {"I": section}, {})
    assert "\n".join(rows) in text


def test_a_table_may_be_made_alone(small: Corpus, tmp_path: Path) -> None:
    found = reproduce(FAKE, Bench(small, tmp_path), ["II"])
    assert list(found.sections) == ["II"]
    assert not found.cells
    with pytest.raises(OptionError, match="no table 'III': did you mean 'II'"):
        reproduce(FAKE, Bench(small, tmp_path), ["III"])


def test_a_scale_lies_between_nothing_and_the_paper(small: Corpus, tmp_path: Path) -> None:
    for scale in (0.0, -1.0, 1.5):
        with pytest.raises(OptionError, match="expected a number above 0, up to 1"):
            Bench(small, tmp_path, scale=scale)
    assert Bench(small, tmp_path, scale=0.1).rounds(30) == 3
    assert Bench(small, tmp_path, scale=0.01).rounds(30) == 2
    assert Bench(small, tmp_path).rounds(30) == 30
    assert Bench(small, tmp_path, scale=0.1, rounds=0.5).rounds(30) == 15
    with pytest.raises(OptionError, match="rounds=2: expected"):
        Bench(small, tmp_path, rounds=2.0)


class Killer:
    """Progress that ends the work after so many stages."""

    def __init__(self, after: int) -> None:
        self.left = after

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[Stage]:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        yield SilentStage()

    def warn(self, message: str) -> None:
        pass


def test_what_was_killed_goes_on_and_ends_the_same(small: Corpus, tmp_path: Path) -> None:
    whole = reproduce(FAKE, Bench(small, tmp_path / "whole", scale=0.5))
    shutil.copytree(tmp_path / "whole" / "models", tmp_path / "killed" / "models")
    n_killed, rounds = 0, set()
    for after in (1, 3, 2):
        try:
            reproduce(FAKE, Bench(small, tmp_path / "killed", scale=0.5, progress=Killer(after)))
        except KeyboardInterrupt:
            n_killed += 1
            logs = (tmp_path / "killed" / "cells").rglob("rounds.jsonl")
            rounds.add(sum(len(log.read_text().splitlines()) for log in logs))
    assert n_killed >= 2
    assert max(rounds) > min(rounds), "each goes on after the rounds of the one before"
    again = reproduce(FAKE, Bench(small, tmp_path / "killed", scale=0.5, progress=SILENT))
    assert again.cells == whole.cells
    for name in ("report.md", "report.html", "result.json"):
        texts = [(tmp_path / which / name).read_text() for which in ("whole", "killed")]
        assert texts[0] == texts[1]


def test_a_model_is_built_once_and_has_many_variants(small: Corpus, tmp_path: Path) -> None:
    options = FeatureOptions(dense="standard + model4")
    model = Bench(small, tmp_path).model(options)
    [folder] = (tmp_path / "models").iterdir()
    built = (folder / "manifest.json").stat().st_mtime_ns
    again = Bench(small, tmp_path).model(options)
    assert (folder / "manifest.json").stat().st_mtime_ns == built
    changed = variant(again, dense="model4", sparse="P1", decode={"reordering": "mon"})
    assert changed.features.names == tuple(changed.weights) == (
        "language_model", "fertility", "lexicon", "jump_probability", "word_count", "block_count",
    )  # fmt: skip
    assert list(changed.features.templates) == ["P1"]
    assert changed.decode_options.reordering == "mon"
    assert changed.blocks is again.blocks
    assert isinstance(model, Model)
    assert "fertility" in model.features.names


# The verb ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["simplx"], "no paper is called 'simplx': did you mean 'simplex'?"),
        (["simplex", "--corpus", "nowhere"], "nowhere: no such folder"),
        (["simplex", "--languages", "de-en"], "--languages requires --corpus DIR"),
    ],
)
def test_mistakes_are_one_line(verb: Run, arguments: list[str], problem: str) -> None:
    assert problem in mistake(verb("reproduce", *arguments))


def test_the_verb_says_which_claims_hold(
    verb: Run, tmp_path: Path, generate: Callable[..., Path]
) -> None:
    folder = generate(train=300, dev=6, test=10)
    out = tmp_path / "out"
    arguments = ["reproduce", "simplex", "--corpus", folder, "--out", out, "--scale", "0.01"]
    wrong = verb(*arguments, "--tables", "model5", "--quiet")
    assert "did you mean 'model4'?" in mistake(wrong)
    said = verb(*arguments, "--tables", "model4", "--quiet")
    assert said.returncode == 0, said.stderr
    lines = [line.split() for line in said.stdout.splitlines()[1:]]
    assert [line[:2] for line in lines] == [["model4", str(n)] for n in range(1, 8)]
    assert lines[-1][-1] == "holds", "the scale property is exact"
    result = json.loads((out / "result.json").read_text())
    assert len(result["claims"]) == 7
    assert (out / "report.html").exists()


@pytest.fixture
def generate(tmp_path: Path) -> Callable[..., Path]:
    """Writes a generated corpus of these sizes."""

    def write(pair: str = "near", **sizes: int) -> Path:
        generated_corpus(tmp_path / "corpus", pair, sizes)
        return tmp_path / "corpus"

    return write

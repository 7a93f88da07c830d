"""`calque compare` as a user meets it: tables, verdicts, the page, one line per mistake."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import pty
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from conftest import Run, done, mistake

from calque.data import CorpusFiles
from calque.report.comparison_page import mark_matches
from calque.report.histogram import gains_histogram
from calque.text import read_lines, write_lines


@pytest.fixture(scope="module")
def folder(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """References, a good system of two runs, and a bad one that leaves out words."""
    folder = tmp_path_factory.mktemp("systems")
    good, other, *references = (list(read_lines(path)) for path in corpus.test_references)
    for k, lines in enumerate(references, 1):
        write_lines(folder / f"ref{k}.en", lines)
    write_lines(folder / "good1.en", good)
    write_lines(folder / "good2.en", other)
    write_lines(folder / "bad.en", (" ".join(line.split()[::2]) for line in good))
    write_lines(folder / "source", read_lines(corpus.test_source))
    return folder


def arguments(folder: Path, *systems: str) -> list[object]:
    flags: list[object] = ["compare", "--tokenize", "none", "--trials", "500", "-q"]
    flags += ["--reference", folder / "ref1.en", "--reference", folder / "ref2.en"]
    for system in systems:
        flags += ["--system", system]
    return flags


def test_a_better_system_is_called_better_in_one_line(
    verb: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    out = done(verb(*arguments(folder, "bad.en", "good1.en"), "--metric", "bleu,ter"))
    table, verdicts, signatures = out.split("\n \n") if "\n \n" in out else out.split("\n\n")
    rows = [line.split() for line in table.splitlines()]
    assert [row[:2] for row in rows[1:4:2]] == [["BLEU", "bad.en"], ["TER", "bad.en"]]
    bleu, ter = verdicts.splitlines()
    test = "p = 0.002 (paired approximate randomisation, 500 trials)"
    assert bleu.startswith("good1.en is better than bad.en: +")
    assert bleu.endswith(f" BLEU, {test}")
    assert ter.startswith("good1.en is better than bad.en: -")
    assert ter.endswith(f" TER, {test}")
    assert "BLEU: nrefs:2|" in signatures


def test_the_json_has_every_figure(verb: Run, folder: Path) -> None:
    systems = f"bad={folder}/bad.en", f"good={folder}/good1.en,{folder}/good2.en"
    flags = ["--metric", "bleu", "--level", "0.1", "--seed", "3", "--json"]
    found = json.loads(done(verb(*arguments(folder, *systems), *flags)))
    assert found["options"] == {"trials": 500, "seed": 3, "level": 0.1}
    assert found["systems"][1] == {
        "name": "good",
        "runs": [f"{folder}/good1.en", f"{folder}/good2.en"],
    }
    (bleu,) = found["metrics"]
    references = [list(read_lines(folder / f"ref{k}.en")) for k in (1, 2)]
    expected = [
        sacrebleu.corpus_bleu(list(read_lines(folder / name)), references, tokenize="none").score
        for name in ("good1.en", "good2.en")
    ]
    bad, good = bleu["scores"]
    assert good["runs"] == pytest.approx(expected)
    assert good["value"] == pytest.approx(np.mean(expected))
    assert good["sd_runs"] == pytest.approx(np.std(expected, ddof=1))
    assert bad["sd_runs"] is None
    (difference,) = bleu["differences"]
    assert (difference["system"], difference["baseline"]) == ("good", "bad")
    assert difference["value"] == pytest.approx(good["value"] - bad["value"])
    assert difference["is_better"] is True
    assert "paired bootstrap" in difference["verdict"]


def test_a_system_equal_to_the_baseline_is_not_called_better(verb: Run, folder: Path) -> None:
    systems = f"a={folder}/good1.en", f"b={folder}/good1.en"
    out = done(verb(*arguments(folder, *systems), "--metric", "bleu"))
    assert "no significant difference between b and a: +0.00 BLEU, p = 1.000" in out


def test_runs_come_from_patterns_and_commas(verb: Run, folder: Path) -> None:
    for runs in (f"{folder}/good*.en", f"{folder}/good1.en, {folder}/good2.en"):
        flags = arguments(folder, f"x={runs}", f"{folder}/bad.en")
        found = json.loads(done(verb(*flags, "--metric", "bleu", "--json")))
        assert [Path(run).name for run in found["systems"][0]["runs"]] == ["good1.en", "good2.en"]
        assert found["systems"][1]["name"] == "bad.en"


def test_few_sentences_are_warned_of(verb: Run, tmp_path: Path) -> None:
    for name in ("a", "b", "ref"):
        write_lines(tmp_path / name, [f"{name} is the name"] * 3)
    files = [
        "--reference",
        tmp_path / "ref",
        "--system",
        tmp_path / "a",
        "--system",
        tmp_path / "b",
    ]
    result = verb("compare", *files, "--metric", "bleu", "--trials", "50", "-q")
    assert "no significant difference between b and a" in done(result)
    assert result.stderr == "calque: warning: 3 sentences tell little: expect at least 20\n"


class Page(HTMLParser):
    """Checks that tags are closed in their order, and keeps what a test asks for."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        assert not {"src", "href"} & dict(attributes).keys(), "needs something from elsewhere"
        self.seen.append(tag)
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_stands_alone_and_shows_sentences_side_by_side(
    verb: Run, folder: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    flags = arguments(folder, f"<bad>={folder}/bad.en", f"{folder}/good1.en")
    out = done(verb(*flags, "--metric", "bleu", "--source", folder / "source", "--html", page))
    text = page.read_text()
    found = Page(text)
    assert found.open == []
    assert found.seen.count("svg") == 1
    assert found.seen.count("mark") > 20
    assert "http" not in text
    assert "&lt;bad&gt;" in text
    assert (
        next(line for line in out.splitlines() if " is better" in line).replace(
            "<bad>", "&lt;bad&gt;"
        )
        in text
    )
    first = text.split("Where good1.en gains most")[1].split('<div class="sentence">')[1]
    line = int(first.split("<b>line ")[1].split("</b>")[0]) - 1
    assert list(read_lines(folder / "source"))[line] in first
    assert list(read_lines(folder / "ref1.en"))[line] in first
    once = page.read_bytes()
    done(verb(*flags, "--metric", "bleu", "--source", folder / "source", "--html", page))
    assert page.read_bytes() == once


def test_words_are_marked_as_often_as_a_reference_has_them() -> None:
    marked = mark_matches("the <b> the cat, the", ["the cat", "a the the"])
    mark = "<mark>{}</mark>".format
    assert marked == f"{mark('the')} &lt;b&gt; {mark('the')} {mark('cat')}, the"


@pytest.mark.parametrize("gains", [[], [0.0, 0.0], [-3.0, 0.0, 7.5, 10.0], [1e-9], [0.3] * 7])
def test_the_bars_hold_every_sentence_once(gains: list[float]) -> None:
    svg = gains_histogram(np.array(gains), "BLEU")
    tips = [part.split("</title>")[0] for part in svg.split("<title>")[1:]]
    assert sum(int(tip.split(": ")[1].split()[0]) for tip in tips) == len(gains)


def test_mistakes_are_one_clear_line(verb: Run, folder: Path, tmp_path: Path) -> None:
    short, empty = tmp_path / "short", tmp_path / "empty"
    write_lines(short, ["one line"])
    write_lines(empty, [])
    good, bad = f"{folder}/good1.en", f"{folder}/bad.en"
    cases: list[tuple[tuple[str, ...], list[object], str]] = [
        ((good,), [], "give --system at least twice: the baseline and what to compare with it"),
        ((good, str(short)), [], f"{good} has 40 lines, but {short} has 1: expected equal numbers"),
        ((good, bad), ["--reference", short], f"{good} has 40 lines, but {short} has 1: expected"),
        ((good, bad), ["--reference", empty], f"{empty}: is empty: it has no lines to score"),
        ((str(empty), bad), [], f"{empty}: is empty: it has no lines to score"),
        ((good, "nowhere.en"), [], "nowhere.en: no such file"),
        ((good, "x*y.en"), [], "x*y.en: no file matches this pattern"),
        ((good, f"{bad},"), [], f"--system {bad},: expected a file, or files separated by commas"),
        ((good, f"={bad}"), [], f"--system ={bad}: expected a name before '='"),
        ((good, good), [], f"two systems are called '{good}': give them names, NAME=FILE"),
        ((good, bad), ["--metric", "blue"], "unknown metric 'blue'; did you mean 'bleu'?"),
        ((good, bad), ["--metric", "bleu,bleu"], "--metric bleu,bleu: 'bleu' is there twice"),
        ((good, bad), ["--tokenize", "31a"], "unknown tokenizer '31a'; did you mean '13a'?"),
        ((good, bad), ["--trials", "0"], "--trials 0: expected a whole number"),
        ((good, bad), ["--level", "2"], "--level 2.0: expected a number from 0 to 1"),
        (
            (good, bad),
            ["--source", good],
            "--source requires --html F: only that page shows the source",
        ),
        ((good, bad), ["--html", tmp_path], f"{tmp_path}: is a directory, expected a file"),
        ((good, bad), ["--html", tmp_path / "no" / "x"], f"{tmp_path}/no/x: cannot be written"),
        ((good, bad), ["--set", "bleu.length"], "--set bleu.length: expected metric.key=value"),
        ((good, bad), ["--set", "nist.x=1"], "--set nist.x=1: 'nist' is not in --metric bleu,"),
    ]
    for systems, extra, message in cases:
        told = mistake(verb(*arguments(folder, *systems), *extra))
        assert told.startswith(message), told


def test_a_missing_reference_is_one_clear_line(verb: Run, folder: Path) -> None:
    told = mistake(verb("compare", "--system", folder / "good1.en", "--system", folder / "bad.en"))
    assert told.startswith("Missing option '--reference'")


def test_the_table_is_written_for_other_programs(verb: Run, folder: Path) -> None:
    systems = f"b_d={folder}/bad.en", f"good={folder}/good1.en,{folder}/good2.en"
    flags = [*arguments(folder, *systems), "--metric", "bleu,chrf"]
    found = json.loads(done(verb(*flags, "--json")))
    rows = list(csv.DictReader(io.StringIO(done(verb(*flags, "--format", "csv")))))
    assert [(row["metric"], row["system"], row["runs"]) for row in rows] == [
        ("bleu", "b_d", "1"), ("bleu", "good", "2"), ("chrf", "b_d", "1"), ("chrf", "good", "2"),
    ]  # fmt: skip
    for row, metric in zip(rows[1::2], found["metrics"], strict=True):
        score, difference = metric["scores"][1], metric["differences"][0]
        assert float(row["score"]) == score["value"]
        assert float(row["score_high"]) == score["interval"]["high"]
        assert float(row["sd_runs"]) == score["sd_runs"]
        assert float(row["difference_low"]) == difference["interval"]["low"]
        assert float(row["p_bootstrap"]) == difference["p_bootstrap"]
    assert (rows[0]["difference"], rows[0]["sd_runs"]) == ("", "")
    markdown = done(verb(*flags, "--format", "markdown")).splitlines()
    assert markdown[1].startswith("| --- | --- | --: |")
    assert len({line.count("|") for line in markdown}) == 1
    assert len(markdown) == 6
    latex = done(verb(*flags, "--format", "latex"))
    assert r"b\_d" in latex
    assert r"[95 \%]" in latex
    body = [line for line in latex.splitlines() if line.endswith(r" \\")]
    assert {line.count(" & ") for line in body} == {markdown[0].count("|") - 2}
    told = mistake(verb(*flags, "--format", "csv", "--json"))
    assert told == "--json and --format csv are both given: expected one"


@pytest.mark.parametrize("columns", [80, 100])
@pytest.mark.parametrize("verb_name", ["score", "compare"])
def test_nothing_is_broken_on_a_narrow_terminal(folder: Path, columns: int, verb_name: str) -> None:
    runs = [f"{folder}/{name}" for name in ("bad.en", "good1.en", "good2.en")]
    flags = ["--metric", "bleu,ter", "--tokenize", "none", "--reference", f"{folder}/ref1.en"]
    if verb_name == "compare":
        flags += ["--system", f"the-baseline={runs[0]}", "--system", f"new={runs[1]},{runs[2]}"]
        flags += ["--trials", "100", "-q"]
    else:
        flags += [word for run in runs for word in ("--hypothesis", run)]
    lines = at_terminal([verb_name, *flags], columns)
    signatures = [line for line in lines if "version:" in line]
    assert len(signatures) == 2
    assert all("nrefs:1|" in line and sacrebleu.__version__ in line for line in signatures)
    tables = lines[: lines.index(signatures[0])]
    if verb_name == "score":
        assert [line for line in tables if line.startswith("[3] ")] == [f"[3] {runs[2]}"]
        assert [len(line.split()) for line in tables if line.startswith(("bleu", "ter"))] == [5, 5]
    else:
        intervals = re.findall(r"[+-]?\d+\.\d+ \[[+-]?\d+\.\d+, [+-]?\d+\.\d+\]", "\n".join(tables))
        assert len(intervals) == 6


def at_terminal(arguments: list[str], columns: int) -> list[str]:
    """The lines that a command shows at a terminal of so many columns."""
    keys, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": str(columns)}
    with subprocess.Popen(
        [sys.executable, "-m", "calque", *arguments],
        stdin=theirs, stdout=theirs, stderr=subprocess.PIPE, env=environment,
    ) as process:  # fmt: skip
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # how a terminal says that the other side left
            while some := os.read(keys, 1 << 16):
                shown += some
    os.close(keys)
    assert process.returncode == 0
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode())
    return [line.rstrip() for line in text.replace("\r\n", "\n").split("\n")]

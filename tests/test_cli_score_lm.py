"""`calque score` and `calque lm` as a user meets them."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
import sacrebleu
from conftest import Run, done, mistake

from calque.data import CorpusFiles
from calque.metrics import METRIC_NAMES
from calque.text import read_lines, write_lines


def test_scores_equal_sacrebleu(calque: Run, corpus: CorpusFiles) -> None:
    hypothesis, *references = corpus.test_references
    flags = [flag for path in references for flag in ("--reference", path)]
    found = json.loads(done(calque("score", "--hypothesis", hypothesis, *flags, "--json")))
    lines = list(read_lines(hypothesis))
    sets = [list(read_lines(path)) for path in references]
    expected = {
        "bleu": sacrebleu.corpus_bleu(lines, sets).score,
        "chrf": sacrebleu.corpus_chrf(lines, sets).score,
        "ter": sacrebleu.corpus_ter(lines, sets).score,
    }
    assert {one["metric"]: one["value"] for one in found} == expected
    assert all(f"nrefs:{len(references)}|" in one["signature"] for one in found)


def test_the_table_keeps_its_signatures_whole_in_a_pipe(verb: Run, corpus: CorpusFiles) -> None:
    first, second = corpus.test_references[:2]
    files = ["--hypothesis", first, "--reference", second]
    out = done(verb("score", *files, "--metric", "bleu, ter", "--tokenize", "none"))
    rows = [line.split() for line in out.splitlines()]
    assert [row[0] for row in rows] == ["metric", "bleu", "ter"]
    assert f"tok:none|smooth:exp|version:{sacrebleu.__version__}" in rows[1][3]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--metric", "blue"], "unknown metric 'blue'; did you mean 'bleu'?"),
        (["--metric", "bleu,"], f"unknown metric ''; one of {', '.join(METRIC_NAMES)}"),
        (["--tokenize", "31a"], "unknown tokenizer '31a'; did you mean '13a'?"),
        (["--reference", "nowhere"], "nowhere: no such file"),
    ],
)
def test_wrong_names_are_told_with_the_nearest(
    verb: Run, corpus: CorpusFiles, extra: list[str], message: str
) -> None:
    files = ["--hypothesis", corpus.test_references[0], "--reference", corpus.test_references[1]]
    assert mistake(verb("score", *files, *extra)) == message


def test_unequal_numbers_of_lines_are_told(verb: Run, tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    write_lines(a, ["x", "y"])
    write_lines(b, ["x"])
    told = mistake(verb("score", "--hypothesis", a, "--reference", b))
    assert told == f"{a} has 2 lines, but {b} has 1: expected equal numbers"
    write_lines(a, [])
    assert "no lines" in mistake(verb("score", "--hypothesis", a, "--reference", a))


def test_a_language_model_is_learned_kept_and_measured(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    arpa, test = tmp_path / "lm.arpa.gz", corpus.test_references[0]
    assert done(verb("lm", "--text", corpus.train_target, "--order", "3", "--arpa", arpa)) == ""
    kept = json.loads(done(verb("lm", "--arpa", arpa, "--score", test, "--json")))
    direct = json.loads(
        done(verb("lm", "--text", corpus.train_target, "--order", "3", "--score", test, "--json"))
    )
    assert kept["sentences"] == 40
    assert kept["order"] == 3
    assert kept == pytest.approx(direct, rel=1e-5)
    n_events = kept["words"] + kept["sentences"]
    assert kept["perplexity"] == pytest.approx(math.exp(-kept["log_prob"] / n_events), rel=1e-6)
    assert "perplexity" in done(verb("lm", "--arpa", arpa, "--score", test))


def test_wrong_uses_of_lm_are_one_clear_line(verb: Run, tmp_path: Path) -> None:
    text, empty, folder = tmp_path / "text", tmp_path / "empty", tmp_path
    write_lines(text, ["a b c"])
    write_lines(empty, [])
    arpa = tmp_path / "lm.arpa"
    for arguments, message in [
        ([], "give --text F to learn a model"),
        (["--text", text], "give --arpa OUT to keep the model, or --score F"),
        (["--text", text, "--arpa", folder], f"{folder}: is a directory, expected a file"),
        (["--text", text, "--arpa", folder / "no" / "x"], f"{folder}/no/x: cannot be written"),
        (["--text", text, "--arpa", arpa, "--score", folder / "no"], f"{folder}/no: no such file"),
        (["--text", empty, "--arpa", arpa], f"{empty}: has no words to learn from"),
        (["--text", text, "--arpa", arpa, "--order", "9"], "command line: order=9: expected"),
        (["--arpa", text, "--score", text], f"{text}: line 1: "),
        (["--arpa", arpa, "--score", text, "--order", "2"], "options of estimation need --text"),
    ]:
        assert mistake(verb("lm", *arguments, "-q")).startswith(message)
        assert not arpa.exists()

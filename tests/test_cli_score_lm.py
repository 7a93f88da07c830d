"""`calque score` and `calque lm` as a user meets them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

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
    assert {score["metric"]: score["value"] for score in found} == pytest.approx(
        expected, rel=1e-12
    )
    assert all(f"nrefs:{len(references)}|" in score["signature"] for score in found)


def test_the_table_keeps_its_signatures_whole_in_a_pipe(verb: Run, corpus: CorpusFiles) -> None:
    first, second = corpus.test_references[:2]
    files = ["--hypothesis", first, "--reference", second]
    out = done(verb("score", *files, "--metric", "bleu, ter", "--tokenize", "none"))
    table, signatures = out.split("\n\n")
    rows = [line.split() for line in table.splitlines()]
    assert [row[0] for row in rows] == ["metric", "bleu", "ter"]
    bleu, _ = signatures.splitlines()
    assert bleu.startswith("bleu: nrefs:1|")
    assert f"tok:none|smooth:exp|version:{sacrebleu.__version__}" in bleu


@pytest.mark.parametrize("verb_name", ["score", "compare"])
def test_text_that_looks_tokenised_is_warned_of_where_it_is_split_again(
    verb: Run, tmp_path: Path, verb_name: str
) -> None:
    (tmp_path / "out").write_text("a b .\n" * 15 + "a\n" * 10)
    (tmp_path / "plain").write_text("a b.\n" * 25)
    option = "--system" if verb_name == "compare" else "--hypothesis"
    files = [option, tmp_path / "out", option, tmp_path / "plain"]
    files += ["--reference", tmp_path / "plain", "--metric", "bleu,chrf"]
    result = verb(verb_name, *files)
    warning = f"calque: warning: {tmp_path / 'out'}: looks tokenised (15 of 25 lines end in ' .'"
    assert [warning in line for line in result.stderr.splitlines() if "warn" in line] == [True]
    assert "warning" not in verb(verb_name, *files, "--tokenize", "none").stderr


def test_several_files_are_columns(verb: Run, corpus: CorpusFiles) -> None:
    a, b, reference, _ = corpus.test_references
    files = ["--hypothesis", a, "--hypothesis", b, "--reference", reference]
    out = done(verb("score", *files, "--metric", "chrf"))
    found = json.loads(done(verb("score", *files, "--metric", "chrf", "--json")))
    heads, row = (line.split() for line in out.splitlines()[:2])
    assert heads[1:3] == [str(a), str(b)]
    assert [score["hypothesis"] for score in found] == [str(a), str(b)]
    assert row[1:3] == [f"{score['value']:.2f}" for score in found]
    lines, references = list(read_lines(b)), [list(read_lines(reference))]
    assert found[1]["value"] == pytest.approx(sacrebleu.corpus_chrf(lines, references).score)


def test_single_sentences_are_scored(verb: Run, corpus: CorpusFiles) -> None:
    a, b, reference, _ = corpus.test_references
    files = ["--hypothesis", a, "--hypothesis", b, "--reference", reference]
    out = done(verb("score", *files, "--metric", "chrf,ter", "--sentence"))
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0] == ["hypothesis", "line", "chrf", "ter"]
    assert [row[:2] for row in rows[1:]] == [
        [str(path), str(line)] for path in (a, b) for line in range(1, 41)
    ]
    hypothesis, target = list(read_lines(b))[6], [list(read_lines(reference))[6]]
    (row,) = [row for row in rows if row[:2] == [str(b), "7"]]
    expected = (
        sacrebleu.sentence_chrf(hypothesis, target).score,
        sacrebleu.sentence_ter(hypothesis, target).score,
    )
    assert [float(value) for value in row[2:]] == pytest.approx(expected, rel=1e-5)
    found = json.loads(done(verb("score", *files, "--metric", "ter", "--sentence", "--json")))
    assert found[1]["sentences"][6] == pytest.approx(expected[1])


def test_external_scores_are_averaged(verb: Run, corpus: CorpusFiles, tmp_path: Path) -> None:
    a, b, reference, _ = corpus.test_references
    good, bad = tmp_path / "a.comet", tmp_path / "b.comet"
    write_lines(good, ["0.75"] * 40)
    write_lines(bad, ["0.25"] * 39 + ["0.65"])
    files = ["--hypothesis", a, "--hypothesis", b, "--reference", reference]
    files += ["--metric", "external", "--scores", good]
    found = json.loads(done(verb("score", *files, "--scores", bad, "--json")))
    assert [score["value"] for score in found] == pytest.approx([0.75, 0.26])
    out = done(verb("score", *files, "--scores", bad, "--set", "external.higher_is_better=no"))
    assert out.splitlines()[1].split()[:4] == ["external", "0.7500", "0.2600", "lower"]
    assert mistake(verb("score", *files)) == (
        "the metric external takes one --scores F for each file of translations:"
        " expected 2, found 1"
    )
    write_lines(bad, ["0.25"])
    told = mistake(verb("score", *files, "--scores", bad))
    assert told == f"{bad}: has 1 scores, expected one for each of 40"
    write_lines(bad, ["0.25"] * 3 + ["good"])
    assert mistake(verb("score", *files, "--scores", bad)).startswith(f"{bad}: line 4: expected")


def test_settings_change_the_score_and_its_signature(verb: Run, corpus: CorpusFiles) -> None:
    a, b, *references = corpus.test_references
    files = ["--hypothesis", a, "--reference", b, "--reference", references[0], "--metric", "bleu"]
    plain, shortest = (
        json.loads(done(verb("score", *files, "--set", f"bleu.length={length}", "--json")))[0]
        for length in ("closest", "shortest")
    )
    assert "shortest" in shortest["signature"]
    assert "shortest" not in plain["signature"]
    assert shortest["value"] >= plain["value"]


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--metric", "blue"], "unknown metric 'blue'; did you mean 'bleu'?"),
        (["--metric", "bleu,"], f"unknown metric ''; expected one of {', '.join(METRIC_NAMES)}"),
        (["--tokenize", "31a"], "unknown tokenizer '31a'; did you mean '13a'?"),
        (["--metric", "chrf", "--tokenize", "13a"], "--tokenize 13a: chrf does not split words"),
        (["--reference", "nowhere"], "nowhere: no such file"),
        (["--metric", "BLEU"], "unknown metric 'BLEU'; did you mean 'bleu'?"),
        (["--set", "bleu.lenght=shortest"], "unknown setting of bleu 'lenght'; did you mean"),
        (["--set", "bleu.lowercase=perhaps"], "bleu: lowercase=perhaps: expected true or false"),
        (["--set", "length=shortest"], "--set length=shortest: expected metric.key=value"),
        (["--scores", "x"], "--scores are those of the metric external: put it in --metric"),
        (
            ["--metric", "external", "--set", "external.scores=x"],
            "the metric external takes one --scores F",
        ),
    ],
)
def test_wrong_names_are_told_with_the_nearest(
    verb: Run, corpus: CorpusFiles, extra: list[str], message: str
) -> None:
    files = ["--hypothesis", corpus.test_references[0], "--reference", corpus.test_references[1]]
    assert mistake(verb("score", *files, *extra)).startswith(message)


def test_unequal_numbers_of_lines_are_told(verb: Run, tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    write_lines(a, ["x", "y"])
    write_lines(b, ["x"])
    told = mistake(verb("score", "--hypothesis", a, "--reference", b))
    assert told == f"{a} has 2 lines, but {b} has 1: expected equal numbers"
    write_lines(a, [])
    for files in (["--hypothesis", a, "--reference", b], ["--hypothesis", b, "--reference", a]):
        assert mistake(verb("score", *files)) == f"{a}: is empty: it has no lines to score"
    told = mistake(verb("score", "--hypothesis", b))
    assert told.startswith("Missing option '--reference'")


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


def test_texts_and_models_are_interpolated_with_tuned_weights(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    lines = list(read_lines(corpus.train_target))
    texts = tmp_path / "odd", tmp_path / "even"
    for at, text in enumerate(texts):
        write_lines(text, [line for line in lines[at::2] if ("the" in line.split()) == (at == 0)])
    dev, arpa, mixed = corpus.dev_references[0], tmp_path / "even.arpa", tmp_path / "mixed.arpa"

    def measured(*arguments: object) -> Any:
        return json.loads(done(verb("lm", *arguments, "--score", dev, "--json")))

    small = ["--order", "3"]
    alone = [measured("--text", text, *small, "--arpa", arpa)["perplexity"] for text in texts]
    both = measured("--text", texts[0], "--text", texts[1], "--dev", dev, *small, "--arpa", mixed)
    assert both["perplexity"] < min(alone)
    assert sum(both["weights"]) == pytest.approx(1)
    assert min(both["weights"]) > 0
    assert measured("--arpa", mixed)["perplexity"] == pytest.approx(both["perplexity"], rel=1e-4)
    with_arpa = measured("--text", texts[0], "--mix", arpa, "--dev", dev, *small)
    assert with_arpa["weights"] == pytest.approx(both["weights"], abs=1e-3)
    assert with_arpa["perplexity"] == pytest.approx(both["perplexity"], rel=1e-3)
    told = verb("lm", "--text", texts[0], "--mix", arpa, "--dev", dev, "--score", dev, *small)
    assert f"interpolate: odd {both['weights'][0]:.2f}" in told.stderr


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
        (["--text", text, "--arpa", arpa, "--order", "9"], "--order 9: expected"),
        (["--arpa", text, "--score", text], f"{text}: line 1: "),
        (
            ["--arpa", arpa, "--score", text, "--order", "2"],
            "--dev and options of the estimation require --text",
        ),
        (["--text", text, "--text", text, "--arpa", arpa], "several texts or models: give --dev"),
        (["--text", text, "--dev", text, "--arpa", arpa], "--dev F is for weights of several"),
        (["--text", text, "--mix", arpa, "--dev", text, "--arpa", arpa], "--mix and --arpa"),
    ]:
        assert mistake(verb("lm", *arguments, "-q")).startswith(message)
        assert not arpa.exists()

"""Models of rules as a user meets them: translate, explain and tune, and what is not there."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from conftest import Run, done, mistake

from calque.config import TrainOptions, fill
from calque.data import CorpusFiles
from calque.decode import load
from calque.model.build import build
from calque.text import BitextFiles, read_lines

SPARSE = {
    "decode.engine": "chart",
    "features.dense": "rules + class_language_model",
    "features.sparse": "lexical, phrase-pair",
}


@pytest.fixture(scope="module")
def rules(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of rules with sparse features; no test may change it."""
    path = tmp_path_factory.mktemp("rules") / "model"
    options = fill(TrainOptions(), SPARSE, "train")
    build(BitextFiles(corpus.train_source, corpus.train_target), path, options, threads=1)
    return path


def test_translations_have_all_that_those_of_phrases_have(
    verb: Run, rules: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    out, links = tmp_path / "out", tmp_path / "links"
    files = ["--input", corpus.test_source, "--output", out, "--alignment-output", links]
    lists = ["--nbest", "5", "--nbest-output", tmp_path / "lists"]
    done(verb("translate", "--model", rules, *files, *lists))
    rows = [line.split(" ||| ") for line in read_lines(tmp_path / "lists")]
    best: dict[str, str] = {}
    for row in rows:
        best.setdefault(row[0], row[1])
    assert list(best.values()) == list(read_lines(out))
    translator = load(rules)
    sources = list(read_lines(corpus.test_source))
    translations = list(translator.translate_all(sources, threads=1))
    assert [translation.text for translation in translations] == list(read_lines(out))
    assert [translation.alignment() for translation in translations] == list(read_lines(links))
    assert any(use.depth for translation in translations for use in translation.blocks)
    for translation, source in zip(translations, sources, strict=True):
        covered = sorted(
            place
            for use in translation.blocks
            if use.depth == 0
            for place in range(use.begin, use.end)
        )
        assert covered == list(range(len(source.split())))
        for use in translation.blocks:
            own = [word for word in use.target.split(" ") if word not in ("[1]", "[2]", "")]
            there = list(translation.words[use.target_begin : use.target_end])
            assert set(own) <= set(there)
            if "[1]" not in use.source:
                assert own == there
        assert all(0 <= j < len(translation.words) for _, j in translation.links)
    lines = done(verb("translate", "--model", rules, "--json", "--input", corpus.test_source))
    assert [json.loads(line)["text"] for line in lines.splitlines()] == list(read_lines(out))


def test_explanations_nest(verb: Run, rules: Path, corpus: CorpusFiles, tmp_path: Path) -> None:
    translator = load(rules)
    sentence = next(
        line
        for line in read_lines(corpus.test_source)
        if any(use.depth for use in translator.translate(line).blocks)
    )
    text = done(verb("explain", "--model", rules, sentence))
    assert "\n    2  " in text  # what fills a gap stands below its rule, to the right
    assert "[1]" in text
    picture = tmp_path / "picture.svg"
    done(verb("explain", "--model", rules, sentence, "--svg", picture))
    root = ET.fromstring(picture.read_text())
    boxes = [element for element in root.iter() if element.tag.endswith("rect")]
    assert len(boxes) == len(translator.translate(sentence).blocks)
    assert all(float(box.get("width", 0)) > 0 for box in boxes)
    assert "fills a gap of its rule" in picture.read_text()


@pytest.mark.parametrize(
    "method",
    [
        "mira",
        "xbleu",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("pro", "mert", "perceptron", "costmargin")
        ),
    ],
)
def test_weights_are_tuned(
    verb: Run, rules: Path, corpus: CorpusFiles, tmp_path: Path, method: str
) -> None:
    model = tmp_path / "model"
    shutil.copytree(rules, model)
    text = ["--source", corpus.dev_source, "--reference", corpus.dev_references[0]]
    few = ["--set", "iterations=2" if method == "xbleu" else "rounds=2"]
    done(verb("tune", "--model", model, *text, "--method", method, "--threads", "1", *few))
    assert load(model).model.weights != load(rules).model.weights
    if method == "xbleu":
        assert len(load(model).model.weights.sparse) > 0


@pytest.mark.parametrize(
    "method",
    [
        "maxviolation",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("early", "standard", "localupdate")
        ),
    ],
)
def test_weights_learn_from_search_errors(
    verb: Run, rules: Path, corpus: CorpusFiles, tmp_path: Path, method: str
) -> None:
    text = ["--source", corpus.dev_source, "--reference", corpus.dev_references[0]]
    model = tmp_path / "model"
    shutil.copytree(rules, model)
    given = {"rounds": 4, "beam": 5, "batch": 4, "dense_rate": 0.05, "sparse_rate": 0.02}
    settings = [part for name, value in given.items() for part in ("--set", f"{name}={value}")]
    result = verb("tune", "--model", model, *text, "--method", method, *settings)
    if method != "maxviolation":  # whether so little text brings anything is another question
        assert result.returncode in (0, 3)
        return
    done(result)
    weights = load(model).model.weights
    assert weights != load(rules).model.weights
    assert len(weights.sparse) > 0
    ahead = ["--method", method, "--set", "future_cost=margin"]
    assert "no estimate of future cost" in mistake(verb("tune", "--model", rules, *text, *ahead))


def test_lists_of_the_training_text_forget_its_pairs(
    verb: Run, rules: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    shutil.copytree(rules, model)
    text = ["--source", corpus.train_source, "--reference", corpus.train_target]
    without = ["--leave-one-out", "counts"]
    few = ["--method", "xbleu", "--set", "iterations=2", "--threads", "1"]
    done(verb("tune", "--model", model, *text, *without, *few))
    weights = load(model).model.weights
    assert weights != load(rules).model.weights
    assert len(weights.sparse) > 0
    given = ["translate", "--model", rules, "--input", corpus.train_source]
    whole = done(verb(*given)).splitlines()
    left = done(verb(*given, *without)).splitlines()
    references = list(read_lines(corpus.train_target))
    n_right = [sum(map(str.__eq__, lines, references)) for lines in (whole, left)]
    assert n_right[1] < n_right[0]
    other = ["translate", "--model", rules, "--input", corpus.test_source, *without]
    assert "line 1 is not that of the training text" in mistake(verb(*other))


def test_terms_and_what_passes_through_hold_inside_rules(
    verb: Run, rules: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    sentence = next(line for line in read_lines(corpus.test_source) if len(line.split()) > 4)
    word = sentence.split()[2]
    terms = tmp_path / "terms"
    terms.write_text(f"{word}\tthe chosen one\n")
    given = ["--terminology", terms, "--pass-through", "x[0-9]+"]
    out = done(verb("translate", "--model", rules, *given, stdin=f"{sentence} x17\n"))
    assert "the chosen one" in out
    assert "x17" in out


def test_rules_reach_references_and_say_how(
    verb: Run, rules: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    out = tmp_path / "gold.jsonl"
    text = ["--source", corpus.train_source, "--reference", corpus.train_target]
    command = ["force", "--model", rules, *text, "-q"]
    [total] = json.loads(done(verb(*command, "--json", "--output", out)))["total"]
    assert total["limit"] is None
    assert total["n_pairs"] == 400
    assert total["sentences"] > 0.5
    rows = [json.loads(line) for line in read_lines(out)]
    assert sum(row["reachable"] for row in rows) == total["n_reachable"]
    weights = load(rules).model.weights
    references = [line.split() for line in read_lines(corpus.train_target)]
    assert any(step["depth"] for row in rows if row["reachable"] for step in row["steps"])
    for row, reference in zip(rows, references, strict=True):
        if "steps" not in row:
            continue
        top = [step["target_end"] for step in row["steps"] if step["depth"] == 0]
        assert top == sorted(top)
        assert top[-1] == (row["prefix"][1] if row["prefix"] else len(reference))
        for step in row["steps"]:
            if "[1]" in step["source"]:
                continue
            given = reference[step["target_begin"] : step["target_end"]]
            assert step["target"].split() == given
        if not weights.sparse:
            added = sum(weights[name] * value for name, value in row["features"].items())
            assert row["score"] == pytest.approx(added, abs=1e-3)
    assert "rules" in done(verb(*command))
    flat = json.loads(done(verb(*command, "--json", "--max-span", "1")))["total"]
    assert flat[0]["n_reachable"] < total["n_reachable"]
    left = json.loads(done(verb(*command, "--json", "--leave-one-out", "one-count")))["total"]
    assert left[0]["n_reachable"] < total["n_reachable"]
    assert "--limits 2" in mistake(verb(*command, "--limits", "2"))


def test_oracle_translations_by_rules_are_better_than_the_best(
    verb: Run, rules: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    out = tmp_path / "oracle.jsonl"
    text = ["--source", corpus.test_source]
    for reference in corpus.test_references:
        text += ["--reference", reference]
    command = ["oracle", "--model", rules, *text, "--brevity-penalty", "true", "-q", "--json"]
    found = json.loads(done(verb(*command, "--derivations", out, "--nbest", "3")))
    assert found["oracle"]["bleu"] > found["1-best"]["bleu"] + 5
    assert found["oracle"]["sentence_bleu"] > found["1-best"]["sentence_bleu"]
    rows = [json.loads(line) for line in read_lines(out)]
    assert any(step["depth"] for row in rows for step in row["steps"])
    best = [row["sentence_bleu"] for row in rows if row["rank"] == 1]
    mean = sum(best) / len(best)
    assert mean == pytest.approx(found["oracle"]["sentence_bleu"], abs=0.01)


def test_a_given_translation_is_explained_by_rules(
    verb: Run, rules: Path, corpus: CorpusFiles
) -> None:
    sentence = next(line for line in read_lines(corpus.test_source) if len(line.split()) > 4)
    best = load(rules).translate(sentence)
    explained = load(rules).explain(sentence, translation=best.text)
    assert explained.translation.text == best.text
    assert explained.translation.score == pytest.approx(best.score, abs=1e-3)
    wrong = ("explain", "--model", rules, sentence, "--against", "nobody says this")
    assert "no rules of the model give" in mistake(verb(*wrong))


@pytest.mark.parametrize(
    "arguments",
    [
        ("force", "--source", "SOURCE", "--reference", "REFERENCE", "--reordering", "mon"),
        ("oracle", "--source", "SOURCE", "--reference", "REFERENCE", "--reordering", "mon"),
        ("tune", "--source", "SOURCE", "--reference", "REFERENCE", "--method", "simplex"),
        ("translate", "--input", "SOURCE", "--reordering", "mon"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_only_phrases_can_is_one_clear_line(
    verb: Run, rules: Path, corpus: CorpusFiles, arguments: tuple[str, ...]
) -> None:
    files = {"SOURCE": corpus.train_source, "REFERENCE": corpus.train_target}
    command, *rest = (files.get(argument, argument) for argument in arguments)
    assert "engine=chart" in mistake(verb(command, "--model", rules, *rest))

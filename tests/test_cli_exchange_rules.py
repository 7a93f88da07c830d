"""Models of rules, from and to Moses's chart decoder and from grammars of Hiero and its like."""

from __future__ import annotations

import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import Run, done, mistake
from test_cli_exchange import copied

from calque.config import TrainOptions, settings
from calque.data import CorpusFiles
from calque.decode import load
from calque.model import Model
from calque.model.build import build
from calque.model.moses import write_moses
from calque.text import BitextFiles, read_lines

RULES = [
    "das [X] ||| the [X] ||| 0.5 0.4 0.3 0.2 ||| 0-0 ||| 2 2 1",
    "haus [X] ||| house [X] ||| 0.6 0.5 0.4 0.3 ||| 0-0 ||| 2 2 1",
    "[X][X] von [X][X] [X] ||| [X][X] 's [X][X] [X] ||| 0.9 0.8 0.7 0.6 ||| 0-2 1-1 2-0 ||| 1 1 1",
    "hans [X] ||| john [X] ||| 0.9 0.9 0.9 0.9 ||| 0-0 ||| 1 1 1",
]
GLUE = [
    "<s> [X] ||| <s> [S] ||| 1 |||",
    "[X][S] </s> [X] ||| [X][S] </s> [S] ||| 1 ||| 0-0",
    "[X][S] [X][X] [X] ||| [X][S] [X][X] [S] ||| 2.718 ||| 0-0 1-1",
]
WORDS = ("the", "house", "'s", "john")
LOG10 = {"<unk>": -3.0, "</s>": -0.5, "the": -1.0, "house": -1.25, "'s": -1.5, "john": -2.0}
INI = """[search-algorithm]
3

[max-chart-span]
7
1000

[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TranslationModel0 num-features=4 path=rule-table
PhraseDictionaryMemory name=TranslationModel1 num-features=1 path=glue-grammar tuneable=true
KENLM name=LM0 factor=0 path=lm.arpa order=1

[weight]
UnknownWordPenalty0= 1
WordPenalty0= -0.7
PhrasePenalty0= 0.3
TranslationModel0= 0.11 0.12 0.13 0.14
TranslationModel1= 0.25
LM0= 0.5
"""


@pytest.fixture(scope="module")
def of_rules(corpus: CorpusFiles, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of rules with what Moses has, too."""
    model = tmp_path_factory.mktemp("rules") / "model"
    options = settings(TrainOptions(), ["decode.engine=chart", "features.dense=rules"])
    build(BitextFiles(corpus.train_source, corpus.train_target), model, options, threads=1)
    return model


def by_hand(folder: Path) -> Path:
    """A small model of Moses's chart decoder."""
    folder.mkdir()
    lm = ["\\data\\", f"ngram 1={len(LOG10) + 1}", "", "\\1-grams:", "-99\t<s>"]
    lm += [f"{value}\t{word}" for word, value in LOG10.items()]
    for name, lines in (
        ("rule-table", RULES),
        ("glue-grammar", GLUE),
        ("lm.arpa", [*lm, "", "\\end\\"]),
        ("moses.ini", INI.splitlines()),
    ):
        (folder / name).write_text("".join(line + "\n" for line in lines))
    return folder


def test_a_model_of_rules_goes_to_moses_and_back_unchanged(
    verb: Run, of_rules: Path, corpus: CorpusFiles, tmp_path: Path
) -> None:
    moses, back = tmp_path / "moses", tmp_path / "back"
    assert done(verb("export", "--model", of_rules, "--output", moses)) == ""
    names = {file.name for file in moses.iterdir()}
    assert names == {"moses.ini", "rule-table.gz", "glue-grammar", "lm.arpa.gz"}
    assert done(verb("import", "--input", moses, "--model", back)) == ""
    before, after = load(of_rules), load(back)
    assert after.options.engine == "chart"
    assert after.options.max_span == before.options.max_span
    assert after.model.weights == pytest.approx(dict(before.model.weights))
    lines = list(read_lines(corpus.test_source))[:20]
    for ours, theirs in zip(copied(before, lines), copied(after, lines), strict=True):
        assert theirs.score == pytest.approx(ours.score, abs=1e-3)
        assert theirs.features == pytest.approx(dict(ours.features), abs=1e-3)


def test_scores_of_an_imported_model_are_those_of_moses(verb: Run, tmp_path: Path) -> None:
    """By the formulas of Moses, which counts glue rules and boundaries among phrases and words."""
    done(verb("import", "--input", by_hand(tmp_path / "moses"), "--model", tmp_path / "model"))
    translator = load(tmp_path / "model")
    assert translator.options.max_span == 7
    translation = translator.translate("das haus von hans")
    assert translation.text == "the john 's house"  # glue, then a rule that swaps its gaps
    scores = (0.11, 0.12, 0.13, 0.14)
    rules = (RULES[0], RULES[1], RULES[2], RULES[3])
    table = sum(
        weight * math.log(float(number))
        for rule in rules
        for weight, number in zip(scores, rule.split(" ||| ")[2].split(), strict=True)
    )
    n_joined, n_words = 2, 4
    lm = sum(LOG10[word] for word in ("the", "john", "'s", "house", "</s>")) * math.log(10)
    moses = table + 0.5 * lm + 0.25 * n_joined * math.log(2.718)
    moses += -0.7 * -(n_words + 2)  # WordPenalty, with <s> and </s> of the glue rules
    moses += 0.3 * (len(rules) + n_joined + 2)  # PhrasePenalty, with all glue rules
    always = -0.7 * -2 + 0.3 * 2  # of the glue rules at the boundaries, in every translation
    assert translation.score == pytest.approx(moses - always, abs=1e-4)


def test_a_class_language_model_of_rules_is_left_out_only_if_asked(
    verb: Run, corpus: CorpusFiles, tmp_path: Path
) -> None:
    model = tmp_path / "model"
    text = ("--source", corpus.train_source, "--target", corpus.train_target)
    done(verb("train", *text, "--model", model, "--set", "decode.engine=chart"))
    told = mistake(verb("export", "--model", model, "--output", tmp_path / "moses"))
    assert told.startswith("Moses has no class_language_model: an export without")
    done(verb("export", "--model", model, "--output", tmp_path / "moses", "--lossy", "-q"))
    assert load_weights(tmp_path / "moses")["LM0"]


def load_weights(folder: Path) -> dict[str, str]:
    lines = [line.partition("= ") for line in read_lines(folder / "moses.ini")]
    return {name: value for name, equals, value in lines if equals}


def change(name: str, old: str, new: str) -> Callable[[Path], None]:
    def apply(folder: Path) -> None:
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new, 1))

    return apply


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (
            change("moses.ini", "num-features=1 ", "num-features=2 "),
            "expected two PhraseDictionary",
        ),
        (change("moses.ini", "7\n1000", "seven\n1000"), "'seven': expected a whole number above 0"),
        (change("moses.ini", "\nWordPenalty\n", "\nDistortion\n"), "the feature Distortion is not"),
        (change("moses.ini", "TranslationModel1= 0.25\n", ""), "TranslationModel1: expected 1"),
        (
            change("moses.ini", " factor=0", " factor=1"),
            "factor=1: expected 0, rules of words alone",
        ),
        (change("glue-grammar", GLUE[0], GLUE[1]), "line 2: expected each of Moses's three glue"),
        (change("glue-grammar", GLUE[0] + "\n", ""), "has 2 glue rules, expected 3"),
        (change("glue-grammar", "||| 1 |||", "||| 2 |||"), "line 1: score '2': expected 1"),
        (change("glue-grammar", "2.718", "0"), "line 3: score '0': expected a number above 0"),
        (change("rule-table", "das [X]", "das"), "line 1: the source side of a rule does not end"),
    ],
)
def test_what_cannot_be_taken_over_is_told_by_file(
    verb: Run, tmp_path: Path, damage: Callable[[Path], None], message: str
) -> None:
    folder = by_hand(tmp_path / "moses")
    damage(folder)
    told = mistake(verb("import", "--input", folder, "--model", tmp_path / "model", "-q"))
    assert told.startswith(str(folder))
    assert message in told


def test_a_grammar_is_imported_with_a_language_model(verb: Run, tmp_path: Path) -> None:
    folder, model = by_hand(tmp_path / "moses"), tmp_path / "model"
    grammar = tmp_path / "grammar"
    grammar.write_text(
        "[X] ||| das ||| the ||| A=0.1 B=0.2\n[X] ||| [X,1] haus ||| house [1] ||| A=0.3 B=0\n"
    )
    given = ("--format", "hiero", "--input", grammar, "--model", model)
    told = mistake(verb("import", *given))
    assert told == "--format hiero needs a language model: give --arpa F, too"
    arpa = ("--arpa", folder / "lm.arpa")
    told = mistake(verb("import", *given, *arpa, "--score-values", "dB"))
    assert told.startswith("--score-values dB: expected one of probability, ln, minus-ln")
    done(verb("import", *given, *arpa, "--scores", "-,-,A,B", "-q"))
    translated = load(model).translate("das haus")
    assert translated.text in ("house the", "the haus")
    assert Model.load(model).blocks.scores[0] == pytest.approx(
        [0, 0, -0.1 * math.log(10), -0.2 * math.log(10)]
    )
    told = mistake(verb("import", "--input", folder, "--model", tmp_path / "m", "--scores", "1"))
    assert told == "--arpa, --scores and --score-values are for --format hiero"


def test_an_export_replaces_only_an_earlier_one(of_rules: Path, tmp_path: Path) -> None:
    folder = tmp_path / "moses"
    write_moses(Model.load(of_rules), folder)
    write_moses(Model.load(of_rules), folder)
    shutil.rmtree(folder)


@pytest.mark.parametrize(
    "command", [("curve",), ("tune", "--method", "simplex")], ids=["curve", "simplex"]
)
def test_what_counts_hypotheses_under_a_threshold_is_refused_to_rules(
    verb: Run, of_rules: Path, corpus: CorpusFiles, command: tuple[str, ...]
) -> None:
    """A chart without a limit of pops tries everything, which takes forever."""
    given = ("--model", of_rules, "--source", corpus.dev_source)
    told = mistake(verb(*command, *given, "--reference", corpus.dev_references[0]))
    assert "with stacks and a threshold, which decode.engine=chart does not have" in told

"""Why a translation came out: contributions add up to the score, by block and by feature."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import Run, done, mistake
from decode_reference import Rules, Step, as_source, features, tiny_model
from hypothesis import given, settings
from test_decode_exact import random_weights, rules, search_options, seeds, sources

from calque.config import TextOptions
from calque.data import CorpusFiles
from calque.decode import (
    BlockContribution,
    BlockUse,
    Decoder,
    Explanation,
    FeatureUse,
    Translation,
    Translator,
    load,
)
from calque.decode.contributions import step_features
from calque.errors import CalqueError, OptionError
from calque.features import DENSE
from calque.model import Model
from calque.text import Preprocessor, read_lines


@settings(max_examples=60, deadline=None)
@given(seeds, sources, rules)
def test_what_a_step_adds_is_the_difference_it_makes(
    seed: int, source: list[int], by: Rules
) -> None:
    parts, weights = tiny_model(seed), random_weights(seed)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    text = as_source([source])
    [found] = decoder.decode(text, weights, search_options(by), n_best=5)
    for derivation in found.derivations:
        steps = tuple(Step(s.begin, s.end, s.block, tuple(s.target)) for s in derivation.steps)
        rows = step_features(decoder, derivation, text, weights)
        assert len(rows) == len(steps)
        before = dict.fromkeys(DENSE, 0.0)
        for i, row in enumerate(rows, 1):
            after = features(parts, steps[:i], ends=i == len(rows))
            expected = {name: after[name] - before[name] for name in DENSE}
            fired = {use.name: use.value for use in row}
            assert fired == pytest.approx({n: expected[n] for n in fired}, abs=1e-5)
            assert all(abs(expected[name]) < 1e-5 for name in DENSE if name not in fired)
            before = after
        total = sum(use.contribution for row in rows for use in row)
        assert total == pytest.approx(derivation.score, abs=1e-4)


@pytest.fixture(scope="module")
def translator(trained: Path) -> Translator:
    return load(trained)


@pytest.fixture(scope="module")
def lines(corpus: CorpusFiles) -> list[str]:
    return list(read_lines(corpus.test_source))


@pytest.mark.parametrize(
    "options",
    [{}, {"max_words": 4}, {"reordering": "mon"}, {"pass_through": r"\S*a\S*"}],
    ids=["plain", "in pieces", "monotone", "with words that pass through"],
)
def test_contributions_add_up_to_the_translation(
    translator: Translator, lines: list[str], options: dict[str, Any]
) -> None:
    for line in [*lines[:10], f"qqq {lines[0]} www"]:
        translation = translator.translate(line, **options)
        explanation = translator.explain(line, **options)
        assert explanation.translation == translation
        assert explanation.score == pytest.approx(translation.score, abs=1e-4)
        assert tuple(block.block for block in explanation.blocks) == translation.blocks
        by_name = {use.name: use.value for use in explanation.features}
        for name, value in translation.features.items():
            assert by_name.get(name, 0.0) == pytest.approx(value, abs=1e-4)
        for block in explanation.blocks:
            sizes = [abs(use.contribution) for use in block.features]
            assert sizes == sorted(sizes, reverse=True)


def test_copied_and_required_words_are_told_apart(translator: Translator, lines: list[str]) -> None:
    first, *rest = lines[0].split()
    sentence = " ".join([first, *rest, "qqq", "www"])
    explanation = translator.explain(sentence, terminology={"qqq": "a term"})
    origins = {block.block.source: block.origin for block in explanation.blocks}
    assert (origins["qqq"], origins["www"]) == ("required", "copied")
    text = explanation.to_text()
    assert "qqq → a term (required)" in text
    assert "www → www (copied)" in text


def test_the_words_of_the_decoder_and_the_final_text_are_both_shown(trained: Path) -> None:
    model = Model.load(trained)
    classes = Preprocessor(TextOptions(class_numbers=True))
    explanation = Translator(replace(model, preprocessor=classes)).explain("12 qqq 3,456")
    shown = explanation.to_text().splitlines()[:3]
    assert explanation.source != ("12", "qqq", "3,456")
    assert shown[0].split(maxsplit=1)[1] == " ".join(explanation.source)
    assert shown[1].split(maxsplit=1)[1] == " ".join(explanation.translation.words)
    assert shown[2].split() == ["text", *explanation.translation.text.split()]
    assert "12" in explanation.translation.text


def test_two_translations_differ_by_the_difference_of_their_scores(
    translator: Translator, lines: list[str]
) -> None:
    for line in lines[:5]:
        best, other = translator.explain(line), translator.explain(line, rank=3)
        [found] = translator.n_best([line], 3)
        assert (best.translation, other.translation) == (found[0], found[2])
        comparison = best.against(other)
        assert comparison.score == pytest.approx(found[0].score - found[2].score, abs=1e-4)
        rows = comparison.differences
        assert sum(row.contribution for row in rows) == pytest.approx(comparison.score, abs=1e-4)
        sizes = [abs(row.contribution) for row in rows]
        assert sizes == sorted(sizes, reverse=True)
        assert len(rows) > 0
        assert best.against(best).differences == ()


def test_a_given_translation_is_explained_by_its_best_derivation(
    translator: Translator, lines: list[str]
) -> None:
    for line in lines[:5]:
        found = translator.explain(line, rank=2)
        given_text = translator.explain(line, found.translation.text)
        assert given_text.translation.words == found.translation.words
        assert given_text.score >= found.score - 1e-4


def test_what_cannot_be_explained_is_one_clear_line(
    translator: Translator, lines: list[str]
) -> None:
    line = lines[0]
    words = translator.translate(line).words
    with pytest.raises(CalqueError, match="the sentence is empty"):
        translator.explain("  ")
    with pytest.raises(CalqueError, match="the translation is empty"):
        translator.explain(line, " ")
    with pytest.raises(CalqueError, match="give 'zzz': not even its first words can be derived"):
        translator.explain(line, "zzz")
    with pytest.raises(CalqueError, match=f"no further than '{words[0]}"):
        translator.explain(line, " ".join([*words[:-1], "zzz"]), distortion_limit=-1)
    with pytest.raises(CalqueError, match="the search found 1 different translation, expected"):
        translator.explain("qqq", rank=2)
    with pytest.raises(OptionError, match="rank 0: expected at least 1"):
        translator.explain(line, rank=0)
    with pytest.raises(OptionError, match="translation and rank cannot both be given"):
        translator.explain(line, "text", rank=2)
    with pytest.raises(OptionError, match="cannot be combined with terminology or pass_through"):
        translator.explain(line, "text", pass_through="x")
    with pytest.raises(OptionError, match="cut into .* pieces of up to 2 words"):
        translator.explain(line, "text", max_words=2)
    with pytest.raises(OptionError, match="stack_sise"):
        translator.explain(line, stack_sise=2)


def hand_made() -> Explanation:
    """Two blocks with scores that can be added up in the head."""
    uses = (
        BlockUse("Haus", "house", 1, 2, "discontinuous", True, 0, 1),
        BlockUse("das", "the", 0, 1, "swap", False, 1, 2),
    )
    blocks = (
        BlockContribution(
            uses[0], "block", (FeatureUse("lm", -4.0, 0.5), FeatureUse("P1:Haus", 1.0, 0.25))
        ),
        BlockContribution(uses[1], "copied", (FeatureUse("lm", -2.5, 0.5),)),
    )
    translation = Translation("House the", ("house", "the"), -3.0, {}, uses, ())
    return Explanation(("das", "Haus"), translation, blocks)


def test_the_page_of_an_explanation() -> None:
    assert (
        hand_made().to_text()
        == """\
source       das Haus
translation  house the
text         House the
score        -3.0000

      ┌───┐
  the │2L │
      └───┼────┐
house     │ 1N │
          └────┘
       das Haus

feature                   value  weight  contribution
1N  Haus → house                              -1.7500
    lm                  -4.0000  0.5000       -2.0000
    P1:Haus              1.0000  0.2500        0.2500
2L  das → the (copied)                        -1.2500
    lm                  -2.5000  0.5000       -1.2500
total                                         -3.0000
"""
    )


def test_a_narrow_terminal_gets_a_list_and_few_features_a_rest() -> None:
    text = hand_made().to_text(width=10, top=1)
    assert "1N  2-2  Haus → house\n2L  1-1  das → the (copied)\n" in text
    assert "┌" not in text
    assert "    1 more                                     0.2500\n" in text


def test_explain_draws_writes_and_prints_what_the_library_finds(
    verb: Run, trained: Path, translator: Translator, lines: list[str], tmp_path: Path
) -> None:
    base = ["explain", "--model", trained]
    expected = translator.explain(lines[0])
    picture = tmp_path / "a.svg"
    assert done(verb(*base, lines[0], "--svg", picture)) == expected.to_text(top=5)
    assert picture.read_text() == expected.to_svg()
    assert len(list(ET.parse(picture).iter("{http://www.w3.org/2000/svg}rect"))) == len(
        expected.blocks
    )
    assert done(verb(*base, lines[0], "--top", "0")) == expected.to_text()
    assert done(verb(*base, lines[0], "--top", "1", "--width", "20")) == expected.to_text(20, 1)
    printed = json.loads(done(verb(*base, lines[0], "--json")))
    assert printed == json.loads(json.dumps(expected.to_json()))
    total = sum(block["score"] for block in printed["blocks"])
    assert total == pytest.approx(printed["score"])


def test_explain_takes_many_sentences(
    verb: Run, trained: Path, translator: Translator, lines: list[str], tmp_path: Path
) -> None:
    base = ["explain", "--model", trained]
    text = "\n".join(lines[:3])
    (tmp_path / "in").write_text(text)
    out = done(verb(*base, "--svg", tmp_path / "a.svg", stdin=text))
    assert out == "\n".join(translator.explain(line).to_text(top=5) for line in lines[:3])
    assert done(verb(*base, "--input", tmp_path / "in")) == out
    rows = json.loads(done(verb(*base, "--input", tmp_path / "in", "--json", "--top", "2")))
    assert len(rows) == 3
    assert all(len(block["features"]) <= 2 for row in rows for block in row["blocks"])
    n_rects = (tmp_path / "a.svg").read_text().count("<rect")
    assert n_rects == sum(len(row["blocks"]) for row in rows)


def test_explain_compares_two_translations(
    verb: Run, trained: Path, translator: Translator, lines: list[str], tmp_path: Path
) -> None:
    base = ["explain", "--model", trained, lines[0]]
    best, second = translator.explain(lines[0]), translator.explain(lines[0], rank=2)
    comparison = best.against(second)
    out = done(verb(*base, "--nbest-rank", "2", "--svg", tmp_path / "a.svg"))
    assert out == comparison.to_text(top=5)
    assert out.count("score        ") == 2
    n_blocks = len(best.blocks) + len(second.blocks)
    assert (tmp_path / "a.svg").read_text().count("<rect") == n_blocks
    text = second.translation.text
    assert text in done(verb(*base, "--against", text))
    rows = json.loads(done(verb(*base, "--against", text, "--json")))
    total = sum(row["contribution"] for row in rows["differences"])
    assert total == pytest.approx(rows["score"], abs=1e-4)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ([""], "the sentence is empty: expected words to translate"),
        (["a", "--input", "x"], "a sentence and --input cannot both be given"),
        (
            ["a", "--against", "b", "--nbest-rank", "2"],
            "--against and --nbest-rank cannot both be given",
        ),
        (["a", "--nbest-rank", "1"], "Invalid value for '--nbest-rank'"),
        (
            ["qqq", "--nbest-rank", "7"],
            "rank 7: the search found 1 different translation, expected",
        ),
        (["a", "--against", "zzz"], "no blocks of the model give 'zzz'"),
        (["a", "--against", "b", "--pass-through", "x"], "--against cannot be combined"),
        (
            ["a", "--json", "--width", "9"],
            "--width cannot be combined with --json, which has no drawing",
        ),
        (["a", "--svg", "nowhere/x.svg"], "nowhere/x.svg: cannot be written"),
        (["a", "--stack-size", "-1"], "--stack-size -1: expected"),
        (["--input", "nowhere"], "nowhere: no such file"),
        ([], "-: is empty, expected sentences"),
    ],
)
def test_wrong_use_of_explain_is_one_clear_line(
    verb: Run, trained: Path, extra: list[str], message: str
) -> None:
    assert mistake(verb("explain", "--model", trained, *extra)).startswith(message)


def test_empty_lines_are_passed_over(verb: Run, trained: Path) -> None:
    both = done(verb("explain", "--model", trained, stdin="a\n\nb\n"))
    assert both == done(verb("explain", "--model", trained, stdin="a\nb\n"))
    told = mistake(verb("explain", "--model", trained, stdin="\n"))
    assert told == "-: is empty, expected sentences"

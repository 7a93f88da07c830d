"""What a user requires of translations holds in every one; sentences of any length are whole."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Run, done, mistake
from decode_reference import Rules, as_source, tiny_model
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.config import DecodeOptions, TrainOptions, fill
from calque.data import CorpusFiles
from calque.decode import Decoder, Required, Terminology, Translation, Translator, load
from calque.decode.source import SourceText
from calque.decode.split import split
from calque.errors import LineError, OptionError
from calque.features import Weights
from calque.model.build import build
from calque.text import BitextFiles, Preprocessor, read_lines, write_lines

QUICK: dict[str, Any] = {"stack_size": 20, "pop_limit": 30}


@pytest.fixture(scope="module")
def translator(trained: Path) -> Translator:
    return load(trained)


@pytest.fixture(scope="module")
def sentences(corpus: CorpusFiles) -> list[str]:
    return list(read_lines(corpus.test_source))


@pytest.fixture(scope="module")
def cased(tmp_path_factory: pytest.TempPathFactory) -> Translator:
    """A model that tokenises, learned true case and knows numbers as classes."""
    folder = tmp_path_factory.mktemp("cased")
    pairs = [
        ("Das Haus ist alt.", "The house is old."),
        ("Heute ist das Haus alt, sagt er.", "Today the house is old, he says."),
        ("Im Jahr 1995 war das Haus neu.", "In 1995 the house was new."),
        ("Er sieht das Haus und den Apfel.", "He sees the house and the apple."),
        ("Dann sieht er den Apfel.", "Then he sees the apple."),
    ] * 3
    write_lines(folder / "a", [source for source, _ in pairs])
    write_lines(folder / "b", [target for _, target in pairs])
    text = {"tokenize": True, "source_language": "de", "target_language": "en"}
    chosen = {
        "text": {**text, "casing": "true", "class_numbers": True},
        "features": {"dense": "standard"},
    }
    options = fill(TrainOptions(), chosen)
    files = BitextFiles(folder / "a", folder / "b")
    return Translator(build(files, folder / "model", options, threads=1))


def check_whole(translation: Translation, n_words: int) -> None:
    """Every source word is translated once, and what is told of the blocks fits the words."""
    spans = sorted((block.begin, block.end) for block in translation.blocks)
    assert [i for begin, end in spans for i in range(begin, end)] == list(range(n_words))
    assert " ".join(block.target for block in translation.blocks).split() == list(translation.words)
    assert translation.features["word_count"] == len(translation.words)
    assert translation.features["unknown"] == -sum(not block.known for block in translation.blocks)
    assert all(0 <= s < n_words and 0 <= t < len(translation.words) for s, t in translation.links)


def leftmost_longest(words: Sequence[str], terms: dict[str, str]) -> list[tuple[int, int, str]]:
    """The slow reference: try every length at every place."""
    found, at = [], 0
    while at < len(words):
        for end in range(len(words), at, -1):
            if " ".join(words[at:end]) in terms:
                found.append((at, end, terms[" ".join(words[at:end])]))
                at = end
                break
        else:
            at += 1
    return found


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), mode=st.sampled_from(["mon", "swap", "phrase"]))
def test_terms_hold_in_every_translation(
    translator: Translator, sentences: list[str], seed: int, mode: str
) -> None:
    chance = random.Random(seed)
    words = " ".join(chance.sample(sentences, 3)).split()[: chance.randint(1, 25)]
    terms = {}
    for i in range(chance.randint(0, 4)):
        begin = chance.randrange(len(words))
        source = words[begin : begin + chance.randint(1, 12)]
        known = [translator.model.target_vocabulary.word(3 + chance.randrange(50))]
        terms[" ".join(source)] = " ".join(chance.choice([["new word", str(i)], known]))
    limit = chance.choice([-1, 0, 2, 6])
    [found] = translator.n_best(
        [" ".join(words)], 3, terminology=terms, reordering=mode, distortion_limit=limit, **QUICK
    )
    expected = leftmost_longest(words, terms)
    weights = translator.model.weights
    for translation in found:
        check_whole(translation, len(words))
        blocks = {(block.begin, block.end): block for block in translation.blocks}
        for begin, end, target in expected:
            assert blocks[begin, end].target == target
            assert blocks[begin, end].known
        added = sum(weights[name] * value for name, value in translation.features.items())
        assert translation.score == pytest.approx(added, abs=1e-3)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 1000),
    st.lists(st.integers(3, 7), min_size=1, max_size=5),
    st.data(),
    st.sampled_from([Rules("mon"), Rules("swap"), Rules("phrase", 2), Rules()]),
)
def test_the_best_of_all_derivations_that_keep_the_terms_is_found(
    seed: int, source: list[int], data: st.DataObject, by: Rules
) -> None:
    # Of the full list, those without the required step are struck out by hand.
    parts, weights = tiny_model(seed), Weights.default()
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    options = DecodeOptions(
        reordering=by.mode, distortion_limit=by.limit, stack_size=0, pop_limit=0, options_per_span=0
    )
    begin = data.draw(st.integers(0, len(source) - 1))
    end = data.draw(st.integers(begin + 1, len(source)))
    free = decoder.decode(as_source([source]), weights, options, n_best=5000, distinct=False)
    ways = [[(s.begin, s.end) for s in derivation.steps] for derivation in free[0].derivations]
    lines = [" ".join(f"w{id - 3}" for id in source)]
    required = [[Required(begin, end, ("w0", "elsewhere"))]]
    asked = SourceText.encode(lines, parts.vocabulary, parts.vocabulary, required)
    text = replace(as_source([source]), required=asked.required)
    bound = decoder.decode(text, weights, options, n_best=5000, distinct=False)[0].derivations
    for derivation in bound:
        spans = [(s.begin, s.end) for s in derivation.steps]
        [step] = [s for s in derivation.steps if s.required]
        assert (step.begin, step.end, step.block) == (begin, end, -1)
        assert step.target == [3, -1 - len(source)]
        assert sorted(i for span in spans for i in range(*span)) == list(range(len(source)))
        score = float(weights.vector() @ derivation.features)
        assert derivation.score == pytest.approx(score, abs=1e-4)
    if len(free[0].derivations) < 5000 and (begin, end) in {s for way in ways for s in way}:
        kept = {tuple(way) for way in ways if (begin, end) in way}
        assert {tuple((s.begin, s.end) for s in d.steps) for d in bound} == kept


def test_a_term_may_be_longer_than_any_block_and_than_the_window(translator: Translator) -> None:
    for length, limit, mode in product((30, 64, 65, 90), (-1, 0, 6), ("mon", "swap", "phrase")):
        words = [f"x{i}" for i in range(length)]
        sentence = " ".join(["eins", "zwei", *words, "drei", "vier"])
        found = translator.translate(
            sentence,
            terminology={" ".join(words): "the long term"},
            reordering=mode,
            distortion_limit=limit,
            **QUICK,
        )
        assert (2, 2 + length, "the long term") in [
            (b.begin, b.end, b.target) for b in found.blocks
        ]
        check_whole(found, length + 4)


def test_of_overlapping_terms_the_leftmost_then_the_longest_is_taken(
    translator: Translator,
) -> None:
    terms = {"a b": "1", "a b c": "2", "b c d e": "3", "d": "4"}
    assert translator.translate("a b c d zz a b", terminology=terms).text == "2 4 zz 1"
    assert translator.translate("b c d e", terminology=terms).text == "3"


def test_a_list_of_different_translations_stays_different(translator: Translator) -> None:
    [found] = translator.n_best(
        ["qq eins zwei qq drei"], 20, terminology={"eins": "qq", "drei": "new"}
    )
    assert len({translation.words for translation in found}) == len(found)


def test_terms_and_text_meet_in_case_tokens_and_numbers(cased: Translator) -> None:
    def text(sentence: str, **options: Any) -> str:
        return cased.translate(sentence, reordering="mon", **options).text

    terms = {"das Haus": "the NATO-building", "Apfel": "iPear", "7 Äpfel": "seven (7) pears"}
    assert text("Das Haus, sagt er.", terminology=terms).startswith("The NATO-building,")
    assert "the NATO-building" in text("Heute ist das Haus alt.", terminology=terms)
    assert text("Apfel.", terminology=terms) == "iPear."
    assert "seven (7) pears" in text("Er sieht 7 Äpfel.", terminology=terms)
    assert "pears" not in text("Er sieht 8 Äpfel.", terminology=terms)
    assert text("1995 sieht er 7 Äpfel.", terminology=terms).count("7") == 1


def test_a_model_of_small_letters_takes_terms_in_small_letters() -> None:
    preprocessor = Preprocessor(fill(TrainOptions(), {"text.casing": "lower"}).text)
    terms = Terminology({"Das Haus": "The House"}, preprocessor)
    prepared = preprocessor.prepare("DAS HAUS ist alt")
    assert list(terms.find(prepared.words, 0, 4)) == [Required(0, 2, ("the", "house"))]
    with pytest.raises(OptionError, match="'das haus' is 'the house' already"):
        Terminology({"Das Haus": "The House", "das Haus": "home"}, preprocessor)


def test_what_passes_through_comes_out_unchanged(cased: Translator, translator: Translator) -> None:
    tags = r"</?\w+( [^>]*)?>|https?://\S+|__ph\d+__"
    sentence = 'Er sieht <b>das Haus</b>, __ph0__, und <a href="x y">https://Ex.org/A?b=1,995'
    out = cased.translate(sentence, pass_through=tags).text
    for match in re.finditer(tags, sentence):
        assert match[0] in out
    assert cased.translate("https://a.b/c?D=1 ist alt.", pass_through=tags).text.startswith(
        "https://a.b/c?D=1 "
    )
    # A tag leaves the beginning of the sentence to the next word, a name does not.
    assert cased.translate("<b>das Haus", pass_through=tags).text == "<b>The house"
    assert cased.translate("__ph1__ ist alt", pass_through=tags).text == "__ph1__ is old"
    assert cased.translate("1995", pass_through=r"\d+").text == "1995"
    # A model without the tokeniser: whole words only.
    found = translator.translate("<b> x<b> __ph1__ __ph1__y", pass_through=tags)
    assert [block.known for block in found.blocks] == [True, False, True, False]
    assert sorted(found.words) == sorted(["<b>", "x<b>", "__ph1__", "__ph1__y"])


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.sampled_from(["Das", "Haus", "alt", "__A__", ",", ".", "\U000f0000", "\u1401", "7"])
    )
)
def test_every_placeholder_comes_out_once(cased: Translator, words: list[str]) -> None:
    text = " ".join(words)
    found = cased.translate(text, pass_through="__[A-Z]__", **QUICK)
    assert found.text.count("__A__") == words.count("__A__")
    check_whole(found, len(words))


def test_a_long_line_may_pass_through_as_a_whole(translator: Translator) -> None:
    line = " ".join(f"x{i}" for i in range(2000))
    for limit in (1, 30, 100):
        found = translator.translate(line, pass_through=".*", max_words=limit, distortion_limit=-1)
        assert found.text == line
        assert all(block.end - block.begin <= limit for block in found.blocks)


def test_what_passes_through_is_part_of_no_term(translator: Translator) -> None:
    found = translator.translate(
        "aa bb cc", terminology={"aa bb": "x", "cc": "y"}, pass_through="(?i)BB"
    )
    assert sorted(found.words) == ["aa", "bb", "y"]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", ".", ",", "c!", "d;"]), max_size=60),
    st.integers(1, 12),
    st.lists(st.tuples(st.integers(0, 60), st.integers(1, 15)), max_size=5),
)
def test_pieces_are_the_sentence(
    words: list[str], limit: int, drawn: list[tuple[int, int]]
) -> None:
    required: list[Required] = []
    for begin, length in sorted(drawn):
        if begin + length <= len(words) and (not required or required[-1].end <= begin):
            required.append(Required(begin, begin + length, ("t",)))
    pieces = list(split(words, required, limit))
    assert [word for piece in pieces for word in piece.words] == words
    shifted = [
        (piece.begin + constraint.begin, piece.begin + constraint.end)
        for piece in pieces
        for constraint in piece.required
    ]
    assert shifted == [(constraint.begin, constraint.end) for constraint in required]
    for piece in pieces:
        is_last = piece is pieces[-1]
        longest = max(
            (constraint.end - constraint.begin for constraint in piece.required), default=0
        )
        assert len(piece.words) <= max(limit, longest)
        assert all(constraint.end <= len(piece.words) for constraint in piece.required)
        if not is_last and not piece.required and "." in piece.words:
            assert piece.words[-1] in (".", "c!")


def test_a_cut_sentence_is_the_sum_of_its_pieces(
    translator: Translator, sentences: list[str]
) -> None:
    words = " ".join(sentences).split()[:300]
    whole = translator.translate(" ".join(words), max_words=40, **QUICK)
    check_whole(whole, 300)
    pieces = [
        translator.translate(" ".join(piece.words), **QUICK) for piece in split(words, [], 40)
    ]
    assert whole.text == " ".join(piece.text for piece in pieces)
    assert whole.score == pytest.approx(sum(piece.score for piece in pieces))
    for name, value in whole.features.items():
        assert value == pytest.approx(sum(piece.features[name] for piece in pieces))


def test_the_list_of_a_cut_sentence_holds_the_best_sums(
    translator: Translator, sentences: list[str]
) -> None:
    words = " ".join(sentences).split()[:12]
    [found] = translator.n_best([" ".join(words)], 30, max_words=4, distinct=False, **QUICK)
    lists = list(
        translator.n_best(
            [" ".join(piece.words) for piece in split(words, [], 4)], 30, distinct=False, **QUICK
        )
    )
    sums = sorted(
        (sum(translation.score for translation in way) for way in product(*lists)), reverse=True
    )
    assert [translation.score for translation in found] == pytest.approx(sums[:30])
    [different] = translator.n_best([" ".join(words)], 30, max_words=4, **QUICK)
    assert len({translation.words for translation in different}) == len(different)
    assert different[0] == found[0]


def test_sentences_around_a_long_one_stay_in_order(
    translator: Translator, sentences: list[str]
) -> None:
    long = " ".join(sentences)
    lines = [sentences[0], long, "", sentences[1], long]
    together = list(translator.translate_all(lines, max_words=2, **QUICK))
    assert together == [translator.translate(line, max_words=2, **QUICK) for line in lines]


def test_a_sentence_in_a_hurry_is_still_whole(translator: Translator, sentences: list[str]) -> None:
    words = " ".join(sentences).split()[:90]
    terms = {" ".join(words[10:13]): "as required"}
    for limit in (1e-9, 1e-3):
        found = translator.translate(" ".join(words), terminology=terms, time_limit_s=limit)
        check_whole(found, 90)
        assert "as required" in found.text


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("Haus", "1 column: expected two, source and target, with a tab between"),
        ("", "1 column: expected two, source and target, with a tab between"),
        ("a\tb\tc", "3 columns: expected two, source and target, with a tab between"),
        ("\thouse", "the source phrase is empty"),
        ("Haus\t \u200b", "the target phrase is empty"),
        ("gut  so\tbad", "'gut so' is 'good' already, and cannot be 'bad'"),
    ],
)
def test_a_bad_term_is_one_clear_line(
    verb: Run, trained: Path, tmp_path: Path, line: str, problem: str
) -> None:
    file = tmp_path / "terms"
    file.write_text(f"gut so\tgood\n{line}\n")
    told = mistake(verb("translate", "--model", trained, "--terminology", file, stdin="a\n"))
    assert told == f"{file}: line 2: {problem}"
    with pytest.raises(LineError, match="line 2"):
        load(trained).translate("a", terminology=str(file))


def test_other_mistakes_are_one_clear_line(
    verb: Run, trained: Path, translator: Translator, tmp_path: Path
) -> None:
    told = mistake(verb("translate", "--model", trained, "--pass-through", "[a", stdin="a\n"))
    assert told.startswith("pass_through='[a': not a regular expression: unterminated")
    told = mistake(verb("translate", "--model", trained, "--terminology", tmp_path / "x"))
    assert told == f"{tmp_path / 'x'}: no such file"
    told = mistake(verb("translate", "--model", trained, "--terminology", "-"))
    assert told.startswith("--input and --terminology are both standard input")
    with pytest.raises(OptionError, match="terminology: 'a': the target phrase is empty"):
        translator.translate("a", terminology={"a": ""})
    with pytest.raises(OptionError, match="source phrase has 1,001 words, expected at most 1,000"):
        translator.translate("a", terminology={"a " * 1001: "b"})
    with pytest.raises(OptionError, match="one half of a surrogate pair"):
        translator.translate("a", terminology={"a": "\ud800"})


def test_the_command_line_knows_constraints(verb: Run, trained: Path, tmp_path: Path) -> None:
    file = tmp_path / "terms"
    file.write_text("qq rr\tnew term\nqq\told\n")
    flags = ["--terminology", file, "--pass-through", r"__\w+__", "--max-words", "2"]
    out = done(verb("translate", "--model", trained, *flags, stdin="qq rr\nqq __x__ , qq rr\n"))
    assert out == "new term\nold __x__ , new term\n"


def test_the_core_refuses_constraints_that_overlap_or_leave_the_sentence() -> None:
    parts = tiny_model(1)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    text = as_source([[3, 4, 5]])
    for spans in ([0, 2, 1, 3], [0, 4], [1, 1], [-1, 1], [2, 3, 0, 1]):
        n = len(spans) // 2
        arrays = SourceText.encode(
            ["a b c"],
            parts.vocabulary,
            parts.vocabulary,
            [[Required(0, 1, ("w0",)) for _ in range(n)]],
        ).required._replace(spans=np.array(spans, np.int32))
        with pytest.raises(Exception, match="constraints lie in the sentence"):
            decoder.decode(
                replace(text, required=arrays), Weights.default(), DecodeOptions(), threads=1
            )

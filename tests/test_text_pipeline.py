"""What goes into the model and comes out of it as text."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.config import TextOptions
from calque.errors import FileError, ModelError, OptionError
from calque.text import BitextFiles, Prepared, Preprocessor, Tokenizer, languages, normalize

DE_EN: dict[str, Any] = {"source_language": "de", "target_language": "en"}
TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def fitted(tmp_path: Path, **options: Any) -> Preprocessor:
    (tmp_path / "s").write_text("Er sah das Haus 1995 .\nDas Haus ist gut .\n")
    (tmp_path / "t").write_text("He saw the house in 1995 .\nThe house is good .\n")
    text = BitextFiles(tmp_path / "s", tmp_path / "t")
    return Preprocessor.fit(TextOptions(**DE_EN, **options), text)


@given(TEXT)
def test_by_default_text_is_only_normalised(text: str) -> None:
    preprocessor = Preprocessor()
    assert preprocessor.source(text) == preprocessor.target(text) == normalize(text)
    prepared = preprocessor.prepare(text)
    assert list(prepared.words) == normalize(text.replace("\n", " ")).split()
    assert prepared.originals == prepared.words
    assert preprocessor.restore(prepared.words, prepared) == normalize(text.replace("\n", " "))


@pytest.mark.parametrize(
    ("tokenize", "casing", "class_numbers"),
    list(itertools.product([False, True], ["keep", "lower", "true"], [False, True])),
)
def test_state_survives_json(
    tmp_path: Path, tokenize: bool, casing: str, class_numbers: bool
) -> None:
    options = {"tokenize": tokenize, "casing": casing, "class_numbers": class_numbers}
    preprocessor = fitted(tmp_path, **options)
    again = Preprocessor.from_json(json.loads(json.dumps(preprocessor.to_json())))
    assert again.options == preprocessor.options
    sentence = "Das Haus, 1995 (12%) gebaut."
    prepared = preprocessor.prepare(sentence)
    assert again.prepare(sentence) == prepared
    assert again.to_json() == preprocessor.to_json()
    assert len(prepared.words) == len(prepared.originals)
    for side in (again.source, again.target):
        assert side(f"{sentence}\n\n{sentence}\n").count("\n") == 3
    assert again.source(sentence).split() == list(prepared.words)


def test_a_translation_comes_back_as_plain_text(tmp_path: Path) -> None:
    preprocessor = fitted(tmp_path, tokenize=True, casing="true", class_numbers=True)
    prepared = preprocessor.prepare("Das Haus, “1995” gebaut!")
    assert prepared == Prepared(
        ("das", "Haus", ",", "“", "<num:####>", "”", "gebaut", "!"),
        ("Das", "Haus", ",", "“", "1995", "”", "gebaut", "!"),
        gaps=("", " ", "", " ", "", "", " ", ""),
    )
    words = ["the", "house", ",", "built", "in", "<num:####>", "(", "don", "'t", "ask", ")", "!"]
    restored = preprocessor.restore(words, prepared, [(4, 5)])
    assert restored == "The house, built in 1995 (don't ask)!"


def test_words_stay_apart_where_the_model_was_trained_on_tokens(tmp_path: Path) -> None:
    preprocessor = fitted(tmp_path, casing="lower")
    prepared = preprocessor.prepare("Das Haus .")
    assert prepared.words == ("das", "haus", ".")
    assert preprocessor.restore(["the", "house", "."], prepared) == "the house ."


def test_an_empty_sentence_has_no_words(tmp_path: Path) -> None:
    preprocessor = fitted(tmp_path, tokenize=True, casing="true", class_numbers=True)
    for sentence in ("", " \n\t"):
        assert preprocessor.prepare(sentence) == Prepared((), ())
    assert preprocessor.restore([], Prepared((), ())) == ""


@given(TEXT)
def test_tokenising_keeps_lines_and_all_that_is_no_space(text: str) -> None:
    block = normalize(text)
    tokens = Tokenizer("en").tokenize(block)
    assert tokens.count("\n") == block.count("\n")
    assert normalize(tokens) == tokens


@pytest.mark.parametrize(
    "text", ['It\'s a well-known fact: 5 < 6 & "7" > 6.', "Hello, Mr. Smith (again)!"]
)
def test_tokenising_is_undone(text: str) -> None:
    tokens = Tokenizer("en").tokenize(text)
    assert "&amp;" not in tokens
    assert "@-@" not in tokens
    assert Tokenizer("en").detokenize(tokens.split(" ")) == text


def test_an_unknown_language_is_one_clear_line() -> None:
    with pytest.raises(OptionError) as caught:
        Tokenizer("ger")
    near = str(caught.value).removeprefix("language 'ger': no tokenizer has this code; ")
    assert near.startswith("did you mean ")
    with pytest.raises(OptionError) as caught:
        Tokenizer("xxx")
    problem = f"no tokenizer has this code; expected one of {', '.join(languages())}"
    assert str(caught.value) == f"language 'xxx': {problem}"


def test_tokenising_needs_languages() -> None:
    with pytest.raises(OptionError) as caught:
        Preprocessor(TextOptions(tokenize=True, source_language="de"))
    problem = "tokenize=true: expected target_language, a code such as de or en"
    assert str(caught.value) == problem


def test_true_case_needs_text_that_can_be_read_again() -> None:
    options = TextOptions(casing="true")
    with pytest.raises(FileError) as caught:
        Preprocessor.fit(options, BitextFiles(Path("-"), Path("x")))
    assert str(caught.value) == "-: casing=true reads its text twice, expected a file"
    with pytest.raises(OptionError, match="casing=true: expected truecasers"):
        Preprocessor(options)


GOOD = Preprocessor().to_json()


@pytest.mark.parametrize(
    ("state", "problem"),
    [
        (None, "expected the keys options, source_truecaser, target_truecaser"),
        ({"options": {}}, "expected the keys options, source_truecaser, target_truecaser"),
        (GOOD | {"options": 1}, "expected options with names"),
        (
            GOOD | {"options": {"casing": "up"}},
            "options: casing=up: expected one of keep, lower, true",
        ),
        (
            GOOD | {"options": {"case": "keep"}},
            "options: unknown key 'case'; did you mean 'casing'?",
        ),
        (
            GOOD | {"options": {"casing": "true"}},
            "casing=true: expected truecasers; use Preprocessor.fit",
        ),
    ],
)
def test_damaged_state_is_one_clear_line(state: Any, problem: str) -> None:
    with pytest.raises(ModelError) as caught:
        Preprocessor.from_json(state)
    assert str(caught.value) == f"preprocessor: {problem}"


def test_the_tokeniser_is_loaded_only_when_it_is_used() -> None:
    code = "import sys, calque.text; print('sacremoses' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"

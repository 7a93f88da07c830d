from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calque.text import normalize

AWKWARD = (
    "ab é\u0301\u0327\u212b\u1100\u1161 \t\r\n\v\f\x00\x1c\x85\xa0\xad"
    "\u200b\u200d\u2028\u3000\ufeff"
)
TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.text(AWKWARD)


@given(TEXT)
@example("e\u200b\u0301\n \u2000 a")
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalize(text)
    assert normalize(once) == once


@given(TEXT)
def test_the_number_of_lines_stays(text: str) -> None:
    assert normalize(text).count("\n") == text.count("\n")


@given(TEXT)
def test_normal_text_is_composed_single_spaced_and_free_of_controls(text: str) -> None:
    normal = normalize(text)
    assert unicodedata.is_normalized("NFC", normal)
    for line in normal.split("\n"):
        assert line == " ".join(line.split()), "str.split knows every space of Unicode"
        assert not any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in line)
        assert not any(unicodedata.category(c) == "Zs" and c != " " for c in line)


@given(TEXT)
def test_a_block_is_normalised_as_its_lines_are(text: str) -> None:
    assert normalize(text).split("\n") == [normalize(line) for line in text.split("\n")]


@pytest.mark.parametrize(
    ("raw", "normal"),
    [
        ("a\tb\rc\x85d\u2028e\u3000f\xa0g", "a b c d e f g"),
        ("\ufeffso\xadft ze\u200bro \u202aleft\u202c", "soft zero left"),
        ("nu\x00ll \x07bell", "null bell"),
        ("cafe\u0301", "café"),
        ("می\u200cخواهم क्\u200dष", "می\u200cخواهم क्\u200dष"),
        ("  a   b  \n\n c ", "a b\n\nc"),
    ],
)
def test_examples(raw: str, normal: str) -> None:
    assert normalize(raw) == normal


def test_clean_text_comes_back_as_the_same_object() -> None:
    for block in ("a plain block\nof lines\n", "ein schöner Block\nmit “Zeilen”\n"):
        assert normalize(block) is block

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.errors import ModelError
from calque.text import CaseLearner, Truecaser, lowercase, restore_case

TEXT = """He saw the house in Berlin .
The house of NATO is the oldest .
" The people of Berlin saw it .
THE HOUSE IS OLD
is it ? Berlin saw Berlin ! People saw 'tis and iPhone ."""


def learned(*blocks: str) -> Truecaser:
    learner = CaseLearner()
    for block in blocks:
        learner.feed(block)
    return learner.finish()


def test_forms_are_learned_away_from_beginnings_and_capitals() -> None:
    assert learned(TEXT).to_json() == sorted(
        [
            "saw",
            "the",
            "house",
            "in",
            "Berlin",
            "of",
            "NATO",
            "is",
            "oldest",
            "people",
            "it",
            "'tis",
            "and",
            "iPhone",
        ]
    )


@pytest.mark.parametrize(
    ("raw", "true"),
    [
        ("The house", "the house"),
        ("Berlin", "Berlin"),
        ("Unknown house", "Unknown house"),
        ('( " The house', '( " the house'),
        ("«The house", "«the house"),
        ("¿The", "¿the"),
        ("'Tis", "'tis"),
        ("It is . The House ? Is", "it is . the House ? is"),
        ("THE HOUSE OF NATO IN BERLIN XY", "the house of NATO in Berlin xy"),
        ("NATO", "NATO"),
        ("5 The", "5 The"),
        ("\n\nThe\n", "\n\nthe\n"),
        ("", ""),
        ("... !", "... !"),
    ],
)
def test_truecasing_by_hand(raw: str, true: str) -> None:
    assert learned(TEXT).truecase(raw) == true


@pytest.mark.parametrize(
    "text",
    [
        "The house .",
        '( " The house',
        "¿The",
        "It is . The people ! Is it ? Berlin",
        "iPhone",
        "« It is",
        "5 the",
        "",
    ],
)
def test_usual_text_survives_truecasing(text: str) -> None:
    words = learned(TEXT).truecase(text).split()
    assert " ".join(restore_case(words)) == text


def test_capitals_are_single_letters() -> None:
    assert restore_case(["ßa"]) == ["ßa"]
    assert restore_case(["ǆa"]) == ["ǅa"]
    assert restore_case(["élan"]) == ["Élan"]


WORD = st.sampled_from(["a", "A", "b", "B", "Bc", "bc", "BC", "1", ",", "(", "é", "É"])


@given(st.lists(st.lists(WORD)))
def test_learning_agrees_with_a_walk_over_words(lines: list[list[str]]) -> None:
    counts: Counter[str] = Counter()
    for line in lines:
        cased = [word for word in line if word.lower() != word.upper()]
        if len(cased) > 1 and all(word == word.upper() for word in cased):
            continue
        first = next((i for i, word in enumerate(line) if word not in ",("), len(line))
        counts.update(line[first + 1 :])
    forms = {}
    for form in sorted(counts, key=lambda form: (counts[form], form)):
        if form.lower() != form.upper():
            forms[form.lower()] = form
    text = "".join(" ".join(line) + "\n" for line in lines)
    assert learned(text).to_json() == sorted(forms.values())


@given(st.lists(st.lists(st.text(min_size=1).map(lambda w: "".join(w.split()))).map(" ".join)))
def test_truecasing_and_back_change_letters_only(lines: list[str]) -> None:
    lines = [" ".join(line.split()) for line in lines]
    true = learned("\n".join(lines)).truecase("\n".join(lines)).split("\n")
    assert [line.lower() for line in true] == [
        line.lower() for line in ("\n".join(lines)).split("\n")
    ]
    for line in true:
        back = restore_case(line.split(" "))
        assert [word.lower() for word in back] == line.lower().split(" ")


def test_a_truecaser_survives_its_json() -> None:
    truecaser = learned(TEXT)
    again = Truecaser.from_json(truecaser.to_json())
    assert again == truecaser
    assert hash(again) == hash(truecaser)
    assert len(again) == 14


@pytest.mark.parametrize("state", [None, {}, "abc", [1], ["a", None]])
def test_other_content_is_one_clear_line(state: object) -> None:
    with pytest.raises(ModelError, match=r"^truecaser: expected a list of words$"):
        Truecaser.from_json(state)


def test_lowercasing_keeps_lines() -> None:
    assert lowercase("A ÉB\nC\n") == "a éb\nc\n"

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque.text import numbers
from calque.text.numbers import class_numbers

WORD = st.text("1234567890.,:/-", min_size=1, max_size=8) | st.text("ab1.,-", min_size=1)


def shape(word: str) -> str:
    """The class of a word by looking at it character by character; the word if it is no number."""
    digits = [c.isdecimal() for c in word]
    inner = all(
        digit or (c in ".,:/-" and 0 < i < len(word) - 1 and digits[i - 1] and digits[i + 1])
        for i, (c, digit) in enumerate(zip(word, digits, strict=True))
    )
    if not word or not inner:
        return word
    return "<num:" + "".join("#" if d else c for c, d in zip(word, digits, strict=True)) + ">"


@given(st.lists(st.lists(WORD)))
def test_classes_agree_with_a_walk_over_characters(lines: list[list[str]]) -> None:
    block = "".join(" ".join(line) + "\n" for line in lines)
    expected = "".join(" ".join(map(shape, line)) + "\n" for line in lines)
    assert class_numbers(block) == expected
    assert class_numbers(expected) == expected


@given(st.lists(WORD), st.randoms())
def test_numbers_survive_any_order_through_links(words: list[str], random: Random) -> None:
    order = list(range(len(words)))
    random.shuffle(order)
    classes = class_numbers(" ".join(words)).split(" ") if words else []
    links = [(i, j) for j, i in enumerate(order)]
    restored = numbers.restore([classes[i] for i in order], words, classes, links)
    assert restored == [words[i] for i in order]


@pytest.mark.parametrize(
    ("target", "links", "restored"),
    [
        ("a <num:##>", [(0, 1)], "a 12"),
        ("<num:##> <num:##>", [], "12 34"),
        ("<num:##> <num:##>", [(2, 0)], "34 12"),
        ("<num:#.#> <num:##>", [], "5.5 12"),
        ("<num:###>", [], "12"),
        ("<num:##>", [(1, 0)], "12"),
        ("<num:##>", [(3, 0), (2, 0)], "34"),
        ("<num:#> <num:#> <num:#> so <num:#>", [], "12 34 5.5 so"),
        ("<num:##> <num:##>", [(0, 0), (0, 1)], "12 12"),
        ("<num:> <num", [], "<num:> <num"),
    ],
)
def test_restoring_by_hand(target: str, links: list[tuple[int, int]], restored: str) -> None:
    originals = ["12", "x", "34", "5.5"]
    classes = class_numbers(" ".join(originals)).split()
    assert " ".join(numbers.restore(target.split(), originals, classes, links)) == restored


def test_a_class_is_left_out_where_the_source_has_no_number() -> None:
    assert numbers.restore(["in", "<num:####>", "."], ["x"], ["x"], [(0, 1)]) == ["in", "."]


def test_digits_of_other_scripts_are_numbers_too() -> None:
    assert class_numbers("٣٫٥ ١٢٣ १२") == "٣٫٥ <num:###> <num:##>"

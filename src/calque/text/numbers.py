"""Numbers as classes: `1995` and `2006` are one word to the model, `<num:####>`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

# The look behind comes after the first digit, so that the search runs from digit to digit.
_NUMBER = re.compile(r"\d(?<![^ \n]\d)\d*+(?:[.,:/-]\d++)*+(?![^ \n])")
_DIGIT = re.compile(r"\d")
_CLASS = re.compile(r"<num:#+(?:[.,:/-]#+)*>")


def class_numbers(block: str) -> str:
    """The lines of words with every number replaced by the class of its shape.

    A number is a word of digits, with single `.`, `,`, `:`, `/` or `-` between them: `1,995.50`
    becomes `<num:#,###.##>`.
    """
    return _NUMBER.sub(_class_of, block)


def is_class(word: str) -> bool:
    """Whether the word stands for numbers of one shape."""
    return word.startswith("<num:") and _CLASS.fullmatch(word) is not None


def restore(
    target_words: Sequence[str],
    source_originals: Sequence[str],
    source_words: Sequence[str],
    links: Iterable[tuple[int, int]],
) -> list[str]:
    """The target words with the source's own numbers in place of classes.

    `links` are pairs of a source and a target position. A class takes the number it is linked to;
    among several, one of its own shape first, then the leftmost. Classes without such a link take,
    from left to right, the first number of their shape that no class has taken yet, else the
    first untaken number of any shape. Where the source has none left, the class is left out: a
    missing number can be seen and asked for, an invented one cannot.
    """
    return [word for word in restored(target_words, source_originals, source_words, links) if word]


def restored(
    target_words: Sequence[str],
    source_originals: Sequence[str],
    source_words: Sequence[str],
    links: Iterable[tuple[int, int]],
) -> list[str]:
    """The same as `restore`, with an empty word in place of each class that is left out."""
    numbers = {i for i, word in enumerate(source_words) if is_class(word)}
    classes = [j for j, word in enumerate(target_words) if is_class(word)]
    if not classes:
        return list(target_words)
    linked: dict[int, list[int]] = {}
    for i, j in links:
        linked.setdefault(j, []).append(i)
    chosen: dict[int, int] = {}
    for j in classes:
        candidates = [i for i in linked.get(j, ()) if i in numbers]
        if candidates:
            chosen[j] = min(candidates, key=lambda i: (source_words[i] != target_words[j], i))
    free = sorted(numbers.difference(chosen.values()))
    for j in classes:
        if j not in chosen and free:
            same = (i for i in free if source_words[i] == target_words[j])
            chosen[j] = next(same, free[0])
            free.remove(chosen[j])
    return [
        source_originals[chosen[j]] if j in chosen else "" if is_class(word) else word
        for j, word in enumerate(target_words)
    ]


def _class_of(number: re.Match[str]) -> str:
    return f"<num:{_DIGIT.sub('#', number[0])}>"

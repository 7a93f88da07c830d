"""What a word is seen as: itself, a character, a class, a type or a tag."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calque._core import hash_texts
from calque.errors import CalqueError, FileError, LineError
from calque.text import RESERVED, read_lines

LEVELS = ("word", "char.first", "char.last", "brown", "brown6", "brown4", "type", "tag")
"""All levels; `brown6` and `brown4` are the first bits of `brown`."""
_KINDS = (("word",), ("char.first", "char.last", "type"), ("brown", "brown6", "brown4"), ("tag",))
LEVEL_KINDS = {level: kind for kind, levels in enumerate(_KINDS) for level in levels}
"""0 for the word itself; else a number that levels which say the same sort of thing share."""
UNSEEN = RESERVED[0]
"""The class of words that have none."""
_SIGNS = ("CJK ", "IDEOGRAPHIC ", "HIRAGANA ", "KATAKANA", "HALFWIDTH KATAKANA")
_FIELD = re.compile(r"[^ \t\r\n]+")
_BITS = {"brown": None, "brown6": 6, "brown4": 4}


class WordClasses:
    """The text that stands for each word of one language at each level.

    The levels of words, characters and types exist for every word; those of Brown classes and tags
    only where they were given, and there a word that they lack takes the class of `<unk>`, which
    is `<unk>` itself unless it was given too. The reserved words (`<s>`, `</s>`, `<unk>`) stand
    for themselves at every other level.
    """

    def __init__(
        self, brown: Mapping[str, str] | None = None, tags: Mapping[str, str] | None = None
    ) -> None:
        """Take the bit strings of words and the tags of words, where there are any."""
        for word, bits in (brown or {}).items():
            if not bits or bits.strip("01"):
                raise CalqueError(f"the class of '{word}' is '{bits}', expected a string of bits")
        self.brown = None if brown is None else dict(brown)
        self.tags = None if tags is None else dict(tags)
        absent = {"tag"} if tags is None else set[str]()
        if brown is None:
            absent |= set(_BITS)
        self.levels = tuple(level for level in LEVELS if level not in absent)
        """The levels there are, in the order of `LEVELS`."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordClasses):
            return NotImplemented
        return self.brown == other.brown and self.tags == other.tags

    __hash__ = None  # type: ignore[assignment]  # equal by content

    def value(self, level: str, word: str) -> str:
        """What stands for the word at this level."""
        if level not in self.levels:
            raise CalqueError(
                f"no word classes of level '{level}'; there are: {', '.join(self.levels)}"
            )
        if level == "word":
            return word
        if level in _BITS:
            bits = _look_up(self.brown, word)
            return bits if bits in RESERVED else bits[: _BITS[level]]
        if level == "tag":
            return _look_up(self.tags, word)
        if word in RESERVED:
            return word
        if level == "type":
            return word_type(word)
        return word[:1] if level == "char.first" else word[-1:]

    def hashes(self, level: str, words: Iterable[str]) -> NDArray[np.uint64]:
        """The hash of what stands for each word (of a `Vocabulary`, say): values of features."""
        return hash_texts([self.value(level, word) for word in words])

    def with_tags(self, path: Path | str) -> WordClasses:
        """The classes with the tags of a file; see `read_tags`."""
        return WordClasses(self.brown, read_tags(path))

    def to_texts(self) -> dict[str, str]:
        """`brown` and `tag` where there are any, as lines of word and class: the form on disk."""
        given = {"brown": self.brown, "tag": self.tags}
        return {
            level: "".join(f"{word} {value}\n" for word, value in of.items())
            for level, of in given.items()
            if of is not None
        }

    @classmethod
    def from_texts(cls, texts: Mapping[str, str], where: str = "word classes") -> WordClasses:
        """The classes that `to_texts` wrote; `where` names them in errors."""
        read = {
            level: _pairs(text.split("\n"), f"{where}: {level}") for level, text in texts.items()
        }
        return cls(read.get("brown"), read.get("tag"))


def read_brown(path: Path | str) -> WordClasses:
    """The classes of a file: `word bits` per line, or `bits word count` as other tools write."""
    try:
        return WordClasses(_pairs(read_lines(path), str(path)))
    except LineError:
        raise
    except CalqueError as error:
        raise FileError(path, str(error)) from error


def read_tags(path: Path | str) -> dict[str, str]:
    """The most frequent tag of each word of a file with `word tag` per line.

    A line is one occurrence, so a tagged corpus with one word per line can be given as it is; blank
    lines may part its sentences. Of equally frequent tags the first counts.
    """
    counts: dict[str, Counter[str]] = {}
    for line, row in enumerate(read_lines(path), 1):
        fields = _FIELD.findall(row)
        if not fields:
            continue
        if len(fields) != 2:
            raise LineError(path, line, f"expected 'word tag', found '{row.strip()}'")
        word, tag = fields
        counts.setdefault(word, Counter())[tag] += 1
    return {word: tags.most_common(1)[0][0] for word, tags in counts.items()}


def _is_sign(char: str) -> bool:
    """Whether the character stands for a word or a syllable, not for a sound."""
    return unicodedata.name(char, "").startswith(_SIGNS)


def word_type(word: str) -> str:
    """`punctuation`, `digits`, `alphabetic` or `other`, in any script.

    Letters of an alphabet make a word alphabetic and numbers make it digits, with or without
    punctuation between them (`t-shirt`, `3.5`); punctuation and symbols alone are punctuation.
    Ideographs and kana are no letters of an alphabet: in Chinese and Japanese text, alphabetic
    words are those in foreign letters, and that is what the type is to tell (Yu et al. 2013). What
    has such signs, or both letters and numbers, or neither of all these, is other.
    """
    kinds = {unicodedata.category(char)[0] for char in word}
    letters, numbers = not kinds.isdisjoint("LM"), "N" in kinds
    if not kinds or not kinds <= set("LMNPS") or (letters and numbers):
        return "other"
    if letters and any(_is_sign(char) for char in word):
        return "other"
    return "alphabetic" if letters else "digits" if numbers else "punctuation"


def _look_up(classes: Mapping[str, str] | None, word: str) -> str:
    """The class of the word; reserved words that text does not have are their own."""
    of = classes or {}
    if word in RESERVED[1:]:
        return word
    return of.get(word) or of.get(UNSEEN, UNSEEN)


def _pairs(lines: Iterable[str], where: str) -> dict[str, str]:
    value_of: dict[str, str] = {}
    for line, row in enumerate(lines, 1):
        fields = _FIELD.findall(row)
        if not fields:
            continue
        if len(fields) not in (2, 3):
            raise LineError(where, line, "expected 'word class' or 'class word count'")
        word, value = fields if len(fields) == 2 else (fields[1], fields[0])
        if word in value_of:
            raise LineError(where, line, f"the word '{word}' is given twice")
        value_of[word] = value
    return value_of

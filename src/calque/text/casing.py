"""Case as a matter of words, not of their place: sentence beginnings lose their capital."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from calque._core import WordTable, encode_growing
from calque.errors import ModelError

# The first word of a line, behind opening quotes, brackets, dashes and the like, joined to it or
# not; and a word that directly follows a full stop, question mark or exclamation mark. Each way
# in begins with a plain character, so that the search runs fast from one to the next; that is
# why the text must begin with a line end, too (see `_at_beginnings`).
_BEGINNING = re.compile(
    r"(\n(?:[^\w\n ]++ )*+|\.(?<= \.) |\?(?<= \?) |!(?<= !) )([^\w\n ]*+)(\w[^ \n]*+)"
)


class CaseLearner:
    """Counts the forms of words; feed blocks of space-separated words, then `finish`.

    Words at sentence beginnings and in lines of capitals are no evidence and are not counted.
    """

    def __init__(self) -> None:
        self._words = WordTable()
        self._counts = np.zeros(0, np.int64)

    def feed(self, block: str) -> None:
        """Count the words of a block of complete lines."""
        # All words, less those that do not count: far fewer steps than a walk over the words.
        self._add(block, 1)
        self._add("\n".join(_beginnings(block)), -1)
        capitals = "\n".join(filter(is_capitals, block.split("\n")))
        self._add(capitals, -1)
        self._add("\n".join(_beginnings(capitals)), 1)

    def finish(self) -> Truecaser:
        """The truecaser of what was fed.

        Of equally frequent forms the one later in Unicode wins: small letters before capitals.
        """
        best: dict[str, tuple[int, str]] = {}
        for id, count in enumerate(self._counts.tolist()):
            form = self._words.word(id)
            if count > 0 and _has_case(form):
                key = form.lower()
                best[key] = max(best.get(key, (0, "")), (count, form))
        return Truecaser(form for _, form in best.values())

    def _add(self, text: str, times: int) -> None:
        ids, _ = encode_growing(text, self._words)
        counts = times * np.bincount(ids, minlength=len(self._words))
        counts[: len(self._counts)] += self._counts
        self._counts = counts


class Truecaser:
    """Knows the most frequent form of words away from sentence beginnings.

    `truecase` gives that form to the first word of a sentence (other words keep theirs), so that
    `The` at a beginning and `the` elsewhere count as one word while `Berlin` stays. In a line
    that is capitals throughout every word gets its usual form, or small letters where none is
    known. `restore_case` is the way back.
    """

    def __init__(self, forms: Iterable[str]) -> None:
        """Take the usual form of every known word."""
        self._forms = {form.lower(): form for form in forms}

    def __len__(self) -> int:
        return len(self._forms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Truecaser) and self._forms == other._forms

    def __hash__(self) -> int:
        return hash(len(self._forms))

    def truecase(self, block: str) -> str:
        """The lines of words with the usual form of every sentence's first word."""
        lines = block.split("\n")
        block = "\n".join([self._small(line) if is_capitals(line) else line for line in lines])
        return _at_beginnings(self._usual, block)

    def to_json(self) -> list[str]:
        """The usual form of every word, sorted: the state as plain values."""
        return sorted(self._forms.values())

    @classmethod
    def from_json(cls, forms: Any) -> Truecaser:
        """The truecaser that `to_json` wrote; raises `ModelError` on anything else."""
        if not isinstance(forms, list) or not all(isinstance(form, str) for form in forms):
            raise ModelError("truecaser: expected a list of words")
        return cls(forms)

    def _usual(self, match: re.Match[str]) -> str:
        before, glued, word = match.groups()
        # What is glued to the word may be a part of it, as in 'tis.
        form = glued and self._forms.get((glued + word).lower())
        return before + (form or glued + self._forms.get(word.lower(), word))

    def _small(self, line: str) -> str:
        return " ".join([self._forms.get(w.lower(), w.lower()) for w in line.split(" ")])


def lowercase(block: str) -> str:
    """The block in small letters."""
    return block.lower()


def restore_case(words: list[str]) -> list[str]:
    """The words with a capital at every sentence beginning, as `Truecaser` understands those.

    Words that carry a capital already, like iPhone, stay as they are.
    """
    return _at_beginnings(_capitalise, " ".join(words)).split(" ") if words else []


def beginnings_of(words: Sequence[str]) -> frozenset[int]:
    """The places of the words that begin sentences, as `Truecaser` understands those."""
    text = "\n" + " ".join(words)
    return frozenset(text.count(" ", 0, match.start(3)) for match in _BEGINNING.finditer(text))


def is_capitals(line: str) -> bool:
    """Whether a line is capitals throughout: two words at least, or every `OK` would be one."""
    return line.isupper() and sum(map(_has_case, line.split(" "))) > 1


def _capitalise(match: re.Match[str]) -> str:
    before, glued, word = match.groups()
    capital = word[0].title()
    # Not every letter has a capital of its own: that of ß is two letters, that of µ another's.
    if word.islower() and capital.lower() == word[0]:
        word = capital + word[1:]
    return before + glued + word


def _at_beginnings(change: Callable[[re.Match[str]], str], block: str) -> str:
    """The block with `change` made to every sentence beginning."""
    return _BEGINNING.sub(change, "\n" + block)[1:]


def _beginnings(block: str) -> list[str]:
    """The words at sentence beginnings with what is glued to them."""
    return [glued + word for _, glued, word in _BEGINNING.findall("\n" + block)]


def _has_case(word: str) -> bool:
    return word.lower() != word.upper()

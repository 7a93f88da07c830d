"""Case as a matter of words, not of their place: sentence beginnings lose their capital."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from calque.errors import ModelError

# The first word of a line, behind opening quotes, brackets, dashes and the like, joined to it or
# not; and a word that directly follows a full stop, question mark or exclamation mark.
_BEGINNING = re.compile(
    r"(?:^(?:[^\w\n ]++ )*+|(?<= [.?!] ))(?P<glued>[^\w\n ]*+)(?P<word>\w[^ \n]*+)", re.MULTILINE
)


class CaseLearner:
    """Counts the forms of words; feed blocks of space-separated words, then `finish`.

    Words at sentence beginnings and in lines of capitals are no evidence and are not counted.
    """

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def feed(self, block: str) -> None:
        """Count the words of a block of complete lines."""
        # All words, less those that do not count: far fewer steps than a walk over the words.
        self._counts.update(block.split())
        self._counts.subtract(_beginnings(block))
        for line in filter(_is_capitals, block.split("\n")):
            self._counts.subtract(line.split())
            self._counts.update(_beginnings(line))

    def finish(self) -> Truecaser:
        """The truecaser of what was fed.

        Of equally frequent forms the one later in Unicode wins: small letters before capitals.
        """
        best: dict[str, tuple[int, str]] = {}
        for form, count in self._counts.items():
            if count > 0 and _has_case(form):
                key = form.lower()
                best[key] = max(best.get(key, (0, "")), (count, form))
        return Truecaser(form for _, form in best.values())


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
        block = "\n".join([self._small(line) if _is_capitals(line) else line for line in lines])
        return _BEGINNING.sub(self._usual, block)

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
        glued, word = match["glued"], match["word"]
        # What is glued to the word may be a part of it, as in 'tis.
        form = self._forms.get((glued + word).lower()) or glued + self._forms.get(
            word.lower(), word
        )
        return match[0][: match.start("glued") - match.start()] + form

    def _small(self, line: str) -> str:
        return " ".join([self._forms.get(w.lower(), w.lower()) for w in line.split(" ")])


def lowercase(block: str) -> str:
    """The block in small letters."""
    return block.lower()


def restore_case(words: list[str]) -> list[str]:
    """The words with a capital at every sentence beginning, as `Truecaser` understands those.

    Words that carry a capital already, like iPhone, stay as they are.
    """
    return _BEGINNING.sub(_capitalise, " ".join(words)).split(" ") if words else []


def _capitalise(match: re.Match[str]) -> str:
    word = match["word"]
    capital = word[0].title()
    if word != word.lower() or len(capital) > 1:
        return match[0]
    return match[0][: match.start("word") - match.start()] + capital + word[1:]


def _beginnings(block: str) -> list[str]:
    """The words at sentence beginnings with what is glued to them."""
    return [match["glued"] + match["word"] for match in _BEGINNING.finditer(block)]


def _is_capitals(line: str) -> bool:
    """Whether a line is capitals throughout: two words at least, or every `OK` would be one."""
    return line.isupper() and sum(map(_has_case, line.split(" "))) > 1


def _has_case(word: str) -> bool:
    return word.lower() != word.upper()

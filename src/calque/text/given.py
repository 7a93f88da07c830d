"""Text as a user of the library gives it: the name of a file, or the sentences themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from numpy.typing import NDArray

from calque.errors import CalqueError
from calque.text.files import read_lines

Text: TypeAlias = "Path | str | Sequence[str] | NDArray[Any]"
"""A file with a sentence on every line, or sentences: a list, an array of numpy, a column."""
IN_MEMORY = "(in memory)"


@dataclass(frozen=True)
class GivenText:
    """Sentences and what to call them in errors."""

    name: str
    """The name of the file, or what the text is to the caller: `source`, `reference 2`."""
    sentences: list[str]
    path: Path | None = None

    @classmethod
    def of(cls, text: Text, what: str) -> GivenText:
        """The text of a file, or these sentences, which errors call `what`."""
        if isinstance(text, str | Path):
            return cls(str(text), list(read_lines(text)), Path(text))
        return cls(what, checked_sentences(text, what))

    def __len__(self) -> int:
        return len(self.sentences)

    def digest(self) -> dict[str, str]:
        """The text as a run records it: its file, if any, and what identifies its content."""
        if self.path is not None:
            return digest(self.path)
        content = "".join(sentence + "\n" for sentence in self.sentences).encode()
        return {"file": IN_MEMORY, "sha256": hashlib.sha256(content).hexdigest()}


def digest(path: Path | str) -> dict[str, str]:
    """A file as a run records it."""
    return {"file": str(path), "sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest()}


def checked_sentences(sentences: Iterable[Any], what: str) -> list[str]:
    """The sentences as a list of strings, a line break inside one made a space.

    Raises `CalqueError` where one is not text; `what` names them there.
    """
    if (n_dimensions := getattr(sentences, "ndim", 1)) != 1:
        raise CalqueError(f"{what}: an array of {n_dimensions} dimensions, expected 1")
    if not isinstance(sentences, Iterable):
        kind = type(sentences).__name__
        raise CalqueError(f"{what} is of type {kind}: expected a file name or sentences")
    checked = []
    for number, sentence in enumerate(sentences, 1):
        try:
            checked.append(" ".join(str(checked_text(sentence)).splitlines()))
        except CalqueError as error:
            raise CalqueError(f"{what}: number {number}: {error}") from None
    return checked


def checked_text(sentence: str) -> str:
    """The sentence, where it is text: a Python string may hold halves of characters."""
    if not isinstance(sentence, str):
        raise CalqueError(f"a sentence is of type {type(sentence).__name__}: expected text")
    try:
        sentence.encode()
    except UnicodeEncodeError as error:
        half = ascii(sentence[error.start])
        raise CalqueError(
            f"a sentence contains {half}, one half of a surrogate pair: expected valid text"
        ) from None
    return sentence

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque.text import UNKNOWN, Sentences, Vocabulary

NO_WORD = int(np.iinfo(np.int32).min)


@dataclass(frozen=True, eq=False)
class SourceText:
    """Sentences as the decoder takes them: ids, and what each word is as a target word."""

    sentences: Sentences
    copies: NDArray[np.int32]
    """Per word the target id of its text; where the target vocabulary lacks it, -1 - i, which
    stands for the text of word i of the sentence."""

    @classmethod
    def encode(cls, lines: Iterable[str], source: Vocabulary, target: Vocabulary) -> SourceText:
        """Source sentences, given as words separated by spaces."""
        lines = list(lines)
        text = "".join(line + "\n" for line in lines)
        return cls(source.encode(text), _copies(lines, target.encode(text)))

    @classmethod
    def encode_references(
        cls, references: Sequence[str], sources: Sequence[str], target: Vocabulary
    ) -> SourceText:
        """Reference translations of source sentences, given as words separated by spaces.

        A word that the target vocabulary lacks stands for the first source word of that text, or
        for `NO_WORD`, which nothing translates to.
        """
        sentences = target.encode("".join(line + "\n" for line in references))
        copies = sentences.ids.copy()
        for at in np.flatnonzero(copies == UNKNOWN):
            index = int(np.searchsorted(sentences.offsets, at, side="right")) - 1
            word = references[index].split()[at - sentences.offsets[index]]
            words = sources[index].split()
            copies[at] = -1 - words.index(word) if word in words else NO_WORD
        return cls(sentences, copies)

    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Ids, offsets and copies, ready for the core."""
        ids, offsets = self.sentences.ids, self.sentences.offsets
        return np.ascontiguousarray(ids), np.ascontiguousarray(offsets), self.copies


def _copies(lines: list[str], words: Sentences) -> NDArray[np.int32]:
    copies = words.ids.copy()
    for at in np.flatnonzero(copies == UNKNOWN):
        index = int(np.searchsorted(words.offsets, at, side="right")) - 1
        line = lines[index].split()
        # Of a word that occurs twice the first place: equal texts have equal numbers.
        copies[at] = -1 - line.index(line[at - words.offsets[index]])
    return copies

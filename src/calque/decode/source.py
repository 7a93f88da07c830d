from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque.decode.constraints import Required
from calque.text import RESERVED, UNKNOWN, Sentences, Vocabulary

NO_WORD = int(np.iinfo(np.int32).min)


class RequiredArrays(NamedTuple):
    """Constraints as the core takes them."""

    offsets: NDArray[np.int64]
    """How many stand before each sentence."""
    spans: NDArray[np.int32]
    """Begin and end of each."""
    target_offsets: NDArray[np.int64]
    targets: NDArray[np.int32]


_NONE, _NO_OFFSETS = np.empty(0, np.int32), np.empty(0, np.int64)
NOTHING = RequiredArrays(_NO_OFFSETS, _NONE, _NO_OFFSETS, _NONE)


@dataclass(frozen=True, eq=False)
class SourceText:
    """Sentences as the decoder takes them: ids, and what each word is as a target word."""

    sentences: Sentences
    copies: NDArray[np.int32]
    """Per word the target id of its text; where the target vocabulary lacks it, -1 - i, which
    stands for the text of word i of the sentence."""
    required: RequiredArrays = NOTHING
    unknown: Mapping[int, str] = field(default_factory=dict)
    """The texts of words outside the source vocabulary, by their place among all."""

    @classmethod
    def from_words(
        cls,
        words: Sequence[Sequence[str]],
        source: Vocabulary,
        target: Vocabulary,
        required: Sequence[Sequence[Required]] = (),
    ) -> SourceText:
        """Source sentences, given as lists of words, and what is required of each."""
        lines = "".join([" ".join(sentence) + "\n" for sentence in words])
        sentences = source.encode(lines)
        every = [word for sentence in words for word in sentence]
        unknown = {at: every[at] for at in np.flatnonzero(sentences.ids == UNKNOWN).tolist()}
        copies = _copies(words, target.encode(lines))
        return cls(sentences, copies, _required(words, required, target), unknown)

    @classmethod
    def encode(
        cls,
        lines: Iterable[str],
        source: Vocabulary,
        target: Vocabulary,
        required: Sequence[Sequence[Required]] = (),
    ) -> SourceText:
        """The same of words separated by spaces."""
        return cls.from_words([line.split() for line in lines], source, target, required)

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
        for index, places in _unknown_by_sentence(sentences):
            words, first = references[index].split(), _first_places(sources[index].split())
            begin = int(sentences.offsets[index])
            for at in places:
                place = first.get(words[at - begin])
                copies[at] = NO_WORD if place is None else -1 - place
        return cls(sentences, copies)

    def arrays(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Ids, offsets and copies, ready for the core."""
        ids, offsets = self.sentences.ids, self.sentences.offsets
        return np.ascontiguousarray(ids), np.ascontiguousarray(offsets), self.copies


def _first_places(words: Sequence[str]) -> dict[str, int]:
    """Where each word of a sentence occurs first."""
    return {words[at]: at for at in reversed(range(len(words)))}


def _copies(words: Sequence[Sequence[str]], encoded: Sentences) -> NDArray[np.int32]:
    copies = encoded.ids.copy()
    for index, places in _unknown_by_sentence(encoded):
        sentence, begin = words[index], int(encoded.offsets[index])
        # Of a word that occurs twice the first place: equal texts have equal numbers.
        first = _first_places(sentence)
        for at in places:
            copies[at] = -1 - first[sentence[at - begin]]
    return copies


def _unknown_by_sentence(words: Sentences) -> Iterator[tuple[int, list[int]]]:
    """Sentences with words outside the vocabulary, and the places of these among all words."""
    unknown = np.flatnonzero(words.ids == UNKNOWN)
    owners = np.searchsorted(words.offsets, unknown, side="right") - 1
    for index, group in groupby(zip(owners.tolist(), unknown.tolist(), strict=True), itemgetter(0)):
        yield index, [at for _, at in group]


def _required(
    words: Sequence[Sequence[str]], required: Sequence[Sequence[Required]], target: Vocabulary
) -> RequiredArrays:
    if not any(required):
        return NOTHING
    spans: list[int] = []
    targets: list[int] = []
    target_offsets = [0]
    for sentence, constraints in zip(words, required, strict=True):
        texts = own_texts(sentence, constraints, target) if constraints else []
        for constraint in constraints:
            spans += (constraint.begin, constraint.end)
            targets += [_target_id(word, target, texts) for word in constraint.target]
            target_offsets.append(len(targets))
    offsets = np.cumsum([0, *map(len, required)], dtype=np.int64)
    return RequiredArrays(
        offsets, np.array(spans, np.int32), np.array(target_offsets), np.array(targets, np.int32)
    )


def own_texts(words: Sequence[str], required: Sequence[Required], target: Vocabulary) -> list[str]:
    """What -1 - i stands for in derivations of a sentence: its words, then new words of terms."""
    new = dict.fromkeys(
        word
        for constraint in required
        for word in constraint.target
        if target.id(word) < len(RESERVED) and word not in words
    )
    return [*words, *new]


def _target_id(word: str, target: Vocabulary, texts: Sequence[str]) -> int:
    """The id of a word; outside the vocabulary -1 - i for `texts[i]`."""
    id = target.id(word)
    return id if id >= len(RESERVED) else -1 - texts.index(word)

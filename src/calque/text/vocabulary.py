from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque._core import WordTable, encode, encode_growing
from calque.errors import CalqueError
from calque.text.sentences import Ids, Offsets, Sentences, offsets_of

UNKNOWN, START, END = 0, 1, 2
RESERVED = ("<unk>", "<s>", "</s>")
"""The words with ids 0, 1 and 2 of every vocabulary; in a text they stand for unknown words."""
_COUNT_AT_ONCE = 1 << 21


class Vocabulary:
    """The words of one language side and their ids, dense from 0; `RESERVED` comes first.

    Ids of a vocabulary learned from a corpus fall with frequency, so small ids are frequent words.
    """

    def __init__(self, words: Iterable[str]) -> None:
        """Take the words after the reserved ones, in the order of their ids."""
        self._words = [*RESERVED, *words]
        self._table = WordTable()
        for id, word in enumerate(self._words):
            if self._table.add(word) != id:
                raise CalqueError(f"the vocabulary lists the word '{word}' twice")

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self._table.find(word) >= 0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._words == other._words

    def __hash__(self) -> int:
        return hash((len(self._words), self._words[-1]))

    def __repr__(self) -> str:
        return f"<Vocabulary: {len(self):,} words>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Vocabulary, (self._words[len(RESERVED) :],)

    def word(self, id: int) -> str:
        """The word with this id."""
        return self._words[id]

    def id(self, word: str) -> int:
        """The id of the word; that of `<unk>` where the vocabulary does not have it."""
        return max(self._table.find(word), UNKNOWN)

    def encode(self, text: str) -> Sentences:
        r"""The sentences of lines of space-separated words (see `text.normalize`)."""
        ids, offsets = encode(text, self._table, UNKNOWN)
        ids[ids < len(RESERVED)] = UNKNOWN
        return Sentences(ids, offsets)

    def decode(self, ids: Iterable[int] | Ids) -> str:
        """The words with these ids, separated by spaces."""
        return " ".join([self._words[id] for id in ids])

    def to_text(self) -> str:
        """The words after the reserved ones, one per line: the form on disk."""
        return "".join(word + "\n" for word in self._words[len(RESERVED) :])

    @classmethod
    def from_text(cls, text: str) -> Vocabulary:
        """The vocabulary that `to_text` wrote."""
        return cls(text.split("\n")[:-1])


class CorpusEncoder:
    """Learns the vocabulary of one side while encoding it.

    Feed blocks of normalised lines, then `finish`. Ids are given by falling frequency (ties: first
    come, first served), so they depend on the text alone and not on how it was cut into blocks.
    """

    def __init__(self) -> None:
        self._table = WordTable()
        for word in RESERVED:
            self._table.add(word)
        self._ids: list[Ids] = []
        self._lengths: list[Offsets] = []

    def feed(self, block: str) -> int:
        """Encode a block of complete lines; returns their number of words."""
        ids, offsets = encode_growing(block, self._table)
        self._ids.append(ids)
        self._lengths.append(np.diff(offsets))
        return len(ids)

    @property
    def sentences(self) -> Sentences:
        """Everything fed so far, in ids of first occurrence; `finish` gives the final ones."""
        if len(self._ids) != 1:
            self._ids = [_concatenate(self._ids, np.int32)]
            self._lengths = [_concatenate(self._lengths, np.int64)]
        return Sentences(self._ids[0], offsets_of(self._lengths[0]))

    def encode(self, blocks: Iterable[str]) -> Sentences:
        """Other text in the ids of `sentences`; words that were not fed are -1."""
        parts = [encode(block, self._table, -1) for block in blocks]
        lengths = _concatenate([np.diff(offsets) for _, offsets in parts], np.int64)
        return Sentences(_concatenate([ids for ids, _ in parts], np.int32), offsets_of(lengths))

    def finish(self, keep: NDArray[np.bool_] | None = None) -> tuple[Vocabulary, Sentences]:
        """The vocabulary and everything that was fed, as its ids.

        Where `keep` (one flag per sentence) is false the sentence is left out, and words that
        occur nowhere else do not enter the vocabulary.
        """
        kept = self.sentences if keep is None else self.sentences.select(keep)
        n_reserved = len(RESERVED)
        counts = _count(kept.ids, len(self._table))[n_reserved:]
        order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)] + n_reserved
        new_id = np.zeros(len(self._table), np.int32)  # reserved words in the text: unknown
        new_id[order] = np.arange(n_reserved, n_reserved + len(order), dtype=np.int32)
        vocabulary = Vocabulary([self._table.word(id) for id in order.tolist()])
        return vocabulary, Sentences(new_id[kept.ids], kept.offsets)


def _count(ids: Ids, n_ids: int) -> NDArray[np.int64]:
    """How often each id occurs; in pieces, as numpy would widen all ids to 64 bits at once."""
    counts = np.zeros(n_ids, np.int64)
    for begin in range(0, len(ids), _COUNT_AT_ONCE):
        counts += np.bincount(ids[begin : begin + _COUNT_AT_ONCE], minlength=n_ids)
    return counts


def _concatenate(parts: list[np.ndarray], dtype: type) -> np.ndarray:
    return np.concatenate(parts) if parts else np.empty(0, dtype)

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int32]
Offsets = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Sentences:
    """One side of a corpus as word ids: sentence i is `ids[offsets[i]:offsets[i + 1]]`.

    Two arrays for any number of sentences, so that a corpus crosses to the core without a copy and
    maps from disk without a load.
    """

    ids: Ids
    """All words, int32, one sentence after the other."""
    offsets: Offsets
    """Where each sentence begins, int64, and one last entry: the number of words."""

    @classmethod
    def from_lists(cls, sentences: Iterable[Iterable[int]]) -> Sentences:
        """The sentences given as lists of ids."""
        rows = [np.fromiter(sentence, np.int32) for sentence in sentences]
        ids = np.concatenate(rows) if rows else np.empty(0, np.int32)
        return cls(ids, offsets_of([len(row) for row in rows]))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"<Sentences: {len(self):,} sentences, {self.n_words:,} words>"

    def __getitem__(self, index: int) -> Ids:
        if not 0 <= index < len(self):
            raise IndexError(f"sentence {index} of {len(self)}")
        return self.ids[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[Ids]:
        return (self[index] for index in range(len(self)))

    @property
    def n_words(self) -> int:
        """The number of running words."""
        return len(self.ids)

    @property
    def n_bytes(self) -> int:
        """The memory that it takes."""
        return self.ids.nbytes + self.offsets.nbytes

    @property
    def lengths(self) -> NDArray[np.int64]:
        """The number of words of every sentence."""
        return np.diff(self.offsets)

    def part(self, first: int, last: int) -> Sentences:
        """The sentences first..last; their words are a view."""
        offsets = self.offsets[first : last + 1]
        return Sentences(self.ids[offsets[0] : offsets[-1]], offsets - offsets[0])

    def select(self, keep: NDArray[np.bool_]) -> Sentences:
        """The sentences where `keep` (one flag per sentence) is true, in the same order."""
        if keep.all():
            return self
        lengths = self.lengths
        return Sentences(self.ids[np.repeat(keep, lengths)], offsets_of(lengths[keep]))


def part_of(source: Sentences, target: Sentences, first: int, last: int) -> dict[str, NDArray[Any]]:
    """The sentence pairs first..last as arrays by name, in the order that the core takes them."""
    one, other = source.part(first, last), target.part(first, last)
    return {
        "source": one.ids,
        "source_offsets": one.offsets,
        "target": other.ids,
        "target_offsets": other.offsets,
    }


def offsets_of(lengths: NDArray[np.int64] | list[int]) -> Offsets:
    """Where rows of these lengths begin when they lie one after the other, and where they end."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets

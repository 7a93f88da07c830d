from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.text import Sentences, offsets_of

Links = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Alignments:
    """The links of a bitext: those of sentence i are `links[offsets[i]:offsets[i + 1]]`."""

    links: Links
    """Pairs (source position, target position), int32, shape (n, 2); positions count from 0.
    Within a sentence they are sorted by source, then target, and none comes twice."""
    offsets: NDArray[np.int64]
    """Where the links of each sentence begin, int64, and one last entry: the number of links."""

    @classmethod
    def from_lists(cls, sentences: Iterable[Iterable[tuple[int, int]]]) -> Alignments:
        """The alignments given as (source, target) pairs per sentence, in any order."""
        rows = [sorted(set(links)) for links in sentences]
        flat = [link for row in rows for link in row]
        links = np.array(flat, np.int32).reshape(-1, 2)
        return cls(links, offsets_of([len(row) for row in rows]))

    @classmethod
    def stacked(cls, sets: Sequence[Alignments]) -> Alignments:
        """Several sets of links of one bitext, one after the other."""
        lengths = [np.diff(each.offsets) for each in sets]
        links = np.concatenate([each.links for each in sets])
        return cls(links, offsets_of(np.concatenate(lengths)))

    def unstacked(self, n_sentences: int) -> list[Alignments]:
        """The sets that `stacked` put together, of a bitext of so many sentences."""
        firsts = range(0, len(self), n_sentences) if n_sentences else ()
        return [self.part(first, first + n_sentences) for first in firsts]

    def part(self, first: int, last: int) -> Alignments:
        """The alignments first..last; their links are a view."""
        offsets = self.offsets[first : last + 1]
        return Alignments(self.links[offsets[0] : offsets[-1]], offsets - offsets[0])

    def of(self, source: Sentences, target: Sentences) -> _core.AlignedCorpus:
        """The two sides and their links as the core counts in them."""
        text = source.ids, source.offsets, target.ids, target.offsets
        return _core.AlignedCorpus(*text, self.links, self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Links:
        if not 0 <= index < len(self):
            raise IndexError(f"alignment {index} of {len(self)}")
        return self.links[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[Links]:
        return (self[index] for index in range(len(self)))

    def select(self, keep: NDArray[np.bool_]) -> Alignments:
        """The alignments where `keep` (one flag per sentence) is true, in the same order."""
        lengths = np.diff(self.offsets)
        return Alignments(self.links[np.repeat(keep, lengths)], offsets_of(lengths[keep]))

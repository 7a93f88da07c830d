from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.errors import ModelError
from calque.text.mapped import check_finite, check_ids, check_offsets, pieces

Prefixes: TypeAlias = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]
"""Symbols, first children and phrases of the nodes of a trie (core/blocks/prefix_index.h)."""
Arrays: TypeAlias = dict[str, NDArray[Any]]
LONGEST = 255
"""Words of a phrase, at most."""
WIDTHS = {"scores": 4, "orientation": 6, "links": 2}
"""Arrays with rows of fixed width; all others are vectors."""
DTYPES = {
    **dict.fromkeys(("source_offsets", "block_offsets", "target_offsets", "link_offsets"), "int64"),
    **dict.fromkeys(("scores", "orientation"), "float32"),
    "links": "uint8",
}
"""The types of arrays that are not int32."""
PREFIXES = ("prefix_symbols", "prefix_children", "prefix_phrases")
"""The arrays that only a table of rules has."""


def _nothing() -> NDArray[np.int32]:
    return np.empty(0, np.int32)


@dataclass(frozen=True, eq=False)
class BlockTable:
    """Phrase pairs ("blocks") with counts and scores, as arrays that map from disk without a copy.

    Source phrases are sorted by (length, word ids) and so are target phrases. The blocks of one
    source phrase are contiguous, best first: by the sum of their four scores, ties by target
    phrase. Probabilities are natural logs.

    A block with gaps is a rule: `FIRST_GAP` and `SECOND_GAP` stand among its words. Tables of rules
    have no orientations, but an index of every prefix of their source sides.

    A table read from Moses may lack counts and orientations: those arrays are then empty (no
    rows).
    """

    source_words: NDArray[np.int32]
    """The words of all source phrases, one phrase after the other."""
    source_offsets: NDArray[np.int64]
    """Where each source phrase begins in `source_words`, and one last entry."""
    source_counts: NDArray[np.int32]
    """N(s): occurrences of the source phrase in all extracted blocks, pruned ones included."""
    block_offsets: NDArray[np.int64]
    """Where the blocks of each source phrase begin, and one last entry: the number of blocks."""
    target_words: NDArray[np.int32]
    target_offsets: NDArray[np.int64]
    target_counts: NDArray[np.int32]
    """N(t), likewise before pruning."""
    target_phrase: NDArray[np.int32]
    """Per block, its target phrase."""
    joint_counts: NDArray[np.int32]
    """N(s,t); 0 marks a block that was made for a source word without extracted blocks."""
    scores: NDArray[np.float32]
    """Four columns: p(s|t), lexical weight of s given t, p(t|s), lexical weight of t given s."""
    orientation: NDArray[np.float32]
    """Six columns: monotone, swap, discontinuous to the previous block; then to the next."""
    links: NDArray[np.uint8]
    """Inner alignments: source and target position, counted from the block's own beginning."""
    link_offsets: NDArray[np.int64]
    """Where the links of each block begin, and one last entry."""
    slots: NDArray[np.int32]
    """The hash index of source phrases (open addressing): phrase or -1, part of its hash."""
    prefix_symbols: NDArray[np.int32] = field(default_factory=_nothing)
    """The trie over source sides, in tables of rules: per node the symbol that leads to it."""
    prefix_children: NDArray[np.int32] = field(default_factory=_nothing)
    """Where the children of each node begin, and one last entry."""
    prefix_phrases: NDArray[np.int32] = field(default_factory=_nothing)
    """The source phrase that ends at each node, or -1."""

    def __len__(self) -> int:
        return len(self.target_phrase)

    def __repr__(self) -> str:
        return f"<BlockTable: {len(self):,} blocks of {self.n_sources:,} source phrases>"

    def __reduce__(self) -> tuple[Any, ...]:
        return BlockTable.from_arrays, (self.to_arrays(),)

    @property
    def n_sources(self) -> int:
        """The number of source phrases."""
        return len(self.source_offsets) - 1

    @property
    def n_targets(self) -> int:
        """The number of distinct target phrases."""
        return len(self.target_offsets) - 1

    def source(self, index: int) -> NDArray[np.int32]:
        """The words of a source phrase."""
        return self.source_words[self.source_offsets[index] : self.source_offsets[index + 1]]

    def target(self, block: int) -> NDArray[np.int32]:
        """The target words of a block."""
        index = self.target_phrase[block]
        return self.target_words[self.target_offsets[index] : self.target_offsets[index + 1]]

    def inner_links(self, block: int) -> NDArray[np.uint8]:
        """The inner alignment of a block: rows of (source position, target position)."""
        return self.links[self.link_offsets[block] : self.link_offsets[block + 1]]

    def single_words(self) -> dict[int, int]:
        """The source words that have blocks by themselves, and N(s) of each; 1 without counts."""
        # Source phrases are sorted by length: those of one word come first.
        n_singles = int(np.searchsorted(np.diff(self.source_offsets), 1, side="right"))
        has_blocks = np.flatnonzero(np.diff(self.block_offsets[: n_singles + 1]))
        words = self.source_words[:n_singles][has_blocks].tolist()
        counts = self.source_counts[has_blocks].tolist() if len(self.source_counts) else None
        return dict(zip(words, counts or [1] * len(words), strict=True))

    def find(self, words: NDArray[np.int32] | list[int]) -> int:
        """The index of the source phrase with these words, or -1."""
        return self.core.find(np.ascontiguousarray(words, np.int32))

    def blocks(self, source: int) -> range:
        """The blocks of a source phrase, best first."""
        return range(int(self.block_offsets[source]), int(self.block_offsets[source + 1]))

    @cached_property
    def core(self) -> _core.BlockTable:
        """The table as the kernels take it: a view of the same memory."""
        return _core.BlockTable(self.to_arrays())

    @cached_property
    def prefixes(self) -> Prefixes:
        """The trie over source phrases: its three arrays, which a table without is given."""
        if len(self.prefix_symbols):
            return self.prefix_symbols, self.prefix_children, self.prefix_phrases
        return index_prefixes(self.source_words, self.source_offsets)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name: the form on disk."""
        arrays = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: array for name, array in arrays.items() if name not in PREFIXES or len(array)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> BlockTable:
        """The table of these arrays, which are used as they are; `ModelError` where they misfit."""
        names = [field.name for field in fields(cls)]
        has_prefixes = any(name in arrays for name in PREFIXES)
        given = [name for name in names if name not in PREFIXES or has_prefixes]
        for name in given:
            if name not in arrays:
                raise ModelError(f"the block table lacks the array '{name}'")
            _check_form(name, arrays[name])
        table = cls(**{name: arrays[name] for name in given})
        table._check_sizes()
        return table

    def check(self, n_source_words: int, n_target_words: int) -> None:
        """Raise `ModelError` where a number in the arrays leads nowhere; reads all of them.

        Words are those of vocabularies of these sizes.
        """
        for name, size in self._delimited().items():
            check_offsets(f"block table: '{name}'", getattr(self, name), size)
        for side, n_words in (("source", n_source_words), ("target", n_target_words)):
            check_ids(f"block table: '{side}_words'", getattr(self, f"{side}_words"), n_words)
            self._check_lengths(side)
        check_ids("block table: 'target_phrase'", self.target_phrase, self.n_targets)
        slots = self.slots.reshape(-1, 2)[:, 0]
        check_ids("block table: 'slots'", slots, self.n_sources, first=-1)
        if not any((piece < 0).any() for piece in pieces(slots)):
            raise ModelError("block table: 'slots' has no free slot")
        if n_nodes := len(self.prefix_symbols):
            highest = (n_source_words, n_nodes + 1, self.n_sources)
            for name, array, n_ids in zip(PREFIXES, self.prefixes, highest, strict=True):
                check_ids(f"block table: '{name}'", array, n_ids, first=-1)
        check_finite("block table: 'scores'", self.scores)
        check_finite("block table: 'orientation'", self.orientation)

    def _delimited(self) -> dict[str, int]:
        """How many entries each array of offsets has to delimit."""
        return {
            "source_offsets": len(self.source_words),
            "target_offsets": len(self.target_words),
            "block_offsets": len(self),
            "link_offsets": len(self.links),
        }

    def _check_lengths(self, side: str) -> None:
        name = f"{side}_offsets"
        for piece in pieces(getattr(self, name), overlap=1):
            lengths = np.diff(piece)
            if len(lengths) and not 1 <= lengths.min() <= lengths.max() <= LONGEST:
                raise ModelError(
                    f"block table: '{name}' has a phrase of no words or of more than {LONGEST}"
                )

    def _check_sizes(self) -> None:
        """Raise `ModelError` unless the arrays can belong together; reads only their ends."""
        for name, size in self._delimited().items():
            offsets = getattr(self, name)
            if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != size:
                raise ModelError(f"block table: '{name}' does not delimit {size} entries")
        n_slots = len(self.slots) // 2
        if n_slots <= self.n_sources or n_slots & (n_slots - 1):
            raise ModelError("block table: 'slots' is not a hash index of the source phrases")
        n_rows = {
            "block_offsets": (self.n_sources + 1,),
            "link_offsets": (len(self) + 1,),
            "source_counts": (self.n_sources, 0),
            "target_counts": (self.n_targets, 0),
            "scores": (len(self),),
            **dict.fromkeys(("joint_counts", "orientation"), (len(self), 0)),
        }
        if n_nodes := len(self.prefix_symbols):
            n_rows |= {"prefix_children": (n_nodes + 1,), "prefix_phrases": (n_nodes,)}
        for name, allowed in n_rows.items():
            if (n_found := len(getattr(self, name))) not in allowed:
                raise ModelError(f"block table: '{name}' has {n_found} rows, expected {allowed[0]}")


def index_prefixes(words: NDArray[np.int32], offsets: NDArray[np.int64]) -> Prefixes:
    """The trie over source phrases, which are sorted: `BlockTable.prefixes` without the table."""
    if len(offsets) == 1:  # no phrases: a root without children
        return np.array([-1], np.int32), np.array([1, 1], np.int32), np.array([-1], np.int32)
    return _core.index_prefixes(words, offsets)


def _check_form(name: str, array: NDArray[Any]) -> None:
    dtype = DTYPES.get(name, "int32")
    tail = (WIDTHS[name],) if name in WIDTHS else ()
    if array.dtype != dtype or array.shape[1:] != tail or array.ndim != len(tail) + 1:
        shape = f"rows of {tail[0]}" if tail else "one dimension"
        raise ModelError(
            f"block table: '{name}' is {array.dtype} of shape {array.shape}, "
            f"expected {dtype}, {shape}"
        )

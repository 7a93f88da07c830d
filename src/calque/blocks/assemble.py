from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks.scratch import Pieces, Scratch
from calque.blocks.table import WIDTHS, BlockTable


def assemble(
    pieces: Pieces,
    sources: _core.Phrases,
    targets: _core.Phrases,
    target_counts: NDArray[np.uint32],
    scratch: Scratch,
) -> BlockTable:
    """The table of the scored pieces, with target phrases renumbered to those in use."""
    target_ids = pieces.finish("target_ids")
    used = np.zeros(len(targets), bool)
    used[target_ids] = True
    new_index = np.cumsum(used, dtype=np.int32)
    new_index -= 1
    target_phrase = scratch.empty((len(target_ids),), np.int32)
    np.take(new_index, target_ids, out=target_phrase)
    kept = np.flatnonzero(used).astype(np.uint32)
    del new_index, used

    source_words, source_offsets = _lay_out(sources, pieces.finish("source_ids"), scratch)
    target_words, target_offsets = _lay_out(targets, kept, scratch)
    slots = scratch.empty((2 * _core.n_slots(len(source_offsets) - 1),), np.int32)
    _core.index_sources(source_words, source_offsets, slots)
    return BlockTable.from_arrays(
        {
            "source_words": source_words,
            "source_offsets": source_offsets,
            "source_counts": pieces.finish("source_counts"),
            "block_offsets": scratch.offsets_of(pieces.finish("n_blocks")),
            "target_words": target_words,
            "target_offsets": target_offsets,
            "target_counts": target_counts[kept].astype(np.int32),
            "target_phrase": target_phrase,
            "joint_counts": pieces.finish("joint_counts"),
            "link_offsets": scratch.offsets_of(pieces.finish("n_links")),
            "slots": slots,
            **{name: pieces.finish(name).reshape(-1, width) for name, width in WIDTHS.items()},
        }
    )


def _lay_out(
    phrases: _core.Phrases, ids: NDArray[np.uint32], scratch: Scratch
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The words of these phrases and where each begins."""
    offsets = scratch.offsets_of(phrases.lengths(ids))
    words = scratch.empty((int(offsets[-1]),), np.int32)
    phrases.gather(ids, words)
    return words, offsets

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks.table import PREFIXES, WIDTHS, Arrays, BlockTable, index_prefixes
from calque.parallel import Threads
from calque.text.scratch import Pieces, Scratch


def assemble(
    pieces: Pieces,
    sources: _core.Phrases,
    targets: _core.Phrases,
    target_counts: NDArray[np.uint32],
    scratch: Scratch,
    pool: Threads,
    with_gaps: bool,
) -> BlockTable:
    """The table of the scored pieces, with target phrases renumbered to those in use.

    With gaps it has an index of prefixes.
    """
    parts = [
        pool.submit(_block_arrays, pieces, scratch),
        pool.submit(_source_arrays, pieces, sources, scratch, with_gaps),
        pool.submit(_target_arrays, pieces, targets, target_counts, scratch),
    ]
    return BlockTable.from_arrays(
        {name: array for part in parts for name, array in part.result().items()}
    )


def _block_arrays(pieces: Pieces, scratch: Scratch) -> Arrays:
    return {
        "joint_counts": pieces.finish("joint_counts"),
        "link_offsets": scratch.offsets_of(pieces.finish("n_links")),
        **{name: pieces.finish(name).reshape(-1, width) for name, width in WIDTHS.items()},
    }


def _source_arrays(
    pieces: Pieces, sources: _core.Phrases, scratch: Scratch, with_gaps: bool
) -> Arrays:
    words, offsets = _lay_out(sources, pieces.finish("source_ids"), scratch)
    slots = scratch.empty((2 * _core.n_slots(len(offsets) - 1),), np.int32)
    _core.index_sources(words, offsets, slots)
    prefixes = index_prefixes(words, offsets) if with_gaps else ()
    return {
        **{name: scratch.keep(array) for name, array in zip(PREFIXES, prefixes, strict=False)},
        "source_words": words,
        "source_offsets": offsets,
        "source_counts": pieces.finish("source_counts"),
        "block_offsets": scratch.offsets_of(pieces.finish("n_blocks")),
        "slots": slots,
    }


def _target_arrays(
    pieces: Pieces, targets: _core.Phrases, counts: NDArray[np.uint32], scratch: Scratch
) -> Arrays:
    ids = pieces.finish("target_ids")
    used = np.zeros(len(targets), bool)
    used[ids] = True
    new_index = np.cumsum(used, dtype=np.int32)
    new_index -= 1
    phrase = scratch.empty((len(ids),), np.int32)
    np.take(new_index, ids, out=phrase)
    kept = np.flatnonzero(used).astype(np.uint32)
    del new_index, used
    words, offsets = _lay_out(targets, kept, scratch)
    return {
        "target_words": words,
        "target_offsets": offsets,
        "target_counts": counts[kept].astype(np.int32),
        "target_phrase": phrase,
    }


def _lay_out(
    phrases: _core.Phrases, ids: NDArray[np.uint32], scratch: Scratch
) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The words of these phrases and where each begins."""
    offsets = scratch.offsets_of(phrases.lengths(ids))
    words = scratch.empty((int(offsets[-1]),), np.int32)
    phrases.gather(ids, words)
    return words, offsets

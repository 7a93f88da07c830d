"""Lexical weights: how well the source words of a block follow from its target words."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.align import Lexicon
from calque.blocks import BlockTable
from calque.errors import CalqueError
from calque.features.columns import BlockColumn
from calque.parallel import n_workers

FLOOR = 1e-10
"""The least probability of a source word, also where no target word of the block generates it."""


def lexical_column(
    table: BlockTable, lexicon: Lexicon, *, threads: int | None = None
) -> BlockColumn:
    """The lexical weight ln p(S|T) of every block; `lexicon` is p(source word | target word).

    p(S|T) is the product over source words of the mean of p(s|t) over those target words of the
    block that have p(s|t) > 0 (Tillmann and Zhang 2005); the mean is at least `FLOOR`.
    """
    values = _core.lexical_weights(
        table.core, lexicon.offsets, lexicon.words, lexicon.probs, FLOOR, n_workers(threads)
    )
    return BlockColumn(values, math.log(FLOOR))


def single_word_lexicon(
    table: BlockTable,
    counts: NDArray[np.int32] | NDArray[np.int64],
    norm: Literal["source", "target"],
) -> Lexicon:
    """N(s,t) / N(single-word blocks with the same source or target word), as rows per t.

    `counts` has one entry per block. With norm `target` this is p(s|t). Norm `source` is what
    Tillmann and Zhang (2005) print under that name, although it is p(t|s). Raises `CalqueError`
    where a table has no counts.
    """
    if len(counts) != len(table):
        raise CalqueError(
            f"{len(counts):,} counts for {len(table):,} blocks: lexical probabilities from blocks "
            "need one each, and tables from elsewhere may lack them"
        )
    # Source phrases are sorted by length: those of one word come first.
    n_singles = int(np.searchsorted(np.diff(table.source_offsets), 1, side="right"))
    sources = np.repeat(
        table.source_words[:n_singles], np.diff(table.block_offsets[: n_singles + 1])
    )
    blocks = np.arange(len(sources))
    phrase = table.target_phrase[blocks]
    single = (table.target_offsets[phrase + 1] - table.target_offsets[phrase] == 1) & (
        counts[blocks] > 0
    )
    sources, blocks, phrase = sources[single], blocks[single], phrase[single]
    targets = table.target_words[table.target_offsets[phrase]]
    n = counts[blocks].astype(np.float64)
    shared = sources if norm == "source" else targets
    probs = n / np.bincount(shared, weights=n)[shared] if len(n) else n
    order = np.lexsort((sources, targets))
    n_targets = int(targets.max(initial=-1)) + 1
    return Lexicon(
        np.searchsorted(targets[order], np.arange(n_targets + 1)).astype(np.int64),
        sources[order].astype(np.int32),
        probs[order].astype(np.float32),
        np.zeros(0, np.float32),
    )

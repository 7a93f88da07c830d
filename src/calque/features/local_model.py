"""The dense features and block bigrams of the local model (Tillmann and Zhang 2005)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque.blocks import BlockTable
from calque.config.dense import LocalModelOptions
from calque.features.columns import (
    Arrays,
    BlockColumn,
    OrientationColumn,
    checked,
    nested,
    part,
)
from calque.features.events import LEFT, RIGHT, BlockEvents
from calque.features.lexical import lexical_column, single_word_lexicon
from calque.progress import SILENT, Progress
from calque.text import Sentences
from calque.text.mapped import check_ids

UNSEEN = 0.5
"""The count of a block without events, and what is added to the counts of left and right."""


@dataclass(frozen=True, eq=False)
class LocalModelData:
    """The data of the dense set `local-model` (a), (b), (e) and of the block bigrams (f)."""

    counts: NDArray[np.int32]
    """Events per block: left, right, neutral."""
    unigram: BlockColumn
    """(a) as the decoder takes it."""
    orientation: OrientationColumn
    """(b): ln p_R, ln p_L, 0."""
    lexical: BlockColumn
    """(e): ln p(S|T) by words, whose probabilities are counts of single-word blocks in events."""
    bigrams: NDArray[np.int32]
    """(f): rows (previous block, block), sorted."""

    def to_arrays(self) -> Arrays:
        """The arrays by name: the form on disk."""
        return {
            "counts": self.counts,
            "bigrams": self.bigrams,
            **nested(
                unigram=self.unigram.to_arrays(),
                orientation=self.orientation.to_arrays(),
                lexical=self.lexical.to_arrays(),
            ),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> LocalModelData:
        """The data of these arrays; `ModelError` where one is missing or misfits."""
        return cls(
            checked(arrays, "counts", np.int32, None, 3),
            BlockColumn.from_arrays(part(arrays, "unigram")),
            OrientationColumn.from_arrays(part(arrays, "orientation")),
            BlockColumn.from_arrays(part(arrays, "lexical")),
            checked(arrays, "bigrams", np.int32, None, 2),
        )

    def check(self, n_source_words: int, n_blocks: int) -> None:
        """Raise `ModelError` where a number in the arrays leads nowhere; reads all of them."""
        self.unigram.check("unigram")
        self.orientation.check("orientation")
        self.lexical.check("lexical")
        check_ids("features: 'counts'", self.counts, np.iinfo(np.int32).max)
        check_ids("features: 'bigrams'", self.bigrams, n_blocks, first=-1)


def learn_local_model(
    table: BlockTable,
    source: Sentences,
    target: Sentences,
    options: LocalModelOptions | None = None,
    *,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> LocalModelData:
    """The data of the set, learned from the bitext of the table; alignments are not consulted.

    The count of a block is the number of events in which it is the one that follows, neutral ones
    included: a place with several predecessors counts as often. All counts come from events.
    """
    options = options or LocalModelOptions()
    events = BlockEvents(table, source, target, options.events, threads=threads)
    counts = events.count(progress)
    n_following = int(counts[:, [LEFT, RIGHT]].sum(dtype=np.int64))
    bigrams = events.frequent_bigrams(options.bigram_threshold, n_following, progress)
    lexicon = single_word_lexicon(table, counts.sum(axis=1), options.lexical_norm)
    return LocalModelData(
        counts,
        unigram_column(table, counts, per_word=options.unigram_per_word != "none"),
        orientation_column(counts),
        lexical_column(table, lexicon, threads=threads),
        bigrams,
    )


def unigram_column(table: BlockTable, counts: NDArray[np.int32], *, per_word: bool) -> BlockColumn:
    """(a): ln of the share of all events that a block has, divided by its source words or not.

    A block without events counts half an event; so does a copied word.
    """
    n = counts.sum(axis=1, dtype=np.int64)
    total = max(int(n.sum()), 1)
    log_probs = np.log(np.maximum(n, UNSEEN) / total)
    if per_word:
        log_probs /= np.repeat(np.diff(table.source_offsets), np.diff(table.block_offsets))
    return BlockColumn(log_probs.astype(np.float32), math.log(UNSEEN / total))


def orientation_column(counts: NDArray[np.int32]) -> OrientationColumn:
    """(b): ln of the share of right and of left among the two, each count raised by a half."""
    sides = counts[:, [RIGHT, LEFT]] + UNSEEN
    values = np.zeros((len(counts), 3), np.float32)
    values[:, :2] = np.log(sides / sides.sum(axis=1, keepdims=True))
    half = math.log(0.5)
    return OrientationColumn(values, np.array([half, half, 0], np.float32))

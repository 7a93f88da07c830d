"""Orientation events: which blocks follow one another in the bitext, and on which side."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks import BlockTable
from calque.config.dense import EventOptions
from calque.errors import CalqueError
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.text import Sentences

LEFT, RIGHT, NEUTRAL = 0, 1, 2
"""On which side of the previous block a block lies; the columns of counts are in this order."""
SENTENCES_AT_ONCE = 20_000
_MEGABYTE = 1 << 20
_KEY_BYTES = 8


@dataclass(frozen=True, eq=False)
class Events:
    """Events of a stretch of the corpus, one entry each in arrays of equal length.

    By sentence, then by place of the block (source begin, source end, row, target begin), right
    before left, and by place of the previous block.
    """

    previous: NDArray[np.int32]
    """The row of the previous block; -1 where there is none."""
    block: NDArray[np.int32]
    """The row of the block that follows."""
    side: NDArray[np.int8]
    """`LEFT`, `RIGHT` or `NEUTRAL`."""
    sentence: NDArray[np.int32]
    """The sentence pair, counted from the beginning of the corpus."""
    source_begin: NDArray[np.int16]
    """Where the block that follows begins in its source sentence."""
    target_begin: NDArray[np.int16]
    """Where it begins in its target sentence."""

    def __len__(self) -> int:
        return len(self.block)


class BlockEvents:
    """The events of a bitext under a block table (Tillmann and Zhang 2005).

    Every place of every block counts: a source span and a target span with its words, wherever they
    are, whether or not the words are linked and whether or not places overlap. A block follows
    another if it begins where that one ends on the target side and touches it on the source side:
    on its right or on its left. A place that follows none is a neutral event of its own.

    Events are found anew by every call, not stored. Results do not depend on the number of threads.
    """

    def __init__(
        self,
        table: BlockTable,
        source: Sentences,
        target: Sentences,
        options: EventOptions | None = None,
        *,
        threads: int | None = None,
    ) -> None:
        """Index the table; raises `CalqueError` where the sides differ in size."""
        if len(source) != len(target):
            raise CalqueError(
                f"{len(source)} source sentences and {len(target)} target sentences: "
                "expected equal numbers"
            )
        self.options = options or EventOptions()
        self.n_sentences = len(source)
        self._n_blocks = len(table)
        self._threads = n_workers(threads)
        no_links = np.empty((0, 2), np.int32), np.zeros(len(source) + 1, np.int64)
        corpus = _core.AlignedCorpus(
            source.ids, source.offsets, target.ids, target.offsets, *no_links
        )
        self._core = _core.BlockEvents(
            table.core,
            corpus,
            self.options.max_words,
            self.options.max_placements,
            self.options.boundary_block,
        )

    def collect(self, first: int, last: int) -> Events:
        """The events of sentence pairs first..last; 17 bytes each.

        Meant for many sentence pairs at a time: every call takes memory by the size of the table.
        """
        return Events(*self._core.collect(first, last, self._threads))

    def batches(self, n_sentences: int = SENTENCES_AT_ONCE) -> Iterator[Events]:
        """All events in order, those of `n_sentences` sentence pairs at a time."""
        for first in range(0, self.n_sentences, n_sentences):
            yield self.collect(first, min(first + n_sentences, self.n_sentences))

    def count(self, progress: Progress = SILENT) -> NDArray[np.int32]:
        """How often each block follows on the left, on the right, and none: shape (blocks, 3)."""
        counts = np.zeros((self._n_blocks, 3), np.int32)
        with progress.stage("count events", self.n_sentences) as stage:
            for first in range(0, self.n_sentences, SENTENCES_AT_ONCE):
                last = min(first + SENTENCES_AT_ONCE, self.n_sentences)
                self._core.count(first, last, counts, self._threads)
                stage.advance(last - first)
            stage.say(f"{int(counts.sum(dtype=np.int64)):,} events")
        return counts

    def frequent_bigrams(
        self, threshold: int, n_events: int, progress: Progress = SILENT
    ) -> NDArray[np.int32]:
        """Rows (previous block, block) of pairs that follow more often than `threshold`, sorted.

        `n_events` is how many events have a previous block, or more; where they exceed the memory
        of the options, each of several passes counts a share of the pairs.
        """
        # Twice: in the pieces that threads fill, and in one array to be sorted.
        n_parts = 1 + 2 * _KEY_BYTES * n_events // (self.options.memory_mb * _MEGABYTE)
        frequent = []
        with progress.stage("count pairs of blocks", n_parts) as stage:
            for share in range(n_parts):
                frequent.append(self._core.frequent_pairs(threshold, share, n_parts, self._threads))
                stage.advance()
            keys = np.sort(np.concatenate(frequent))
            stage.say(f"{len(keys):,} pairs seen more than {threshold} times")
        halves = np.stack([keys >> np.uint64(32), keys & np.uint64(0xFFFFFFFF)], axis=1)
        return halves.astype(np.int32)

"""From counted blocks to scored, pruned ones."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks.counting import LEAST_RECORDS, BlockCounts, Counted, SortedRun
from calque.blocks.table import Arrays
from calque.config.blocks import BlockOptions
from calque.text.scratch import MEGABYTE

SCORED_BYTES = 128
"""What a record becomes at most when it is scored."""
NO_LIMIT = 2**62
MADE = 1 << 36
"""The last column of a record that stands for no occurrence (core/blocks/record.h)."""


def made_blocks(
    counted: BlockCounts, corpus: _core.AlignedCorpus, links: _core.LinkCounts, min_count: int
) -> SortedRun:
    """A run with one record of count 0 for every source word without a block of `min_count`."""
    sources, targets, of_words = counted.sources, counted.targets, counted.of_words()
    covered = np.zeros(sources.n_words, bool)
    if min_count > 1:
        of_words = [_frequent(list(of_words), min_count)]
    for rows in of_words:
        covered[rows[:, 0] >> np.uint64(32)] = True
    missing = np.flatnonzero(~covered).astype(np.uint32)  # phrase ids of single words
    partner, linked = _core.partners(_single_words(sources, missing), corpus, links)
    has_partner = partner >= 0
    # Phrase ids of single words are the ranks of the words that occur.
    target_words = _single_words(targets, np.arange(targets.n_words, dtype=np.uint32))
    key = missing[has_partner].astype(np.uint64) << np.uint64(32)
    key |= np.searchsorted(target_words, partner[has_partner]).astype(np.uint64)
    return np.stack([key, linked[has_partner].astype(np.uint64), np.full_like(key, MADE)], axis=1)


def _frequent(runs: list[SortedRun], min_count: int) -> SortedRun:
    """One row for every block that occurs so often in all runs together: its phrases."""
    rows = np.concatenate([np.empty((0, 3), np.uint64), *runs])
    keys, which = np.unique(rows[:, 0], return_inverse=True)
    counts = np.bincount(which, rows[:, 2] & np.uint64(0xFFFFFFFF), len(keys))
    return keys[counts >= min_count].reshape(-1, 1)


def _single_words(phrases: _core.Phrases, ids: NDArray[np.uint32]) -> NDArray[np.int32]:
    """The words that are the phrases with these ids, all of one word."""
    words = np.empty(len(ids), np.int32)
    phrases.gather(ids, words)
    return words


def score(
    counted: Counted,
    links: _core.LinkCounts,
    options: BlockOptions,
    oriented: bool,
    sources: tuple[int, int],
) -> Arrays:
    """The blocks of a range of source phrases, scored and pruned."""
    max_targets = NO_LIMIT if options.max_targets is None else options.max_targets
    return _core.score_blocks(
        counted.runs,
        *sources,
        counted.sources,
        counted.targets,
        counted.target_counts,
        links,
        max_targets,
        options.min_count,
        math.log(options.min_prob) if options.min_prob else -math.inf,
        oriented,
    )


def partitions(counted: Counted, workers: int, memory_mb: int) -> list[tuple[int, int]]:
    """Ranges of source ids with about equally many records each."""
    n_records = sum(len(run) for run in counted.runs)
    # Two parts per worker may wait to be taken; together they get half of the memory.
    part_bytes = memory_mb * MEGABYTE // 2 // (2 * workers)
    n_parts = max(2 * workers, n_records // max(LEAST_RECORDS, part_bytes // SCORED_BYTES))
    step = max(1, n_records // (64 * n_parts))
    sample = np.concatenate([run[::step, 0] >> np.uint64(32) for run in counted.runs])
    sample.sort()
    cuts = sample[np.arange(1, n_parts) * len(sample) // n_parts] if len(sample) else sample
    bounds = np.unique([0, *cuts.tolist(), len(counted.sources)])
    return list(pairwise(bounds.tolist())) or [(0, 0)]  # at least one, be it empty

"""From a word-aligned corpus to a block table: number phrases, extract, merge, score.

Work is cut into pieces for threads and for the memory limit. What comes out depends on neither:
occurrences are summed as integers, and every block is scored from its sums alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks.assemble import assemble
from calque.blocks.scratch import MEGABYTE, Pieces, Scratch
from calque.blocks.table import BlockTable
from calque.config.blocks import BlockOptions
from calque.errors import CalqueError
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.text import Sentences

Item = TypeVar("Item")
Result = TypeVar("Result")
SortedRun = NDArray[np.uint64]

SENTENCES_PER_TASK = 50_000
RECORD_BYTES = 24
SCORED_BYTES = 128
"""What a record becomes at most when it is scored."""
LEAST_RECORDS = 1 << 16
"""Records per run however small the memory, so that their number stays small."""
NO_LIMIT = 2**62
MADE = 1 << 36
"""The last column of a record that stands for no occurrence (core/blocks/record.h)."""


def extract(
    source: Sentences,
    target: Sentences,
    links: NDArray[np.int32],
    link_offsets: NDArray[np.int64],
    options: BlockOptions | None = None,
    *,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> BlockTable:
    """The blocks of a word-aligned corpus: all phrase pairs consistent with the links.

    `links` are rows of (source position, target position), sorted within each sentence pair;
    those of pair i are `links[link_offsets[i]:link_offsets[i + 1]]`. There may be several sets of
    links, stacked (`Alignments.stacked`): then a block counts once for each that it is consistent
    with. Scores, inner alignments and orientations are those of Moses.

    Every source word of the corpus has a block of its own. Where extraction finds none that is as
    frequent as `min_count` asks, one is made: to the target word most often linked to it, or, if
    it never was linked, to the word most associated with it (Dice coefficient over sentence
    pairs), without inner link. Such a block has joint count 0 and lexical weights for relative
    frequencies. Only words that never stand beside a target word remain without.

    Same result for every number of threads and every memory limit. Raises `CalqueError` where
    sizes differ or links misfit.
    """
    options = options or BlockOptions()
    workers = n_workers(threads)
    n_sets, rest = divmod(len(link_offsets) - 1, max(1, len(source)))
    if len(source) != len(target) or rest or (len(source) > 0 and n_sets == 0):
        raise CalqueError(
            f"{len(source)} source sentences, {len(target)} target sentences and "
            f"{len(link_offsets) - 1} alignments: expected equal numbers"
        )
    corpus = _core.AlignedCorpus(
        source.ids, source.offsets, target.ids, target.offsets, links, link_offsets
    )
    with Scratch(options.memory_mb) as scratch, ThreadPoolExecutor(workers) as pool:
        counting = pool.submit(_core.LinkCounts, corpus)
        counted = _count(
            corpus, source, target, options.max_words, scratch, pool, workers, progress
        )
        link_counts = counting.result()
        counted.runs.append(_made_blocks(counted, corpus, link_counts, options.min_count))

        score = partial(_score, counted, link_counts, options)
        pieces = Pieces(scratch)
        parts = _partitions(counted, workers, options.memory_mb)
        with progress.stage("score blocks", len(parts)) as stage:
            for piece in _in_order(pool, score, parts, workers):
                pieces.append(piece)
                stage.advance()
            counted.runs.clear()
            table = assemble(
                pieces, counted.sources, counted.targets, counted.target_counts, scratch, pool
            )
            stage.say(f"{len(table):,} blocks of {table.n_sources:,} source phrases")
    return table


@dataclass(frozen=True)
class _Counted:
    """All block occurrences of the corpus, summed into sorted runs."""

    sources: _core.Phrases
    targets: _core.Phrases
    target_counts: NDArray[np.uint32]
    runs: list[SortedRun]
    """Rows of (source and target phrase, inner alignment, orientations and count)."""


def _count(
    corpus: _core.AlignedCorpus,
    source: Sentences,
    target: Sentences,
    max_words: int,
    scratch: Scratch,
    pool: ThreadPoolExecutor,
    workers: int,
    progress: Progress,
) -> _Counted:
    """Number the phrases of both sides and count the blocks between them."""
    with progress.stage("number phrases"):
        sides = [pool.submit(_number, side, max_words, scratch) for side in (source, target)]
        (sources, source_ids), (targets, target_ids) = [side.result() for side in sides]
    target_counts = np.zeros(len(targets), np.uint32)
    # Half of what is left is for sorting records (a growing vector needs twice its size), the
    # other half keeps runs.
    for_sorting = scratch.left // 2
    max_records = max(LEAST_RECORDS, for_sorting // 2 // workers // RECORD_BYTES)
    scratch.left -= for_sorting

    def runs_of(sentences: range) -> list[SortedRun]:
        """The runs of a stretch of the corpus: one, or more where memory is short."""
        first, last = sentences.start, sentences.stop
        runs = []
        while first < last:
            run, first = _core.extract_run(
                corpus, source_ids, target_ids, first, last, max_records, target_counts
            )
            runs.append(scratch.keep(run))
        return runs

    runs: list[SortedRun] = []
    stretches = list(_stretches(len(source), workers))
    with progress.stage("extract blocks", len(source)) as stage:
        results = _in_order(pool, runs_of, stretches, workers)
        for stretch, counted in zip(stretches, results, strict=True):
            runs += counted
            stage.advance(len(stretch))
    scratch.left += for_sorting
    scratch.give_back(source_ids, target_ids)
    return _Counted(sources, targets, target_counts, runs)


def _number(
    side: Sentences, max_words: int, scratch: Scratch
) -> tuple[_core.Phrases, NDArray[np.uint32]]:
    """The phrases of one side, and their ids by length and position."""
    ids = scratch.empty((max_words, len(side.ids)), np.uint32)
    return _core.Phrases(side.ids, side.offsets, max_words, ids), ids


def _made_blocks(
    counted: _Counted, corpus: _core.AlignedCorpus, links: _core.LinkCounts, min_count: int
) -> SortedRun:
    """A run with one record of count 0 for every source word without a block of `min_count`."""
    sources, targets = counted.sources, counted.targets
    ends = [np.searchsorted(run[:, 0], np.uint64(sources.n_words << 32)) for run in counted.runs]
    of_words = [run[:end] for run, end in zip(counted.runs, ends, strict=True)]
    covered = np.zeros(sources.n_words, bool)
    if min_count > 1 and of_words:
        of_words = [_frequent(of_words, min_count)]
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
    rows = np.concatenate(runs)
    keys, which = np.unique(rows[:, 0], return_inverse=True)
    counts = np.bincount(which, rows[:, 2] & np.uint64(0xFFFFFFFF), len(keys))
    return keys[counts >= min_count].reshape(-1, 1)


def _single_words(phrases: _core.Phrases, ids: NDArray[np.uint32]) -> NDArray[np.int32]:
    """The words that are the phrases with these ids, all of one word."""
    words = np.empty(len(ids), np.int32)
    phrases.gather(ids, words)
    return words


def _score(
    counted: _Counted, links: _core.LinkCounts, options: BlockOptions, sources: tuple[int, int]
) -> dict[str, NDArray[Any]]:
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
    )


def _stretches(n: int, workers: int) -> Iterator[range]:
    """The corpus in parts: as many as workers, or more where these would be long."""
    size = max(1, min(-(-n // workers), SENTENCES_PER_TASK))
    return (range(first, min(first + size, n)) for first in range(0, n, size))


def _partitions(counted: _Counted, workers: int, memory_mb: int) -> list[tuple[int, int]]:
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


def _in_order(
    pool: ThreadPoolExecutor,
    work: Callable[[Item], Result],
    items: Iterable[Item],
    workers: int,
) -> Iterator[Result]:
    """The results of `work` in order, from the pool, with a bounded number waiting."""
    items = iter(items)
    waiting = [pool.submit(work, item) for item in islice(items, 2 * workers)]
    while waiting:
        yield waiting.pop(0).result()
        waiting += [pool.submit(work, item) for item in islice(items, 1)]

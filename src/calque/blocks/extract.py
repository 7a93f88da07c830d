"""From a word-aligned corpus to a block table: number phrases, extract, merge, score.

Work is cut into pieces for threads and for the memory limit. What comes out depends on neither:
occurrences are summed as integers, and every block is scored from its sums alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks.scratch import MEGABYTE, Pieces, Scratch
from calque.blocks.table import WIDTHS, BlockTable
from calque.config.blocks import BlockOptions
from calque.errors import CalqueError
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.text import Sentences, offsets_of

Item = TypeVar("Item")
Result = TypeVar("Result")
Run = NDArray[np.uint64]

SENTENCES_PER_TASK = 50_000
RECORDS_PER_TASK = 2_000_000
RECORD_BYTES = 24
NO_LIMIT = 2**62


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
    those of pair i are `links[link_offsets[i]:link_offsets[i + 1]]`. Scores, inner alignments and
    orientations are those of Moses; `lrn_counts` are those of the block papers (R: a block ends
    where this one begins on both sides; L: the same, but on the source side it begins where this
    one ends; N: neither; the beginning of both sentences counts as an end).

    Every source word of the corpus has a block of its own. Where extraction finds none, one is
    made: to the target word most often linked to it, or, if it never was linked, to the word most
    associated with it (Dice coefficient over sentence pairs), without inner link. Such a block has
    joint count 0 and lexical weights for relative frequencies.

    Same result for every number of threads and every memory limit. Raises `CalqueError` where
    sizes differ or links misfit.
    """
    options = options or BlockOptions()
    workers = n_workers(threads)
    if not len(source) == len(target) == len(link_offsets) - 1:
        raise CalqueError(
            f"{len(source)} source sentences, {len(target)} target sentences and "
            f"{len(link_offsets) - 1} alignments: expected equal numbers"
        )
    corpus = _core.AlignedCorpus(
        source.ids, source.offsets, target.ids, target.offsets, links, link_offsets
    )
    with Scratch(options.memory_mb) as scratch, ThreadPoolExecutor(workers) as pool:
        counting = pool.submit(_core.LinkCounts, corpus)
        with progress.stage("number phrases"):
            numbered = [
                pool.submit(_number, side, options.max_words, scratch) for side in (source, target)
            ]
            (sources, source_ids), (targets, target_ids) = [task.result() for task in numbered]
        target_counts = np.zeros(len(targets), np.uint32)

        def runs_of(sentences: range) -> list[Run]:
            """The runs of a stretch of the corpus: one, or more where memory is short."""
            first, runs = sentences.start, []
            while first < sentences.stop:
                run, first = _core.extract_run(
                    corpus,
                    source_ids,
                    target_ids,
                    first,
                    sentences.stop,
                    max_records,
                    target_counts,
                )
                runs.append(scratch.keep(run))
            return runs

        # Half of what is left sorts records, the other half keeps runs.
        max_records = max(1, scratch.left // 2 // workers // RECORD_BYTES)
        scratch.left //= 2
        runs: list[Run] = []
        with progress.stage("extract blocks", len(source)) as stage:
            tasks = list(_stretches(len(source), workers))
            for task, found in zip(tasks, _in_order(pool, runs_of, tasks, workers), strict=True):
                runs += found
                stage.advance(len(task))
        scratch.left += workers * max_records * RECORD_BYTES
        scratch.give_back(source_ids, target_ids)
        del source_ids, target_ids

        link_counts = counting.result()
        runs.append(_made_blocks(runs, corpus, link_counts, sources, targets, source, target))
        max_targets = NO_LIMIT if options.max_targets is None else options.max_targets

        def score(bounds: tuple[int, int]) -> dict[str, NDArray[Any]]:
            return _core.score_blocks(
                runs,
                *bounds,
                sources,
                targets,
                target_counts,
                link_counts,
                max_targets,
                options.min_count,
            )

        pieces = Pieces(scratch)
        parts = _partitions(runs, len(sources), workers)
        with progress.stage("score blocks", len(parts)) as stage:
            for piece in _in_order(pool, score, parts, workers):
                pieces.append(piece)
                stage.advance()
            del runs
            table = _assemble(pieces, sources, targets, target_counts)
            stage.say(f"{len(table):,} blocks of {table.n_sources:,} source phrases")
    return table


def _number(
    side: Sentences, max_words: int, scratch: Scratch
) -> tuple[_core.Phrases, NDArray[np.uint32]]:
    """The phrases of one side, and their ids by length and position."""
    ids = scratch.empty((max_words, len(side.ids)), np.uint32)
    return _core.Phrases(side.ids, side.offsets, max_words, ids), ids


def _stretches(n: int, workers: int) -> Iterator[range]:
    """The corpus in parts: as many as workers, or more where these would be long."""
    size = max(1, min(-(-n // workers), SENTENCES_PER_TASK))
    return (range(first, min(first + size, n)) for first in range(0, n, size))


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


def _made_blocks(
    runs: list[Run],
    corpus: _core.AlignedCorpus,
    links: _core.LinkCounts,
    sources: _core.Phrases,
    targets: _core.Phrases,
    source: Sentences,
    target: Sentences,
) -> Run:
    """A run with one record of count 0 for every source word that no other run has."""
    covered = np.zeros(sources.n_words, bool)
    for run in runs:
        end = np.searchsorted(run[:, 0], np.uint64(sources.n_words << 32))
        covered[run[:end, 0] >> np.uint64(32)] = True
    missing = np.flatnonzero(~covered).astype(np.uint32)  # phrase ids of single words
    words, _ = sources.gather(missing)
    partner, linked = _core.partners(words, corpus, links)
    some = partner >= 0
    # Phrase ids of single words rank the words that occur.
    target_words, _ = targets.gather(np.arange(targets.n_words, dtype=np.uint32))
    key = missing[some].astype(np.uint64) << np.uint64(32)
    key |= np.searchsorted(target_words, partner[some]).astype(np.uint64)
    return np.stack([key, linked[some].astype(np.uint64), np.zeros_like(key)], axis=1)


def _partitions(runs: list[Run], n_sources: int, workers: int) -> list[tuple[int, int]]:
    """Ranges of source ids with about equally many records each."""
    n_records = sum(len(run) for run in runs)
    n_parts = max(2 * workers, n_records // RECORDS_PER_TASK)
    step = max(1, n_records // (64 * n_parts))
    sample = np.sort(np.concatenate([run[::step, 0] >> np.uint64(32) for run in runs]))
    cuts = sample[np.linspace(0, len(sample), n_parts, endpoint=False).astype(int)[1:]]
    bounds = np.unique(np.concatenate([[0], cuts.astype(np.int64), [n_sources]])).tolist()
    return list(zip(bounds[:-1], bounds[1:], strict=True))


def _assemble(
    pieces: Pieces,
    sources: _core.Phrases,
    targets: _core.Phrases,
    target_counts: NDArray[np.uint32],
) -> BlockTable:
    """The table of the scored pieces, with target phrases renumbered to those in use."""
    target_ids = pieces.finish("target_ids")
    used = np.zeros(len(targets), bool)
    used[target_ids] = True
    kept = np.flatnonzero(used).astype(np.uint32)
    new_index = np.cumsum(used, dtype=np.int32)
    new_index -= 1
    target_phrase = new_index[target_ids]
    del new_index, target_ids, used
    source_words, source_offsets = sources.gather(pieces.finish("source_ids"))
    target_words, target_offsets = targets.gather(kept)
    rows = {
        name: pieces.finish(name).reshape(-1, WIDTHS.get(name, 1))
        for name in ("scores", "orientation", "orientation_counts", "lrn_counts", "links")
    }
    return BlockTable.from_arrays(
        {
            "source_words": source_words,
            "source_offsets": source_offsets,
            "source_counts": pieces.finish("source_counts"),
            "block_offsets": offsets_of(pieces.finish("n_blocks")),
            "target_words": target_words,
            "target_offsets": target_offsets,
            "target_counts": target_counts[kept].astype(np.int32),
            "target_phrase": target_phrase,
            "joint_counts": pieces.finish("joint_counts"),
            "link_offsets": offsets_of(pieces.finish("n_links")),
            "slots": _core.index_sources(source_words, source_offsets),
            **rows,
        }
    )

"""From a word-aligned corpus to a block table: number phrases, extract, merge, score.

Work is cut into pieces for threads and for the memory limit. What comes out depends on neither:
occurrences are summed as integers, and every block is scored from its sums alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.align import Alignments
from calque.blocks.assemble import assemble
from calque.blocks.counting import Counted, Work, count_blocks
from calque.blocks.on_cluster import AlignedText, count_on_cluster
from calque.blocks.rules import count_rules
from calque.blocks.scoring import made_blocks, partitions, score
from calque.blocks.stored_counts import StoredCounts
from calque.blocks.table import Arrays, BlockTable
from calque.config.blocks import BlockOptions
from calque.errors import CalqueError
from calque.parallel import Threads, left_mb, n_workers
from calque.progress import SILENT, Progress
from calque.text import Sentences
from calque.text.scratch import MEGABYTE, Pieces, Scratch
from calque.text.shared_folder import Cluster

PHRASE_BYTES = 16
"""What the phrases of a running word take while blocks are counted, beside their limit."""


def within(options: BlockOptions, limit_mb: int | None, n_words: int) -> BlockOptions:
    """The options with the memory that a limit on all own memory leaves for blocks.

    It is half of what is left, for the table stays where it is while later steps need memory, too.
    `n_words` are the running words of both sides.
    """
    left = left_mb(limit_mb, 2 * options.memory_mb, n_words * PHRASE_BYTES / MEGABYTE)
    return replace(options, memory_mb=max(1, left // 2))


def extract(
    source: Sentences,
    target: Sentences,
    links: NDArray[np.int32],
    link_offsets: NDArray[np.int64],
    options: BlockOptions | None = None,
    *,
    with_gaps: bool = False,
    threads: int | None = None,
    cluster: Cluster | None = None,
    progress: Progress = SILENT,
) -> BlockTable:
    """The blocks of a word-aligned corpus: all phrase pairs consistent with the links.

    `links` are rows of (source position, target position), sorted within each sentence pair;
    those of pair i are `links[link_offsets[i]:link_offsets[i + 1]]`. There may be several sets of
    links, stacked (`Alignments.stacked`): then a block counts once for each that it is consistent
    with. Scores, inner alignments and orientations are those of Moses.

    With gaps, all rules that `options.rules` allow join them: phrase pairs of which one or two
    smaller ones are cut out. A rule counts once for every place where it stands, that is, for every
    choice of the words that it covers and of those that its gaps cover. Such a table has no
    orientations.

    Every source word of the corpus has a block of its own. Where extraction finds none that is as
    frequent as `min_count` asks, one is made: to the target word most often linked to it, or, if
    it never was linked, to the word most associated with it (Dice coefficient over sentence
    pairs), without inner link. Such a block has joint count 0 and lexical weights for relative
    frequencies. Only words that never stand beside a target word remain without.

    With a `cluster` blocks are counted and scored where its engine runs tasks.

    Same result everywhere, for every number of threads and every memory limit. Raises
    `CalqueError` where sizes differ or links misfit.
    """
    options = options or BlockOptions()
    workers = n_workers(threads)
    n_sets, rest = divmod(len(link_offsets) - 1, max(1, len(source)))
    if len(source) != len(target) or rest or (len(source) > 0 and n_sets == 0):
        raise CalqueError(
            f"{len(source)} source sentences, {len(target)} target sentences and "
            f"{len(link_offsets) - 1} alignments: expected equal numbers"
        )
    alignments = Alignments(links, link_offsets)
    corpus = alignments.of(source, target)
    with Scratch(options.memory_mb) as scratch, Threads(workers) as pool:
        counting = pool.submit(_core.LinkCounts, corpus)
        work = Work(scratch, pool, workers, progress)
        counted: Counted | StoredCounts
        if cluster is not None and len(source) > 0:
            text = AlignedText(source, target, alignments.unstacked(len(source)))
            counted = count_on_cluster(cluster, text, options, with_gaps, work)
        elif with_gaps:
            counted = count_rules(corpus, source, target, options, work)
        else:
            counted = count_blocks(corpus, source, target, options.max_words, work)
        link_counts = counting.result()
        counted.add(made_blocks(counted, corpus, link_counts, options.min_count))

        pieces = Pieces(scratch)
        n_parts, scored = _scored(counted, link_counts, options, not with_gaps, work)
        with progress.stage("score blocks", n_parts) as stage:
            for piece in scored:
                pieces.append(piece)
                stage.advance()
            counted.clear()
            table = assemble(
                pieces,
                counted.sources,
                counted.targets,
                counted.target_counts,
                scratch,
                pool,
                with_gaps,
            )
            stage.say(f"{len(table):,} blocks of {table.n_sources:,} source phrases")
    return table


def _scored(
    counted: Counted | StoredCounts,
    links: _core.LinkCounts,
    options: BlockOptions,
    oriented: bool,
    work: Work,
) -> tuple[int, Iterator[Arrays]]:
    """In how many pieces all blocks are scored, and these."""
    if isinstance(counted, StoredCounts):
        return counted.n_ranges, counted.scored(links, options, oriented)
    parts = partitions(counted, work.workers, options.memory_mb)
    return len(parts), work.in_order(partial(score, counted, links, options, oriented), parts)

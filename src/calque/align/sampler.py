"""Our second aligner: links drawn by Gibbs sampling, in both directions (Östling & Tiedemann 2016).

Sampling leaves the links of EM where these are a local optimum, and a word's fertility keeps rare
words from collecting what nothing else explains.
"""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque._core import LinkSampler, WordPairs, best_links, pair_arrays
from calque.align.alignments import Alignments
from calque.align.pharaoh import check_sides
from calque.align.symmetrize import links_to_source, links_to_target
from calque.align.too_long import warn_of_long
from calque.config.align import AlignOptions
from calque.progress import SILENT, Progress, Stage
from calque.text import Sentences
from calque.text.shared_folder import Cluster, SharedFolder, StoredArray

Positions: TypeAlias = NDArray[np.int32]
"""For every word of the generated side the position that it most probably comes from, or -1."""
Directions: TypeAlias = tuple[Positions, Positions]
"""Of target words and of source words."""


def sampler_links(
    source: Sentences,
    target: Sentences,
    options: AlignOptions,
    threads: int,
    progress: Progress = SILENT,
    cluster: Cluster | None = None,
) -> tuple[Alignments, Alignments]:
    """The most probable links forward and in reverse, both as (source, target).

    The probability of a link is the mean over the last sweeps of all chains. The result depends on
    the seed, but neither on the number of threads nor on a `cluster`, where each chain is a task.
    Time grows with the sum over sentence pairs of (source length * target length), times chains
    and sweeps; memory: per distinct pair of words that share a sentence pair, 4 bytes and 4 more
    per chain, and 8 per pair of running words that do. Sentence pairs with a side of more than
    `options.max_words` words stay without links.
    """
    check_sides(source, target)
    warn_of_long(source, target, options.max_words, progress)
    draw = _drawn_here if cluster is None else partial(_drawn_on, cluster)
    to_source, to_target = draw(source, target, options, threads, progress)
    return links_to_source(to_source, target), links_to_target(to_target, source)


def _drawn_here(
    source: Sentences, target: Sentences, options: AlignOptions, threads: int, progress: Progress
) -> Directions:
    chosen = options.sampler
    n_sweeps = chosen.model1_sweeps + chosen.hmm_sweeps + chosen.fertility_sweeps
    with progress.stage("sample links", 2 * n_sweeps) as stage:
        sides = source.ids, source.offsets, target.ids, target.offsets
        pairs = WordPairs(*sides, max_words=options.max_words, threads=threads)

        def best(reverse: bool) -> Positions:
            every = range(chosen.chains)
            return _swept(pairs, options, every, threads, reverse, stage).best_links()

        return best(False), best(True)


def _drawn_on(
    cluster: Cluster,
    source: Sentences,
    target: Sentences,
    options: AlignOptions,
    threads: int,
    progress: Progress,
) -> Directions:
    """The same, but every chain of each direction is a task: they do not know of each other."""
    folder, chosen = cluster.folder, options.sampler
    sides = source.ids, source.offsets, target.ids, target.offsets
    n_recorded = chosen.chains * min(chosen.averaged_sweeps, chosen.fertility_sweeps)
    with progress.stage("sample links", 2 * chosen.chains) as stage:
        arrays = pair_arrays(*sides, max_words=options.max_words, threads=threads)
        text = tuple(folder.store(array) for array in (*sides, *arrays))
        pairs = _stored_pairs(folder, text, options)
        task = partial(_marginals, folder, text, options, cluster.engine.threads_per_task)
        chains = [(reverse, at) for reverse in (False, True) for at in range(chosen.chains)]
        found = cluster.engine.ordered_map(task, chains)

        def best(reverse: bool) -> Positions:
            sums = np.zeros(len(arrays[-1]), np.uint32)
            for _ in range(chosen.chains):
                marginals = next(found)
                sums += folder.map(marginals)
                folder.remove(marginals)
                stage.advance()
            return best_links(pairs, reverse, sums, n_recorded)

        both = best(False), best(True)
        folder.remove(*text)
        return both


def _marginals(
    folder: SharedFolder,
    text: tuple[StoredArray, ...],
    options: AlignOptions,
    threads: int,
    chain: tuple[bool, int],
) -> StoredArray:
    """The task of an engine: what all sweeps of a chain in one direction recorded."""
    reverse, number = chain
    pairs = _stored_pairs(folder, text, options)
    sampler = _swept(pairs, options, range(number, number + 1), threads, reverse)
    return folder.store(sampler.take_marginals())


def _stored_pairs(
    folder: SharedFolder, text: tuple[StoredArray, ...], options: AlignOptions
) -> WordPairs:
    """A bitext and its table of word pairs, mapped."""
    source, source_offsets, target, target_offsets, rows, targets, cells = map(folder.map, text)
    sides = source, source_offsets, target, target_offsets
    pairs = rows, targets, cells
    return WordPairs(*sides, max_words=options.max_words, threads=1, pairs=pairs)


def _swept(
    pairs: WordPairs,
    options: AlignOptions,
    chains: range,
    threads: int,
    reverse: bool,
    stage: Stage | None = None,
) -> LinkSampler:
    """The sampler of some chains in one direction after all sweeps."""
    chosen = options.sampler
    sampler = LinkSampler(
        pairs,
        reverse=reverse,
        null_prob=options.null_prob,
        lexical_prior=chosen.lexical_prior,
        null_prior=chosen.null_prior,
        jump_prior=chosen.jump_prior,
        fertility_prior=chosen.fertility_prior,
        jump_width=options.jump_width,
        chains=len(chains),
        first_chain=chains.start,
        batch=0,
        seed=chosen.seed,
    )
    for kind, n_sweeps, n_recorded in (
        ("model1", chosen.model1_sweeps, 0),
        ("hmm", chosen.hmm_sweeps, 0),
        ("fertility", chosen.fertility_sweeps, chosen.averaged_sweeps),
    ):
        for left in range(n_sweeps, 0, -1):
            sampler.sweep(kind, left <= n_recorded, threads)
            if stage is not None:
                stage.advance()
    return sampler

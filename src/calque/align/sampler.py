"""Our second aligner: links drawn by Gibbs sampling, in both directions (Östling & Tiedemann 2016).

Sampling leaves the links of EM where these are a local optimum, and a word's fertility keeps rare
words from collecting what nothing else explains.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque._core import LinkSampler, WordPairs
from calque.align.alignments import Alignments
from calque.align.pharaoh import check_sides
from calque.align.symmetrize import links_to_source, links_to_target
from calque.align.too_long import warn_of_long
from calque.config.align import AlignOptions
from calque.progress import SILENT, Progress, Stage
from calque.text import Sentences


def sampler_links(
    source: Sentences,
    target: Sentences,
    options: AlignOptions,
    threads: int,
    progress: Progress = SILENT,
) -> tuple[Alignments, Alignments]:
    """The most probable links forward and in reverse, both as (source, target).

    The probability of a link is the mean over the last sweeps of all chains. The result depends on
    the seed, but not on the number of threads. Time grows with the sum over sentence pairs of
    (source length * target length), times chains and sweeps; memory: per distinct pair of words
    that share a sentence pair, 4 bytes and 4 more per chain, and 8 per pair of running words that
    do. Sentence pairs with a side of more than `options.max_words` words stay without links.
    """
    check_sides(source, target)
    warn_of_long(source, target, options.max_words, progress)
    sampler = options.sampler
    n_sweeps = sampler.model1_sweeps + sampler.hmm_sweeps + sampler.fertility_sweeps
    with progress.stage("sample links", 2 * n_sweeps) as stage:
        pairs = WordPairs(
            source.ids,
            source.offsets,
            target.ids,
            target.offsets,
            max_words=options.max_words,
            threads=threads,
        )
        to_source = _sampled(pairs, options, threads, stage, reverse=False)
        to_target = _sampled(pairs, options, threads, stage, reverse=True)
    return links_to_source(to_source, target), links_to_target(to_target, source)


def _sampled(
    pairs: WordPairs, options: AlignOptions, threads: int, stage: Stage, *, reverse: bool
) -> NDArray[np.int32]:
    """For every word of the generated side the position that it most probably comes from, or -1."""
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
        chains=chosen.chains,
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
            stage.advance()
    return sampler.best_links()

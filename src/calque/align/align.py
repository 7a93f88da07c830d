from __future__ import annotations

from dataclasses import replace

from calque.align.alignments import Alignments
from calque.align.eflomal import run_eflomal
from calque.align.hmm import hmm_links
from calque.align.sampler import sampler_links
from calque.align.symmetrize import symmetrize
from calque.config.align import AlignOptions
from calque.progress import SILENT, Progress
from calque.text import Sentences
from calque.text.shared_folder import Cluster


def align(
    source: Sentences,
    target: Sentences,
    options: AlignOptions,
    threads: int,
    progress: Progress = SILENT,
) -> Alignments:
    """The symmetrised word alignments of a bitext: the first set of `align_sets`."""
    first = replace(options, aligner=options.aligners[0], symmetrization=options.symmetrizations[0])
    return align_sets(source, target, first, threads, progress)[0]


def align_sets(
    source: Sentences,
    target: Sentences,
    options: AlignOptions,
    threads: int,
    progress: Progress = SILENT,
    cluster: Cluster | None = None,
) -> list[Alignments]:
    """The symmetrised word alignments of a bitext, learned from it alone.

    A set of links for each aligner and each way to symmetrise, in the order of the options. With a
    `cluster`, the HMM aligner counts and the sampler draws where its engine runs tasks; links are
    the same.
    """
    sets = []
    for aligner in options.aligners:
        if aligner == "eflomal":
            with progress.stage("align with eflomal"):
                forward, reverse = run_eflomal(source, target)
        elif aligner == "sampler":
            forward, reverse = sampler_links(source, target, options, threads, progress, cluster)
        else:
            forward, reverse = hmm_links(source, target, options, threads, progress, cluster)
        sets += [
            symmetrize(forward, reverse, source, target, method)
            for method in options.symmetrizations
        ]
    return sets

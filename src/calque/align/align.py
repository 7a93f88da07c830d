from __future__ import annotations

from calque.align.alignments import Alignments
from calque.align.eflomal import run_eflomal
from calque.align.hmm import hmm_links
from calque.align.symmetrize import symmetrize
from calque.config.align import AlignOptions
from calque.progress import SILENT, Progress
from calque.text import Sentences


def align(
    source: Sentences,
    target: Sentences,
    options: AlignOptions,
    threads: int,
    progress: Progress = SILENT,
) -> Alignments:
    """The symmetrised word alignments of a bitext, learned from it alone."""
    if options.aligner == "eflomal":
        with progress.stage("align with eflomal"):
            forward, reverse = run_eflomal(source, target)
    else:
        forward, reverse = hmm_links(source, target, options, threads, progress)
    return symmetrize(forward, reverse, source, target, options.symmetrization)

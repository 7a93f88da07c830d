from __future__ import annotations

from calque.align.alignments import Alignments
from calque.align.eflomal import run_eflomal
from calque.align.hmm import train_hmm
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
        model = train_hmm(source, target, options, threads, progress)
        forward, reverse = model.forward_links, model.reverse_links
    return symmetrize(forward, reverse, source, target, options.symmetrization)

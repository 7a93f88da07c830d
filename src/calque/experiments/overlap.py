"""The part of a training text that a test text has something in common with."""

from __future__ import annotations

from pathlib import Path

from calque.config import CleanOptions
from calque.experiments.corpus import Corpus, Text
from calque.text import BitextFiles, read_bitext, write_lines

TIMES = 1
"""Every sequence of words of the test text stays in so many training pairs, if there are any."""


def overlapping(corpus: Corpus, share: float, folder: Path) -> Text:
    """Training pairs that keep every source phrase of the test text, or a share of these pairs.

    Tillmann & Zhang learn weights on pairs sampled so, and not on all. The share is spread evenly;
    the files are written to `folder`.
    """
    train = corpus.train
    bitext = read_bitext(
        BitextFiles(train.source, train.references[0]),
        options=CleanOptions(overlap_times=TIMES),
        overlap=corpus.test.source,
    )
    lines = bitext.lines.tolist()
    n_kept = max(1, round(share * len(lines)))
    chosen = [lines[place * len(lines) // n_kept] for place in range(n_kept)]
    folder.mkdir(parents=True, exist_ok=True)
    sides = {"source": train.sentences, "target": train.reference_lines[0]}
    paths = {side: folder / f"{train.digest[:8]}.{n_kept}.{side}" for side in sides}
    for side, texts in sides.items():
        write_lines(paths[side], (texts[line] for line in chosen))
    return Text("train", paths["source"], (paths["target"],))

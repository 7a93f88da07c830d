"""Parallel text on disk to a bitext of word ids."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calque.config import CleanOptions
from calque.errors import FileError
from calque.parallel import Engine
from calque.progress import SILENT, Progress
from calque.text.bitext import BitextSource, size_of
from calque.text.clean import CleaningReport, clean
from calque.text.files import read_blocks
from calque.text.pipeline import Preprocessor
from calque.text.sentences import Sentences
from calque.text.vocabulary import CorpusEncoder, Vocabulary


@dataclass(frozen=True, eq=False)
class Bitext:
    """A parallel corpus as word ids: `source[i]` and `target[i]` are translations."""

    source: Sentences
    target: Sentences
    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    cleaning: CleaningReport
    lines: NDArray[np.int64]
    """The line of the text that each pair stood on, from 0."""

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        words = f"{self.source.n_words:,} and {self.target.n_words:,} words"
        return f"<Bitext: {len(self):,} sentence pairs, {words}>"


def read_bitext(
    text: BitextSource,
    preprocessor: Preprocessor | None = None,
    options: CleanOptions | None = None,
    *,
    overlap: Path | None = None,
    workers: int = 1,
    progress: Progress = SILENT,
    engine: Engine | None = None,
) -> Bitext:
    """The bitext of parallel text, prepared, cleaned and encoded.

    Without a `preprocessor` lines are only normalised. `overlap` is a file of source sentences (a
    test set) that every kept pair shares a substring with. The vocabularies hold the words of
    kept pairs and nothing else. `workers` processes tokenise, or those of an engine; the result
    never depends on them.
    """
    preprocessor = preprocessor or Preprocessor()
    source, target = CorpusEncoder(), CorpusEncoder()
    with progress.stage("read", size_of(text)) as stage:
        for source_block, target_block in preprocessor.pairs(text.blocks(stage), workers, engine):
            source.feed(source_block)
            target.feed(target_block)
        test = None
        if overlap is not None:
            test = source.encode(map(preprocessor.source, read_blocks(overlap)))
        keep, report = clean(source.sentences, target.sentences, options or CleanOptions(), test)
        stage.say(str(report))
    if not keep.any():
        name = text.paths[0] if text.paths else "source"
        raise FileError(name, f"no sentence pair is left to learn from: {report}")
    source_vocabulary, source_sentences = source.finish(keep)
    del source  # its ids are as large as the result
    target_vocabulary, target_sentences = target.finish(keep)
    return Bitext(
        source=source_sentences,
        target=target_sentences,
        source_vocabulary=source_vocabulary,
        target_vocabulary=target_vocabulary,
        cleaning=report,
        lines=np.flatnonzero(keep),
    )

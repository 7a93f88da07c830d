"""Word links of text that a model has learned from, and of new text with its help."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from calque.align import Alignments, align
from calque.config import AlignOptions
from calque.errors import ModelError
from calque.model.kept_bitext import KeptBitext
from calque.model.model import Model
from calque.progress import SILENT, Progress
from calque.text import BitextSource, CorpusEncoder, Preprocessor, Sentences, Vocabulary


@dataclass(frozen=True, eq=False)
class LinkedText:
    """Sentence pairs with their word links."""

    source: Sentences
    target: Sentences
    alignments: Alignments


def align_text(
    text: BitextSource,
    options: AlignOptions,
    model: Model | None = None,
    *,
    threads: int,
    progress: Progress = SILENT,
) -> LinkedText:
    """The text, a pair per line, with the links that the aligner finds.

    The aligner learns from the text itself; with a model also from the sentence pairs that this
    keeps, which come first, and in words as the model prepares them. Nothing else need be stored
    for it. Raises `ModelError` where a model keeps no sentence pairs.
    """
    preprocessor = Preprocessor() if model is None else model.preprocessor
    encoders = CorpusEncoder(), CorpusEncoder()
    with progress.stage("read") as stage:
        for block in preprocessor.pairs(text.blocks(), threads):
            for encoder, lines in zip(encoders, block, strict=True):
                encoder.feed(lines)
        (source_words, source), (target_words, target) = (side.finish() for side in encoders)
        stage.say(f"{len(source):,} sentence pairs")
    if model is None:
        return LinkedText(source, target, align(source, target, options, threads, progress))
    kept = kept_bitext(model)
    links = align(
        _joined(kept.source, model.source_vocabulary, source, source_words),
        _joined(kept.target, model.target_vocabulary, target, target_words),
        options,
        threads,
        progress,
    )
    is_new = np.arange(len(links)) >= len(kept)
    return LinkedText(source, target, links.select(is_new))


def kept_bitext(model: Model) -> KeptBitext:
    """The sentence pairs that a model was learned from; `ModelError` where it keeps none."""
    if model.bitext is None:
        raise ModelError(
            "the model does not keep the sentence pairs that it was learned from: train it with a"
            " larger keep_bitext_mb"
        )
    return model.bitext


def _joined(
    before: Sentences, vocabulary: Vocabulary, new: Sentences, words: Vocabulary
) -> Sentences:
    """Sentences of a model and new ones in the ids of the model; new words come behind."""
    ids = np.array([vocabulary.id(word) for word in words], np.int32)
    is_new = np.array([word not in vocabulary for word in words], bool)
    ids[is_new] = np.arange(len(vocabulary), len(vocabulary) + int(is_new.sum()))
    offsets = np.concatenate([before.offsets, new.offsets[1:] + before.offsets[-1]])
    return Sentences(np.concatenate([before.ids, ids[new.ids]]), offsets)

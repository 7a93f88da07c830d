"""The language model of a translator: of the target text, and of more text where there is some."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from calque.config import LmOptions
from calque.errors import FileError
from calque.lm import LanguageModel, estimate, interpolated, mixture_weights, pruned
from calque.progress import SILENT, Progress
from calque.text import (
    RESERVED,
    Bitext,
    CorpusEncoder,
    Preprocessor,
    Sentences,
    Vocabulary,
    read_blocks,
)
from calque.text.files import n_bytes
from calque.text.shared_folder import Cluster

HELD_OUT = 2000
"""Sentences of the target text that weights are tuned on where no other text is given, at most."""
EVERY = 20
"""The share of the target text that is held out for it is at most one of so many."""


def learn_lm(
    bitext: Bitext,
    preprocessor: Preprocessor,
    options: LmOptions,
    *,
    own: LanguageModel | None = None,
    texts: Sequence[Path] = (),
    dev: Path | None = None,
    threads: int = 1,
    cluster: Cluster | None = None,
    progress: Progress = SILENT,
) -> tuple[LanguageModel, list[float]]:
    """The language model, and the weights of what it was interpolated from, the bitext first.

    `own` stands in for the model of the target side of the bitext. Each of the `texts`, which are
    in the target language, becomes a model; all are interpolated with the weights that predict the
    text `dev` best, or else sentences of the bitext that its model does not see meanwhile. With a
    `cluster` n-grams are counted where its engine runs tasks.
    """

    def learned(sentences: Sentences, words: Vocabulary) -> LanguageModel:
        return estimate(sentences, words, options, progress, cluster)

    if not texts:
        lm = own or learned(bitext.target, bitext.target_vocabulary)
        return _pruned(lm, options, progress), [1.0]
    words, (*others, tuned_on) = _encoded(bitext, preprocessor, texts, dev, progress)
    models = [learned(sentences, words) for sentences in others]
    target = bitext.target  # whose ids are those of the larger vocabulary, too
    unseeing = own
    if dev is None:
        step = max(EVERY, -(-len(target) // HELD_OUT))
        is_held_out = np.arange(len(target)) % step == 0
        tuned_on = target.select(is_held_out)
        if own is None and len(target) > len(tuned_on):
            unseeing = learned(target.select(~is_held_out), words)
    own = own or learned(target, words)
    weights = mixture_weights([unseeing or own, *models], tuned_on, words, threads)
    with progress.stage("interpolate") as stage:
        lm = interpolated([own, *models], weights)
        shares = zip(("bitext", *(path.name for path in texts)), weights.tolist(), strict=True)
        stage.say(", ".join(f"{name} {weight:.3f}" for name, weight in shares))
    return _pruned(lm, options, progress), weights.tolist()


def _pruned(lm: LanguageModel, options: LmOptions, progress: Progress) -> LanguageModel:
    if options.prune == 0:
        return lm
    with progress.stage("prune language model") as stage:
        smaller = pruned(lm, options.prune)
        stage.say(f"{sum(smaller.n_ngrams):,} of {sum(lm.n_ngrams):,} n-grams stay")
    return smaller


def _encoded(
    bitext: Bitext,
    preprocessor: Preprocessor,
    texts: Sequence[Path],
    dev: Path | None,
    progress: Progress,
) -> tuple[Vocabulary, list[Sentences]]:
    """A vocabulary of all words, those of the bitext first, and the sentences of each file in it.

    Those of `dev` come last, none where there is none; words that only they have are unknown.
    """
    read = [_read(path, preprocessor, progress) for path in texts]
    known = bitext.target_vocabulary
    new = dict.fromkeys(word for words, _ in read for word in words if word not in known)
    vocabulary = Vocabulary([*list(known)[len(RESERVED) :], *new])
    if dev is not None:
        read.append(_read(dev, preprocessor, progress))
    encoded = []
    for words, sentences in read:
        ids = np.array([vocabulary.id(word) for word in words], np.int32)
        encoded.append(Sentences(ids[sentences.ids], sentences.offsets))
    return vocabulary, encoded if dev is not None else [*encoded, Sentences.from_lists([])]


def _read(
    path: Path, preprocessor: Preprocessor, progress: Progress
) -> tuple[Vocabulary, Sentences]:
    """The words of a text and its sentences, without empty ones."""
    encoder = CorpusEncoder()
    with progress.stage(f"read {path.name}", n_bytes(path)) as stage:
        for block in read_blocks(path, stage):
            encoder.feed(preprocessor.target(block))
        vocabulary, sentences = encoder.finish()
        stage.say(f"{len(sentences):,} sentences, {sentences.n_words:,} words")
    if sentences.n_words == 0:
        raise FileError(path, "has no words to learn from")
    return vocabulary, sentences.select(sentences.lengths > 0)

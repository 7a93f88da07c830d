"""The events of a model's own bitext, with what could have followed instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from calque.errors import CalqueError
from calque.features.events import BlockEvents
from calque.lm import LanguageModel
from calque.model import Model
from calque.model.kept_bitext import KeptBitext
from calque.progress import SILENT, Progress
from calque.tune.lm_folds import lm_of, other_folds
from calque.tune.local.sets import SetBuilder
from calque.tune.local.space import LocalSpace
from calque.tune.local.store import Stretch

SENTENCES = 1000
"""Sentence pairs of a stretch: their events are what is in memory at once."""


def bitext_stretches(
    model: Model,
    space: LocalSpace,
    *,
    n_alternatives: int,
    held_out: int = 0,
    lm_folds: int = 0,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Iterator[Stretch]:
    """The events of all sentence pairs; those of every `held_out`-th pair are only measured.

    With `lm_folds`, language models of the other folds of the target side stand in for the model's
    own: one that has seen a sentence knows too well how it goes on.
    """
    bitext = model.bitext
    if bitext is None:
        raise CalqueError(
            "the model keeps no sentence pairs to learn from: train it with"
            " --set keep_bitext_mb=N, N being enough for them"
        )
    counted = BlockEvents(
        model.blocks,
        bitext.source,
        bitext.target,
        model.feature_options.local_model.events,
        threads=threads,
    )
    firsts = range(0, len(bitext), SENTENCES)
    with progress.stage("collect events", len(bitext)) as stage:
        n_events = 0
        for fold in range(max(lm_folds, 1)):
            builder = None
            for at in range(fold, len(firsts), max(lm_folds, 1)):
                first, last = firsts[at], min(firsts[at] + SENTENCES, len(bitext))
                if builder is None:
                    lm = _other_folds(model, bitext, fold, lm_folds) if lm_folds else model.lm
                    builder = set_builder(model, space, lm, n_alternatives)
                events = counted.collect(first, last)
                events = replace(events, sentence=events.sentence - np.int32(first))
                sets = builder.build(events, bitext.target.part(first, last), threads)
                is_held_out = np.zeros(len(events), bool)
                if held_out:
                    is_held_out = (events.sentence + first) % held_out == held_out - 1
                n_events += len(events)
                yield Stretch(replace(sets, pairs=space.columns(sets.pairs)), is_held_out)
                stage.advance(last - first)
        stage.say(f"{n_events:,} events")


def set_builder(
    model: Model, space: LocalSpace, lm: LanguageModel, n_alternatives: int
) -> SetBuilder:
    """What makes candidate sets of the blocks of a model."""
    return SetBuilder(
        model.blocks,
        space.data.counts,
        space.bigrams,
        lm,
        model.target_vocabulary,
        n_alternatives,
    )


def _other_folds(model: Model, bitext: KeptBitext, fold: int, n_folds: int) -> LanguageModel:
    """The language model of all target sentences but those of one fold."""
    return lm_of(model, bitext.target.select(other_folds(len(bitext), SENTENCES, fold, n_folds)))

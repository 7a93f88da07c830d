"""Events of the decoder's own best output: the local model trained on a development set.

Tillmann & Zhang 2005, section 6: of the n-best translations of a sentence the one of highest
sentence BLEU is the truth, and its neighbouring blocks are the events. Alternatives are blocks that
some translation of the list uses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.decode import DerivedList
from calque.errors import CalqueError
from calque.features.events import LEFT, NEUTRAL, RIGHT, Events
from calque.metrics.bleu_plus_one import BleuPlusOne
from calque.metrics.metric import Metric, PreparedReferences
from calque.progress import SILENT, Progress
from calque.text import Sentences
from calque.tune.decoder_task import DecoderTask
from calque.tune.local.events import set_builder
from calque.tune.local.space import LocalSpace
from calque.tune.local.store import Stretch

SIDES = (RIGHT, LEFT, NEUTRAL)
"""Of the decoder's orientations: monotone, swap, discontinuous."""
START = -1
"""Stands before the first block; copied words stand for themselves below it."""


@dataclass
class EventLists:
    """Events as they come, piece by piece."""

    previous: list[int] = field(default_factory=list)
    block: list[int] = field(default_factory=list)
    side: list[int] = field(default_factory=list)
    sentence: list[int] = field(default_factory=list)
    source_begin: list[int] = field(default_factory=list)
    target_begin: list[int] = field(default_factory=list)
    words: list[list[int]] = field(default_factory=list)
    """The target words of every piece."""

    def add(self, steps: Sequence[_core.Step]) -> None:
        """Take the steps of a derivation; copied words are no events, but what follows them is."""
        words: list[int] = []
        previous = START
        for number, step in enumerate(steps):
            if step.block >= 0:
                self.previous.append(previous)
                self.block.append(step.block)
                self.side.append(SIDES[step.orientation])
                self.sentence.append(len(self.words))
                self.source_begin.append(step.begin)
                self.target_begin.append(len(words))
            previous = step.block if step.block >= 0 else START - 1 - number
            words += step.target
        self.words.append(words)

    def events(self) -> Events:
        """All of them as arrays."""
        return Events(
            previous=np.array(self.previous, np.int32),
            block=np.array(self.block, np.int32),
            side=np.array(self.side, np.int8),
            sentence=np.array(self.sentence, np.int32),
            source_begin=np.array(self.source_begin, np.int16),
            target_begin=np.array(self.target_begin, np.int16),
        )


def nbest_stretch(
    task: DecoderTask,
    space: LocalSpace,
    *,
    n_best: int,
    n_alternatives: int,
    held_out: int = 0,
    threads: int = 1,
    progress: Progress = SILENT,
) -> Stretch:
    """The events of the best of `n_best` translations of each sentence, under the first weights.

    Sentences whose translations all score 0 are left out. Raises `CalqueError` where all do.
    """
    references = sentence_bleu(task.metric).prepare(task.judge.reference_lines)
    event_lists, allowed, held = EventLists(), list[NDArray[np.int32]](), list[bool]()
    for sentence, derived in enumerate(task.source.derived(task.start, n_best, progress)):
        best = best_candidate(derived, sentence, references)
        if best is None:
            continue
        for derivation in derived.derivations(best):
            event_lists.add(derivation.steps)
        allowed += derived.used_blocks()
        held += [bool(held_out) and sentence % held_out == held_out - 1] * len(derived.pieces)
    events = event_lists.events()
    if not len(events):
        raise CalqueError(
            "no translation shares a word with its reference: no events to learn from"
        )
    builder = set_builder(task.model, space, task.model.lm, n_alternatives)
    sets = builder.build(
        events, Sentences.from_lists(event_lists.words), threads, Sentences.from_lists(allowed)
    )
    is_held_out = np.array(held, bool)[events.sentence]
    return Stretch(replace(sets, pairs=space.columns(sets.pairs)), is_held_out)


def best_candidate(
    derived: DerivedList, sentence: int, references: PreparedReferences
) -> int | None:
    """The candidate of highest sentence BLEU, the best by score of equals; none where all are 0."""
    sentences = np.full(len(derived.texts), sentence, np.int64)
    scores = references.statistics(derived.texts, sentences)[:, 0]
    best = int(np.argmax(scores))
    return best if scores[best] > 0 else None


def sentence_bleu(metric: Metric) -> BleuPlusOne:
    """BLEU+1 with a metric's way of splitting words."""
    words = ("tokenize", "lowercase")
    shared = {key: getattr(metric, key) for key in words if hasattr(metric, key)}
    return BleuPlusOne(**shared)

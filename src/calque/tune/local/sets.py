"""What could have followed in every event: the candidate sets that the local model learns from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks import BlockTable
from calque.features.events import Events
from calque.lm import LanguageModel
from calque.text import Sentences, Vocabulary

SIDES = 4
"""A block and its side are one number: so many times the row, and the side."""


@dataclass(frozen=True, eq=False)
class EventSets:
    """The events of some sentences and their candidates; sets are shared by alike events."""

    offsets: NDArray[np.int64]
    """Set i has the candidates offsets[i] .. offsets[i + 1], rising by choice."""
    choices: NDArray[np.int32]
    """Of every candidate, `SIDES` times the row of the block, and its side."""
    first: NDArray[np.float32]
    """The log probability of its first word after the words before the event."""
    rest: NDArray[np.float32]
    """That of its other words together."""
    pairs: NDArray[np.int32]
    """The row of (previous block, block) among the frequent pairs; -1: it is none."""
    sets: NDArray[np.int32]
    """The set of every event."""
    truths: NDArray[np.int32]
    """The place of its own block in that set."""

    def __len__(self) -> int:
        return len(self.sets)

    @property
    def n_bytes(self) -> int:
        """The size in memory."""
        return sum(array.nbytes for array in self.to_arrays().values())

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name: the form on disk."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> EventSets:
        """The sets of these arrays, which the core checks."""
        return cls(**{field.name: arrays[field.name] for field in fields(cls)})

    def problem(self, values: NDArray[np.float32], n_pairs: int) -> _core.LocalProblem:
        """The sets as the learner takes them; `values` has four numbers per block."""
        return _core.LocalProblem(**self.to_arrays(), values=values, n_pairs=n_pairs)


class SetBuilder:
    """Makes the candidate sets of events (Tillmann & Zhang 2005, section 3.3 and figure 2).

    The alternatives of a block are the most frequent blocks of its source phrase, itself always
    among them. Candidates of an event are the alternatives of all blocks that follow the same
    previous block in the sentence, each on the side of the one that it is an alternative of; of a
    neutral event, those of its own block.
    """

    def __init__(
        self,
        table: BlockTable,
        counts: NDArray[np.int32],
        bigrams: NDArray[np.int32],
        lm: LanguageModel,
        vocabulary: Vocabulary,
        n_alternatives: int,
    ) -> None:
        """Take `counts` of events (blocks, 3), frequent pairs of blocks, and the language model."""
        self._core = _core.LocalSetBuilder(
            table.core,
            counts.sum(axis=1, dtype=np.int32),
            lm.core,
            lm.words_of(vocabulary),
            np.ascontiguousarray(bigrams),
            n_alternatives,
        )

    def build(
        self,
        events: Events,
        target: Sentences,
        threads: int,
        allowed: Sentences | None = None,
    ) -> EventSets:
        """The sets of events in these target sentences, which `events.sentence` counts from 0.

        With `allowed`, rising rows of blocks for every sentence, no others are candidates but the
        true ones.
        """
        if allowed is None:
            allowed = Sentences(np.empty(0, np.int32), np.empty(0, np.int64))
        return EventSets(
            *self._core.build(
                events.previous,
                events.block,
                events.side,
                events.sentence,
                events.target_begin,
                target.ids,
                target.offsets,
                allowed.ids,
                allowed.offsets,
                threads,
            )
        )

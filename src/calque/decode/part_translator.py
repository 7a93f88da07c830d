"""Translates some sentences at a time, wherever an engine runs its tasks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.config import DecodeOptions, LeaveOneOutOptions
from calque.decode.confidence import LIST_LENGTH, Evidence
from calque.decode.prepared import PreparedSentence, PreparedText
from calque.decode.training_text import TrainingText
from calque.decode.translation import Translation
from calque.parallel import Shared

if TYPE_CHECKING:
    from calque.decode.translator import Translator

Part: TypeAlias = tuple[PreparedText, "NDArray[np.int64] | None"]
"""Sentences that are decoded together, and the training pairs of their pieces to leave out."""


@dataclass(frozen=True)
class Asked:
    """What is wanted of every sentence, as in `Translator.n_best`."""

    n: int
    distinct: bool
    with_sparse: bool
    with_confidence: bool
    search: DecodeOptions
    leave_one_out: LeaveOneOutOptions | None


class PartTranslator:
    """Translates parts of a text, in whichever process: it can be pickled, and keeps no state."""

    def __init__(self, translator: Translator, asked: Asked) -> None:
        """Take a translator and what is wanted of it."""
        self._translator = translator
        self._asked = asked

    def __reduce__(self) -> tuple[Any, ...]:
        return PartTranslator, (self._translator, self._asked)

    @cached_property
    def _training(self) -> TrainingText | None:
        left_out = self._asked.leave_one_out
        return None if left_out is None else TrainingText(self._translator.model, left_out)

    def ways(
        self, part: Part, n: int, threads: int
    ) -> Iterator[tuple[PreparedSentence, list[list[_core.Derivation]]]]:
        """Every sentence and the best ways to derive all of its pieces."""
        text, pairs = part
        asked, training = self._asked, self._training
        left_out = None if training is None or pairs is None else training.left_out(pairs)
        return self._translator.ways(text, n, asked.distinct, threads, asked.search, left_out)

    def translations(self, part: Part, threads: int) -> list[list[Translation]]:
        """The translations of every sentence, best first."""
        asked, translator = self._asked, self._translator
        n = max(asked.n, LIST_LENGTH) if asked.with_confidence else asked.n
        return [
            translator.confident(
                translator.read_off(sentence, ways[: asked.n], asked.distinct, asked.with_sparse),
                Evidence.of(sentence, ways) if asked.with_confidence else None,
            )
            for sentence, ways in self.ways(part, n, threads)
        ]


def translated(
    translator: Shared[PartTranslator], threads: int, part: Part
) -> list[list[Translation]]:
    """The task of an engine: the translations of some sentences."""
    return translator.get().translations(part, threads)

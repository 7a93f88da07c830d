from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque._core import EditKind
from calque.metrics.edits import ErrorRate, prepare_edits
from calque.metrics.metric import PreparedReferences, Statistics
from calque.metrics.signature import calque_signature, case
from calque.metrics.words import check_tokenizer, split_words, tokenizer_signature


@dataclass(frozen=True)
class Mwer(ErrorRate):
    """Word error rate against several references: the lowest of min_k Lev(h, r_k) / |r_k|.

    The statistics are the edits to that reference and its length, so the rate of a corpus is that
    of all its words.
    """

    name: ClassVar[str] = "mwer"

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)

    @property
    def signature(self) -> str:
        """The settings."""
        return calque_signature(
            case=case(self.lowercase), tok=tokenizer_signature(self.tokenize), len="best"
        )

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References as words."""

        def clean(lines: Sequence[str]) -> list[str]:
            return split_words(lines, self.tokenize, self.lowercase)

        return prepare_edits(references, EditKind.words, clean)


@dataclass(frozen=True)
class ReverseMwer(Mwer):
    """100 minus the word error rate (Tillmann & Zhang 2008); long outputs may fall below 0."""

    name: ClassVar[str] = "reverse-mwer"
    higher_is_better = True

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """How much of the references needs no edit, in percent."""
        return 100 - super().score(statistics)

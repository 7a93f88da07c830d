from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from calque._core import EditKind
from calque.metrics.edits import ErrorRate, prepare_edits
from calque.metrics.metric import PreparedReferences
from calque.metrics.signature import calque_signature, case
from calque.metrics.words import check_tokenizer, split_words, tokenizer_signature


@dataclass(frozen=True)
class Per(ErrorRate):
    """Position-independent error rate: word error rate where order does not count.

    Edits are max(|h|, |r|) minus the words in common, against the reference with the lowest rate.
    """

    name: ClassVar[str] = "per"

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

        return prepare_edits(references, EditKind.bag, clean)

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from calque.metrics.metric import Metric
from calque.metrics.signature import case
from calque.metrics.words import check_tokenizer, split_words, tokenizer_signature


@dataclass(frozen=True)
class WordMetric(Metric):
    """A metric of words, which are split as the user says."""

    tokenize: str = "13a"
    lowercase: bool = False

    def __post_init__(self) -> None:
        check_tokenizer(self.tokenize)

    @property
    def case(self) -> str:
        """How the signature says whether case counts."""
        return case(self.lowercase)

    @property
    def tok(self) -> str:
        """How the signature names the tokenizer."""
        return tokenizer_signature(self.tokenize)

    def split(self, lines: Sequence[str]) -> list[str]:
        """The lines with white space between words."""
        return split_words(lines, self.tokenize, self.lowercase)

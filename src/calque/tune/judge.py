from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError, FileError, OptionError, refuse_text
from calque.metrics.metric import Metric, PreparedReferences
from calque.text import GivenText, Text


@dataclass(frozen=True)
class Verdict:
    """How good the translations of a text are."""

    score: float
    n_words: int
    length_ratio: float
    """Words per word of the references."""


class Judge:
    """References and a metric: what translations of a text are measured by."""

    def __init__(self, references: Sequence[Text], metric: Metric) -> None:
        """Take the references, each text one complete set."""
        sets = _reference_sets(references)
        first = sets[0]
        for given in sets:
            if len(given) != len(first):
                raise FileError(
                    given.name,
                    f"has {len(given):,} lines, but {first.name} has {len(first):,}:"
                    " expected equal numbers",
                )
        if not len(first):
            raise FileError(first.name, "is empty, expected one reference per line")
        self.metric = metric
        self.reference_lines: Sequence[Sequence[str]] = [given.sentences for given in sets]
        self.n_sentences = len(first)
        self.files = [given.digest() for given in sets]

    def __repr__(self) -> str:
        n_sets = len(self.reference_lines)
        sets = "1 reference" if n_sets == 1 else f"{n_sets} references"
        return f"<Judge: {self.metric.name}, {self.n_sentences:,} sentences with {sets} each>"

    @cached_property
    def references(self) -> PreparedReferences:
        """The references, ready to be compared with."""
        return self.metric.prepare(self.reference_lines)

    @cached_property
    def n_words(self) -> float:
        """Of the references, on average over their sets."""
        total = sum(len(s.split()) for some in self.reference_lines for s in some)
        return total / len(self.reference_lines)

    @property
    def sign(self) -> float:
        """1 where a higher score is better, otherwise -1."""
        return 1.0 if self.metric.higher_is_better else -1.0

    def statistics(self, texts: list[str], sentences: NDArray[np.int64]) -> NDArray[np.float64]:
        """A row per text, which translates the sentence of the same place."""
        return self.references.statistics(texts, sentences)

    def verdict(self, texts: Sequence[str]) -> Verdict:
        """How good one translation per sentence is."""
        statistics = self.references.statistics(list(texts))
        n_words = sum(len(text.split()) for text in texts)
        return self.verdict_of(statistics.sum(axis=0), n_words)

    def verdict_of(self, statistics: NDArray[np.float64], n_words: int) -> Verdict:
        """The same from the sums over the translations of all sentences."""
        return Verdict(float(self.metric.score(statistics)), n_words, self.ratio(n_words))

    def ratio(self, n_words: int) -> float:
        """The length of an output as a share of the references'."""
        return n_words / max(self.n_words, 1)


def _reference_sets(references: Sequence[Text]) -> list[GivenText]:
    """The texts of all sets; raises `CalqueError` where it was one set or the name of one file."""
    expected = "a list with a text for each set of references: a file or a list of sentences"
    if isinstance(references, Path):
        references = str(references)
    refuse_text("references", references, expected)
    if not len(references):
        raise CalqueError("no references: expected at least one file")
    for text in references:
        if isinstance(text, str) and " " in text and not Path(text).exists():
            raise OptionError(f"references: no file is called '{text}'; expected {expected}")
    return [GivenText.of(text, f"reference {number}") for number, text in enumerate(references, 1)]

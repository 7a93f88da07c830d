from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError, FileError
from calque.metrics.metric import Metric, PreparedReferences
from calque.text import read_lines


@dataclass(frozen=True)
class Verdict:
    """How good the translations of a text are."""

    score: float
    n_words: int
    length_ratio: float
    """Words per word of the references."""


class Judge:
    """References and a metric: what translations of a text are measured by."""

    def __init__(self, references: Sequence[Path | str], metric: Metric) -> None:
        """Read the references, each file one complete set."""
        if not references:
            raise CalqueError("no references: expected at least one file")
        lines = [list(read_lines(path)) for path in references]
        for path, some in zip(references, lines, strict=True):
            if len(some) != len(lines[0]):
                raise FileError(
                    path,
                    f"has {len(some):,} lines, but {references[0]} has {len(lines[0]):,}:"
                    " expected equal numbers",
                )
        if not lines[0]:
            raise FileError(references[0], "is empty, expected one reference per line")
        self.metric = metric
        self.reference_lines: Sequence[Sequence[str]] = lines
        self.n_sentences = len(lines[0])
        self.files = [digest(path) for path in references]

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


def digest(path: Path | str) -> dict[str, str]:
    """A file as a run records it."""
    return {"file": str(path), "sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest()}

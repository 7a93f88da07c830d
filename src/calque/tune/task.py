from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from calque.errors import CalqueError, FileError
from calque.hyps import NBest
from calque.metrics.metric import Metric, PreparedReferences
from calque.progress import SILENT, Progress
from calque.text import read_lines


class Task(ABC):
    """Where candidates come from and what they are measured by; all that a trainer sees."""

    renews: bool
    """Whether other weights may bring other candidates."""

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
        self.references: PreparedReferences = metric.prepare(lines)
        self.n_sentences = len(lines[0])
        self.reference_words = sum(len(s.split()) for some in lines for s in some) / len(lines)
        self.files = {"references": [digest(path) for path in references]}

    @property
    @abstractmethod
    def dense_names(self) -> tuple[str, ...]:
        """The features that every candidate has."""

    @property
    @abstractmethod
    def start(self) -> Mapping[str, float]:
        """The weights before tuning."""

    @property
    def has_families(self) -> bool:
        """Whether sparse features belong to candidates by design, not just by being rare."""
        return False

    @property
    def fixed(self) -> tuple[str, ...]:
        """Features whose weights no trainer may move."""
        return ()

    @property
    @abstractmethod
    def inputs(self) -> dict[str, Any]:
        """Everything that the candidates depend on, as JSON: a run continues only with the same."""

    @abstractmethod
    def candidates(self, weights: Mapping[str, float], progress: Progress = SILENT) -> NBest:
        """Lists of candidates, one per sentence; the best under `weights` first if it renews."""


def digest(path: Path | str) -> dict[str, str]:
    """A file as a run records it."""
    return {"file": str(path), "sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest()}

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError, FileError, LineError
from calque.metrics.metric import PreparedReferences, Statistics
from calque.metrics.prepared import check_references, sentences_of
from calque.metrics.sentence_mean import SentenceMean
from calque.metrics.signature import calque_signature


@dataclass(frozen=True, eq=False)
class ExternalScores(SentenceMean):
    """Numbers from elsewhere, one per hypothesis, such as those of a neural metric; their mean.

    Number i belongs to hypothesis i, so the hypotheses must be those of the numbers, in their
    order.
    """

    name: ClassVar[str] = "external"

    scores: NDArray[np.float64]
    """The numbers; a path is read."""
    higher_is_better: bool = True
    source: str = "array"
    """Where the numbers came from, for the signature."""

    def __post_init__(self) -> None:
        if isinstance(self.scores, (str, Path)):
            object.__setattr__(self, "source", Path(self.scores).name)
            object.__setattr__(self, "scores", _read(Path(self.scores)))
        scores = np.asarray(self.scores, dtype=np.float64)
        if scores.ndim != 1 or not np.isfinite(scores).all():
            raise CalqueError("external scores: expected one finite number per hypothesis")
        object.__setattr__(self, "scores", scores)

    @classmethod
    def read(cls, path: Path | str, higher_is_better: bool = True) -> ExternalScores:
        """The numbers of a file, one per line."""
        return cls(_read(Path(path)), higher_is_better, Path(path).name)

    @property
    def signature(self) -> str:
        """Where the numbers came from and which way they point."""
        return calque_signature(
            source=self.source,
            better="higher" if self.higher_is_better else "lower",
            agg="mean",
        )

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """The numbers; of the references only the number of sentences counts."""
        check_references(references)
        return _Numbers(self.scores, len(references[0]))


class _Numbers(PreparedReferences):
    def __init__(self, scores: NDArray[np.float64], n_sentences: int) -> None:
        self.n_sentences = n_sentences
        self._scores = scores

    def statistics(
        self, hypotheses: Sequence[str], sentences: NDArray[np.int64] | None = None
    ) -> Statistics:
        sentences_of(len(hypotheses), sentences, self.n_sentences)
        if len(hypotheses) != len(self._scores):
            raise CalqueError(
                f"{len(hypotheses):,} hypotheses, but {len(self._scores):,} external scores:"
                " expected equal numbers"
            )
        return np.stack([self._scores, np.ones_like(self._scores)], axis=-1)


def _read(path: Path) -> NDArray[np.float64]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise FileError(path, "no such file") from None
    except UnicodeDecodeError:
        raise FileError(path, "is not UTF-8, expected one number per line") from None
    except OSError as error:
        raise FileError(path, error.strerror or str(error)) from error
    if not lines:
        raise FileError(path, "is empty, expected one number per line")
    return np.array([_number(path, i, line) for i, line in enumerate(lines, 1)])


def _number(path: Path, line: int, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise LineError(path, line, f"expected a number, found '{text.strip()}'")
    return value

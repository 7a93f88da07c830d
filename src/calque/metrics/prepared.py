from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError
from calque.metrics.metric import PreparedReferences, Statistics

Clean = Callable[[Sequence[str]], list[str]]
Count = Callable[[list[str], NDArray[np.int64]], Statistics]


class Prepared(PreparedReferences):
    """References that `count` holds ready; `clean` makes of a line what is counted."""

    def __init__(self, n_sentences: int, n_columns: int, clean: Clean, count: Count) -> None:
        self.n_sentences = n_sentences
        self._n_columns = n_columns
        self._clean = clean
        self._count = count

    def statistics(
        self, hypotheses: Sequence[str], sentences: NDArray[np.int64] | None = None
    ) -> Statistics:
        """One row per hypothesis."""
        which = sentences_of(len(hypotheses), sentences, self.n_sentences)
        if not hypotheses:
            return np.zeros((0, self._n_columns))
        return self._count(self._clean(hypotheses), which)


def interleave(references: Sequence[Sequence[str]]) -> list[str]:
    """The references of a sentence next to each other, sentence after sentence.

    Raises `CalqueError` where there are none or their numbers of lines differ.
    """
    check_references(references)
    return [line for lines in zip(*references, strict=True) for line in lines]


def check_references(references: Sequence[Sequence[str]]) -> None:
    """Raise an error where there are no references or their numbers of lines differ."""
    if not references:
        raise CalqueError("nothing to score against: give at least one reference")
    for position, reference in enumerate(references, 1):
        if len(reference) != len(references[0]):
            raise CalqueError(
                f"reference {position} has {len(reference):,} lines,"
                f" reference 1 has {len(references[0]):,}"
            )


def check_text(references: Sequence[Sequence[str]]) -> None:
    """Raise an error where a line is no text that UTF-8 can hold."""
    for reference in references:
        for number, line in enumerate(reference, 1):
            try:
                line.encode()
            except UnicodeEncodeError:
                raise CalqueError(f"line {number:,}: expected text that UTF-8 can hold") from None


def sentences_of(
    n_hypotheses: int, sentences: NDArray[np.int64] | None, n_sentences: int
) -> NDArray[np.int64]:
    """The sentence of each hypothesis, checked."""
    if sentences is None:
        if n_hypotheses != n_sentences:
            raise CalqueError(
                f"{n_hypotheses:,} hypotheses for {n_sentences:,} sentences:"
                " expected one each, or the sentence of each"
            )
        return np.arange(n_sentences, dtype=np.int64)
    which = np.ascontiguousarray(sentences, dtype=np.int64)
    if which.shape != (n_hypotheses,):
        raise CalqueError(
            f"{n_hypotheses:,} hypotheses, but the sentences of {which.size:,}:"
            " expected equal numbers"
        )
    wrong = which[(which < 0) | (which >= n_sentences)]
    if wrong.size:
        raise CalqueError(f"sentence {wrong[0]}: the references have {n_sentences:,} (from 0)")
    return which


def ratio(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """The quotients, 0 where the denominator is 0."""
    return np.divide(
        numerator, denominator, out=np.zeros(np.shape(numerator)), where=denominator > 0
    )

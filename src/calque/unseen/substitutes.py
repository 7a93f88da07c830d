from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any

from calque.errors import ModelError
from calque.unseen.candidates import (
    N_FACTS,
    Candidate,
    Evidence,
    Rates,
    candidates,
    expected_agreement,
)
from calque.unseen.known_words import KnownWords

_KEYS = {"coefficients", "endings", "fillers"}
_MOST_REMEMBERED = 1 << 16


@dataclass(frozen=True, eq=False)
class UnseenWords:
    """What a model has learned of the translations of words like those that it has never seen."""

    evidence: Evidence = field(default_factory=Evidence)
    coefficients: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """By kind of candidate, of a logistic function of its facts."""

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "coefficients": {kind: list(values) for kind, values in self.coefficients.items()},
            "endings": _rates_to_json(self.evidence.endings),
            "fillers": _rates_to_json(self.evidence.fillers),
        }

    @classmethod
    def from_json(cls, state: Any) -> UnseenWords:
        """What `to_json` wrote; raises `ModelError` on anything else."""
        if not isinstance(state, dict) or set(state) != _KEYS:
            raise ModelError(f"unseen words: expected the keys {', '.join(sorted(_KEYS))}")
        given = state["coefficients"]
        try:
            coefficients = {kind: tuple(map(float, values)) for kind, values in given.items()}
            evidence = Evidence(*(_rates_from_json(state[key]) for key in ("endings", "fillers")))
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ModelError(f"unseen words: not what training writes: {error}") from error
        for kind, values in coefficients.items():
            if N_FACTS.get(kind) != len(values) or not all(map(math.isfinite, values)):
                raise ModelError(f"unseen words: coefficients of '{kind}' are damaged")
        return cls(evidence, coefficients)


class Substitutes:
    """Finds what stands for words that a model cannot translate."""

    def __init__(
        self, unseen: UnseenWords, known: KnownWords, target_words: Container[str]
    ) -> None:
        """Take what was learned, the words that can be translated, and those of the target."""
        self._unseen = unseen
        self._known = known
        self._target_words = target_words
        self._best: dict[str, tuple[Candidate, float]] = {}

    def best(self, word: str) -> tuple[Candidate, float]:
        """The candidate of the highest expected agreement, and this; of equal ones the first."""
        if word not in self._best:
            if len(self._best) >= _MOST_REMEMBERED:
                self._best.clear()
            scored = (
                (candidate, expected_agreement(candidate, self._unseen.coefficients))
                for candidate in candidates(
                    word, self._known, self._unseen.evidence, self._target_words
                )
            )
            self._best[word] = max(scored, key=lambda pair: pair[1])
        return self._best[word]

    def words_for(self, word: str, least_agreement: float) -> tuple[str, ...]:
        """Known words in place of this one; none where it is known itself, or a copy is as good.

        They are expected to have at least this share of its translation right.
        """
        if word in self._known or least_agreement >= 1:
            return ()
        candidate, agreement = self.best(word)
        return candidate.words if agreement >= least_agreement else ()


def _rates_to_json(rates: Rates) -> dict[str, Any]:
    names = {name: [rates.sums[name], rates.counts[name]] for name in rates.sums}
    return {"mean": rates.mean, "names": names}


def _rates_from_json(state: Any) -> Rates:
    names = state["names"]
    sums = {name: float(total) for name, (total, _) in names.items()}
    counts = {name: int(count) for name, (_, count) in names.items()}
    mean = float(state["mean"])
    if not all(map(math.isfinite, (mean, *sums.values()))):
        raise ValueError("a rate is no number")
    return Rates(sums, counts, mean)

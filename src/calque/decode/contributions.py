"""What each block of a derivation adds to the score, feature by feature."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from calque import _core
from calque.decode.decoder import Decoder
from calque.decode.source import SourceText
from calque.features import Weights


@dataclass(frozen=True)
class FeatureUse:
    """A feature that fired, and what it did to the score."""

    name: str
    value: float
    weight: float

    @property
    def contribution(self) -> float:
        """What it added."""
        return self.value * self.weight


def step_features(
    decoder: Decoder, derivation: _core.Derivation, source: SourceText, weights: Weights
) -> list[list[FeatureUse]]:
    """The features that fire at each step of a derivation; they add up to its score."""
    rows = decoder.explain(derivation, source, weights)
    return [[FeatureUse(*fired) for fired in row] for row in rows]


def sorted_by_size(uses: Iterable[FeatureUse]) -> tuple[FeatureUse, ...]:
    """The largest absolute contribution first; ties by name."""
    return tuple(sorted(uses, key=lambda use: (-abs(use.contribution), use.name)))


def added(uses: Iterable[FeatureUse]) -> tuple[FeatureUse, ...]:
    """One use per feature with the sum of its values, the largest contribution first."""
    values: dict[str, float] = {}
    weights: dict[str, float] = {}
    for use in uses:
        values[use.name] = values.get(use.name, 0.0) + use.value
        weights[use.name] = use.weight
    return sorted_by_size(FeatureUse(name, value, weights[name]) for name, value in values.items())

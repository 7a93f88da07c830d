"""What each block of a derivation adds to the score, feature by feature."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from calque import _core
from calque.features import DENSE, Weights
from calque.model import Model
from calque.text import UNKNOWN, Sentences

_TRANSLATION, _PREVIOUS, _NEXT = DENSE[:4], DENSE[8:11], DENSE[11:14]


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


def step_features(model: Model, derivation: _core.Derivation) -> list[list[FeatureUse]]:
    """The features that fire at each step of a derivation, and last those of the sentence end.

    They add up to the features of the derivation; only values other than 0 are there.
    """
    log_probs = iter(_word_log_probs(model, derivation.steps))
    rows: list[dict[str, float]] = []
    last_end, previous = 0, -1
    for step in derivation.steps:
        row = {
            "language_model": sum(next(log_probs) for _ in step.target),
            "word_count": float(len(step.target)),
            "block_count": 1.0,
            "distance": -float(abs(step.begin - last_end)),
            "unknown": -float(step.block < 0 and not step.required),
        }
        if step.block >= 0:
            row |= zip(_TRANSLATION, model.blocks.scores[step.block].tolist(), strict=True)
        if len(model.blocks.orientation):
            way = step.orientation
            if step.block >= 0:
                row[_PREVIOUS[way]] = float(model.blocks.orientation[step.block, way])
            if previous >= 0:  # how the block before lies to its next one is known only now
                row[_NEXT[way]] = float(model.blocks.orientation[previous, 3 + way])
        rows.append(row)
        last_end, previous = step.end, step.block
    rows.append({"language_model": next(log_probs)})
    return [_uses(row, model.weights) for row in rows]


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


def _uses(row: dict[str, float], weights: Weights) -> list[FeatureUse]:
    return [FeatureUse(name, value, weights[name]) for name, value in row.items() if value]


def _word_log_probs(model: Model, steps: Sequence[_core.Step]) -> list[float]:
    """The log probability of every target word and, last, of the sentence end."""
    words = [
        model.target_vocabulary.word(word) if word >= 0 else ""
        for step in steps
        for word in step.target
    ]
    ids = [model.lm.vocabulary.id(word) if word else UNKNOWN for word in words]
    scores: list[float] = model.lm.score_words(Sentences.from_lists([ids])).log_probs.tolist()
    return scores

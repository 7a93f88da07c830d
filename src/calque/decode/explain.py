"""From derivations to explanations."""

from __future__ import annotations

from collections.abc import Sequence

from calque import _core
from calque.decode.contributions import sorted_by_size, step_features
from calque.decode.decoder import Decoder
from calque.decode.explanation import BlockContribution, Explanation
from calque.decode.source import SourceText
from calque.decode.translation import Translation
from calque.errors import OptionError
from calque.features import Weights

TOLERANCE = 1e-5
"""Per unit of contribution: the search adds up single-precision numbers."""


def explain(
    source: tuple[str, ...],
    translation: Translation,
    derivations: Sequence[_core.Derivation],
    pieces: Sequence[SourceText],
    decoder: Decoder,
    weights: Weights,
) -> Explanation:
    """What each step of the derivations, one per piece of the sentence, contributed."""
    uses = iter(translation.blocks)
    blocks: list[BlockContribution] = []
    for derivation, piece in zip(derivations, pieces, strict=True):
        rows = iter(step_features(decoder, derivation, piece, weights))
        for step, row in zip(derivation.steps, rows, strict=False):
            blocks.append(BlockContribution(next(uses), _origin(step), sorted_by_size(row)))
    explanation = Explanation(source, translation, tuple(blocks))
    _check(explanation)
    return explanation


def place_of(rank: int, translations: Sequence[Translation]) -> int:
    """Where the translation of a rank, counted from 1, stands when equal words count once."""
    seen = set[tuple[str, ...]]()
    for place, translation in enumerate(translations):
        seen.add(translation.words)
        if len(seen) == rank:
            return place
    n = "1 different translation" if len(seen) == 1 else f"{len(seen)} different translations"
    raise OptionError(f"rank {rank}: the search found {n}, expected a rank among them")


def _origin(step: _core.Step) -> str:
    if step.required:
        return "required"
    return "block" if step.block >= 0 else "copied"


def _check(explanation: Explanation) -> None:
    """A table that does not add up would explain something else: better to stop."""
    total, score = explanation.score, explanation.translation.score
    size = sum(abs(use.contribution) for block in explanation.blocks for use in block.features)
    if abs(total - score) > TOLERANCE * (1 + size):
        raise ArithmeticError(f"contributions add up to {total}, but the score is {score}")

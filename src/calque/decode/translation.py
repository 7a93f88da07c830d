from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from calque import _core
from calque.blocks import BlockTable
from calque.features import DENSE
from calque.text import Prepared, Preprocessor, Vocabulary

ORIENTATIONS = ("monotone", "swap", "discontinuous")


@dataclass(frozen=True)
class BlockUse:
    """One block of a translation."""

    source: str
    target: str
    begin: int
    """First source word, counted from 0."""
    end: int
    """One beyond the last source word."""
    orientation: str
    """Where it stands towards the block before: monotone, swap or discontinuous."""
    known: bool
    """False where the source word was copied because no block has it."""


@dataclass(frozen=True)
class Translation:
    """A translation and how it came about."""

    text: str
    """As the user reads it."""
    words: tuple[str, ...]
    """As the decoder made it, before case, numbers and spacing were restored."""
    score: float
    features: Mapping[str, float]
    """Values by name; `score` is their sum weighted by the model's weights."""
    blocks: tuple[BlockUse, ...]
    """In the order of the translation."""
    links: tuple[tuple[int, int], ...]
    """Word alignment: pairs of a source and a target position."""

    def __str__(self) -> str:
        return self.text


def read_off(
    derivation: _core.Derivation,
    prepared: Prepared,
    blocks: BlockTable,
    vocabulary: Vocabulary,
    preprocessor: Preprocessor,
) -> Translation:
    """The translation that a derivation of a prepared sentence gives."""
    words: list[str] = []
    uses: list[BlockUse] = []
    links: list[tuple[int, int]] = []
    for step in derivation.steps:
        begin = len(words)
        words += target_words(step, prepared.words, vocabulary)
        inner = blocks.inner_links(step.block).tolist() if step.block >= 0 else [(0, 0)]
        links += [(step.begin + source, begin + target) for source, target in inner]
        uses.append(
            BlockUse(
                " ".join(prepared.words[step.begin : step.end]),
                " ".join(words[begin:]),
                step.begin,
                step.end,
                ORIENTATIONS[step.orientation],
                step.block >= 0,
            )
        )
    return Translation(
        preprocessor.restore(words, prepared, links),
        tuple(words),
        derivation.score,
        dict(zip(DENSE, derivation.features, strict=True)),
        tuple(uses),
        tuple(links),
    )


def target_words(
    step: _core.Step, source: Sequence[str], vocabulary: Vocabulary
) -> tuple[str, ...]:
    """The target words of one block; what has no id is a copy of a source word."""
    return tuple(vocabulary.word(word) if word >= 0 else source[-1 - word] for word in step.target)

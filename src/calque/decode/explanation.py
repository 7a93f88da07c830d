from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import chain
from math import isclose
from typing import Any

from calque.decode.contributions import FeatureUse, added
from calque.decode.drawing import Box, Grid, Panel, box_drawing, svg, visible
from calque.decode.explanation_text import Entry, Section, table
from calque.decode.translation import BlockUse, Translation

LETTERS = {"monotone": "R", "swap": "L", "discontinuous": "N"}
"""Orientations as the block papers write them: right, left, neutral."""
ROUNDING = {"rel_tol": 1e-6, "abs_tol": 1e-9}
"""How far apart sums of the same single-precision numbers in different order may be."""


@dataclass(frozen=True)
class BlockContribution:
    """A block of a translation and the features that fired when it was put there."""

    block: BlockUse
    origin: str
    """`block` of the model, `copied` for want of one, or `required` by the user."""
    features: tuple[FeatureUse, ...]
    """The largest absolute contribution first."""

    @property
    def score(self) -> float:
        """What the block added to the score."""
        return sum(use.contribution for use in self.features)

    @property
    def letter(self) -> str:
        """The orientation: R, L or N; empty for rules, which have none."""
        return LETTERS.get(self.block.orientation, "")


@dataclass(frozen=True)
class Explanation:
    """A translation and what each of its blocks added to its score."""

    source: tuple[str, ...]
    """The source words as the decoder saw them."""
    translation: Translation
    blocks: tuple[BlockContribution, ...]
    """In the order of the translation, a rule before what fills its gaps. What the end of the
    sentence adds belongs to the last one that fills no gap."""

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"<Explanation of {self.translation!r}>"

    @property
    def score(self) -> float:
        """The sum of all contributions, which is the score of the translation."""
        return sum(block.score for block in self.blocks)

    @property
    def features(self) -> tuple[FeatureUse, ...]:
        """Sums over the sentence, the largest absolute contribution first."""
        return added(chain.from_iterable(block.features for block in self.blocks))

    def against(self, other: Explanation) -> Comparison:
        """How this translation and another of the same sentence differ."""
        return Comparison(self, other)

    def grid(self) -> Grid:
        """What there is to draw."""
        boxes = []
        for number, contribution in enumerate(self.blocks, 1):
            block = contribution.block
            spans = block.begin, block.end, block.target_begin, block.target_end
            kind = f"{block.orientation}, " if block.orientation else ""
            title = f"{_arrow(contribution)}, {kind}{contribution.score:.4f}"
            boxes.append(Box(*spans, number, contribution.letter, title, block.depth))
        return Grid(self.source, self.translation.words, tuple(boxes))

    def to_text(self, width: int | None = None, top: int | None = None) -> str:
        """The drawing and the tables, for a terminal of `width` cells.

        `top` features are shown per block, all by default. Where the drawing is too wide, or where
        rules are nested, the blocks are a list, with what fills a gap below and to the right.
        """
        return f"{self.drawing(width)}\n{self.contributions(top)}"

    def drawing(self, width: int | None = None) -> str:
        """The sentence, its translation and the blocks between them."""
        words = " ".join(self.translation.words)
        lines = [f"source       {' '.join(self.source)}", f"translation  {words}"]
        stood_in = self.translation.substituted.items()
        lines += [f"never seen   {word}, translated as: {known}" for word, known in stood_in]
        if self.translation.text != words:
            lines.append(f"text         {self.translation.text}")
        lines.append(f"score        {self.score:.4f}")
        head = "".join(visible(line) + "\n" for line in lines)
        nested = any(contribution.block.depth for contribution in self.blocks)
        drawn = None if nested else box_drawing(self.grid(), width)
        return f"{head}\n{drawn or self._list()}"

    def contributions(self, top: int | None = None) -> str:
        """A table per block, largest contributions first, and the total."""
        heads = "value", "weight", "contribution"
        sections = [
            Section(
                f"{number}{contribution.letter}  {_arrow(contribution)}",
                contribution.score,
                _entries(contribution.features),
            )
            for number, contribution in enumerate(self.blocks, 1)
        ]
        return table(heads, [*sections, Section("total", self.score)], top)

    def to_svg(self) -> str:
        """The drawing as a complete SVG document."""
        return svg(self.panels())

    def panels(self) -> list[Panel]:
        """The drawing as a part of a picture."""
        return [Panel(self.translation.text, f"score {self.score:.4f}", self.grid())]

    def to_json(self, top: int | None = None) -> dict[str, Any]:
        """Lists and numbers for JSON; `top` features per block, all by default."""
        blocks = [
            asdict(contribution.block)
            | {
                "origin": contribution.origin,
                "letter": contribution.letter,
                "score": contribution.score,
                "features": _json(contribution.features[:top]),
            }
            for contribution in self.blocks
        ]
        return {
            "source": list(self.source),
            "substituted": self.translation.substituted,
            "words": list(self.translation.words),
            "text": self.translation.text,
            "score": self.score,
            "blocks": blocks,
        }

    def _list(self) -> str:
        lines = [
            f"{'    ' * contribution.block.depth}{number}{contribution.letter}"
            f"  {contribution.block.begin + 1}-{contribution.block.end}  {_arrow(contribution)}\n"
            for number, contribution in enumerate(self.blocks, 1)
        ]
        return "".join(lines)


@dataclass(frozen=True)
class FeatureDifference:
    """A feature whose sums over two translations differ."""

    name: str
    value: float
    other_value: float
    weight: float

    @property
    def contribution(self) -> float:
        """What it adds to the first score over the other."""
        return (self.value - self.other_value) * self.weight


@dataclass(frozen=True)
class Comparison:
    """Two translations of a sentence and why one scores higher."""

    first: Explanation
    other: Explanation

    def __str__(self) -> str:
        return self.to_text()

    @property
    def score(self) -> float:
        """The score of the first less that of the other."""
        return self.first.score - self.other.score

    @property
    def differences(self) -> tuple[FeatureDifference, ...]:
        """The features whose sums differ, the largest absolute difference first."""
        first, other = (
            {use.name: use for use in explanation.features}
            for explanation in (self.first, self.other)
        )
        rows = [
            FeatureDifference(name, _value(first, name), _value(other, name), use.weight)
            for name, use in (first | other).items()
        ]
        differ = [row for row in rows if not isclose(row.value, row.other_value, **ROUNDING)]
        return tuple(sorted(differ, key=lambda row: (-abs(row.contribution), row.name)))

    def to_text(self, width: int | None = None, top: int | None = None) -> str:
        """Both drawings and the table of differences, for a terminal of `width` cells."""
        drawings = [explanation.drawing(width) for explanation in (self.first, self.other)]
        entries = [
            Entry(row.name, (row.value, row.other_value, row.weight, row.contribution))
            for row in self.differences
        ]
        heads = "first", "other", "weight", "difference"
        return "\n".join([*drawings, table(heads, [Section("all", self.score, entries)], top)])

    def to_svg(self) -> str:
        """Both drawings as one SVG document."""
        return svg(self.panels())

    def panels(self) -> list[Panel]:
        """Both drawings as parts of a picture."""
        return self.first.panels() + self.other.panels()

    def to_json(self, top: int | None = None) -> dict[str, Any]:
        """Lists and numbers for JSON; `top` features, all by default."""
        return {
            "first": self.first.to_json(top),
            "other": self.other.to_json(top),
            "score": self.score,
            "differences": _json(self.differences[:top]),
        }


def _value(uses: dict[str, FeatureUse], name: str) -> float:
    return uses[name].value if name in uses else 0.0


def _arrow(contribution: BlockContribution) -> str:
    origin = "" if contribution.origin == "block" else f" ({contribution.origin})"
    return visible(f"{contribution.block.source} → {contribution.block.target}{origin}")


def _entries(uses: tuple[FeatureUse, ...]) -> list[Entry]:
    return [Entry(use.name, (use.value, use.weight, use.contribution)) for use in uses]


def _json(rows: tuple[FeatureUse, ...] | tuple[FeatureDifference, ...]) -> list[dict[str, Any]]:
    return [asdict(row) | {"contribution": row.contribution} for row in rows]

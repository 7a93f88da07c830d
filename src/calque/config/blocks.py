from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from calque.config.option import option


@dataclass(frozen=True)
class RuleOptions:
    """Which rules, blocks with gaps, the chart decoder gets beside blocks without (Chiang 2007)."""

    max_gaps: int = option(2, "most gaps in a rule; 0 extracts no rules", least=0, most=2)
    max_span: int = option(
        10,
        "most words that a rule and what fills its gaps may cover, on either side",
        least=2,
        most=100,
    )
    max_symbols: int = option(
        5, "most words and gaps on the source side of a rule", least=2, most=8
    )
    max_target_symbols: int = option(
        8, "most words and gaps on the target side of a rule", least=1, most=8
    )
    min_gap: int = option(1, "fewest source words that a gap may cover", least=1, most=100)
    adjacent_gaps: bool = option(False, "allow two gaps side by side on the source side of a rule")
    gap_needs_words: bool = option(
        True,
        "extract a rule only if at least one of its source words is linked to one of its"
        " target words",
    )
    boundaries: Literal["tight", "loose"] = option(
        "tight",
        "what rules and their gaps may cover: only phrase pairs whose first and last words"
        " are linked, on both sides (tight), or also phrase pairs with unlinked words at their"
        " edges (loose)",
    )


@dataclass(frozen=True)
class BlockOptions:
    """How phrase pairs are taken from a word-aligned corpus and which of them are kept."""

    max_words: int = option(7, "longest phrase of a block, on either side", least=1, most=8)
    max_targets: int | None = option(
        None,
        "blocks kept per source phrase, those with the best scores; none keeps all: forced"
        " decoding uses all of them, translation only the best (decode.max_targets)",
        least=1,
    )
    min_count: int = option(
        1,
        "drop blocks seen less often than this; a word that loses all its blocks gets a"
        " made-up one",
        least=1,
    )
    min_prob: float = option(
        0.0,
        "drop blocks whose p(source | target) or p(target | source) is lower; a word keeps"
        " its best",
        least=0,
        most=1,
    )
    memory_mb: int = option(
        2048,
        "memory for counting, in MB, in addition to the corpus and its phrases; the rest goes"
        " to temporary files",
        least=1,
    )
    rules: RuleOptions = field(default_factory=RuleOptions)

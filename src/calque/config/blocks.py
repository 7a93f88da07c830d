from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from calque.config.option import option


@dataclass(frozen=True)
class RuleOptions:
    """Which rules, blocks with gaps, the chart decoder gets beside blocks without (Chiang 2007)."""

    max_gaps: int = option(2, "gaps of a rule at most; 0 takes no rules", least=0, most=2)
    max_span: int = option(
        10,
        "words that a rule and what fills its gaps cover at most, on either side",
        least=2,
        most=100,
    )
    max_symbols: int = option(
        5, "words and gaps on the source side of a rule at most", least=2, most=8
    )
    max_target_symbols: int = option(
        8, "words and gaps on the target side of a rule at most", least=1, most=8
    )
    min_gap: int = option(1, "source words that a gap covers at least", least=1, most=100)
    adjacent_gaps: bool = option(
        False, "let two gaps stand side by side on the source side of a rule"
    )
    gap_needs_words: bool = option(
        True, "take a rule only if a source word and a target word of it are linked"
    )
    boundaries: Literal["tight", "loose"] = option(
        "tight",
        "what rules and their gaps may cover: only phrase pairs whose first and last words are"
        " linked, on both sides (tight), or also such with unlinked words at their edges (loose)",
    )


@dataclass(frozen=True)
class BlockOptions:
    """How phrase pairs are taken from a word-aligned corpus and which of them are kept."""

    max_words: int = option(7, "longest phrase of a block, on either side", least=1, most=8)
    max_targets: int | None = option(
        None,
        "blocks kept per source phrase, the best by score; none keeps all: forced decoding uses"
        " them, translation the best of them (decode.max_targets)",
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
        "drop blocks of a lower p(source | target) or p(target | source); a word keeps its best",
        least=0,
        most=1,
    )
    memory_mb: int = option(
        2048,
        "memory for counting beside the corpus and its phrases; the rest goes to temporary files",
        least=1,
    )
    rules: RuleOptions = field(default_factory=RuleOptions)

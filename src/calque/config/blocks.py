from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from calque.config.option import option


@dataclass(frozen=True)
class RuleOptions:
    """Which rules, blocks with gaps, the chart decoder gets beside blocks without (Chiang 2007)."""

    max_gaps: int = option(
        2, "maximum number of gaps in a rule; 0 extracts no rules", least=0, most=2
    )
    max_span: int = option(
        10,
        "maximum number of words that a rule may cover on either side, including those in its gaps",
        least=2,
        most=100,
    )
    max_symbols: int = option(
        5, "maximum number of words and gaps on the source side of a rule", least=2, most=8
    )
    max_target_symbols: int = option(
        8, "maximum number of words and gaps on the target side of a rule", least=1, most=8
    )
    min_gap: int = option(1, "minimum number of source words in a gap", least=1, most=100)
    adjacent_gaps: bool = option(False, "allow two gaps side by side on the source side of a rule")
    gap_needs_words: bool = option(
        True,
        "extract a rule only if at least one of its source words is linked to one of its"
        " target words",
    )
    boundaries: Literal["tight", "loose"] = option(
        "tight",
        "which phrase pairs may become rules and gaps: only those whose first and last"
        " words are linked, on both sides (tight), or also those with unlinked words at"
        " their edges (loose)",
    )


@dataclass(frozen=True)
class BlockOptions:
    """How phrase pairs are taken from a word-aligned corpus and which of them are kept."""

    max_words: int = option(
        7, "longest phrase of a block, in words, on either side", least=1, most=8
    )
    max_targets: int | None = option(
        None,
        "how many blocks are kept per source phrase, the best by score; none keeps all, of"
        " which forced decoding uses every one and translation the best (decode.max_targets)",
        least=1,
    )
    min_count: int = option(
        1,
        "drop blocks that were seen less often than this; a source word that would be left"
        " without a block gets one made from its word links",
        least=1,
    )
    min_prob: float = option(
        0.0,
        "drop blocks whose p(source | target) or p(target | source) is lower than this; a"
        " word always keeps its best block",
        least=0,
        most=1,
    )
    memory_mb: int = option(
        2048,
        "memory for counting, in MB, not including the corpus and its phrases; what does"
        " not fit goes to temporary files",
        least=1,
    )
    rules: RuleOptions = field(default_factory=RuleOptions)

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calque.config.option import option


@dataclass(frozen=True)
class GrammarOptions:
    """Which features of a grammar of Hiero, cdec or Joshua become the scores of its rules."""

    scores: str = option(
        "1,2,3,4",
        "which features of the grammar are p(s|t), the lexical weight of s given t, p(t|s)"
        " and the lexical weight of t given s: their names, their positions counted from 1, or"
        " - for one that the grammar does not have",
    )
    score_values: Literal["probability", "ln", "minus-ln", "log10", "minus-log10"] = option(
        "minus-log10", "how the grammar writes the values of these features"
    )

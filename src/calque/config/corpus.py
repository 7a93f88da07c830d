from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calque.config.option import option


@dataclass(frozen=True)
class CorpusOptions:
    """Which generated corpus, and how much of it."""

    pair: Literal["near", "far"] = option("near", "language pair: nearly monotone, or reordered")
    train: int = option(20_000, "training pairs", least=1, most=10_000_000)
    dev: int = option(500, "development pairs, four references each", least=1, most=10_000_000)
    test: int = option(1_000, "test pairs, four references each", least=1, most=10_000_000)
    seed: int = option(1, "the same seed gives the same corpus", least=0)

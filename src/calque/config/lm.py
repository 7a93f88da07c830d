from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class LmOptions:
    """How a language model is estimated."""

    order: int = option(5, "longest n-gram, in words", least=1, most=7)
    prune: float = option(
        0.0,
        "drop n-grams whose removal raises perplexity by less than this fraction (1e-8 or"
        " 1e-7, for example); 0 drops none",
        least=0,
    )
    memory_mb: int = option(
        4096,
        "working memory, in MB; a corpus that needs more is counted on disk, in several passes",
        least=1,
    )
    temporary: str | None = option(
        None, "folder for working files (by default the system's temporary folder)"
    )

from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


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

from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class DefaultWeights:
    """The weights of a model that has not been tuned; the names are those of the features."""

    source_given_target: float = option(0.22, "log p(source phrase | target phrase)")
    lexical_source_given_target: float = option(0.24, "the same word by word")
    target_given_source: float = option(0.3, "log p(target phrase | source phrase)")
    lexical_target_given_source: float = option(0.05, "the same word by word")
    language_model: float = option(0.5, "log probability of the target words")
    word_count: float = option(0.44, "per target word")
    block_count: float = option(0.26, "per block")
    distance: float = option(0.17, "minus the source words jumped over")
    previous_monotone: float = option(0.37, "log p(monotone | block), towards the previous block")
    previous_swap: float = option(0.34, "log p(swap | block), towards the previous block")
    previous_discontinuous: float = option(0.19, "log p(discontinuous | block), previous block")
    next_monotone: float = option(0.33, "log p(monotone | block), towards the next block")
    next_swap: float = option(0.0, "log p(swap | block), towards the next block")
    next_discontinuous: float = option(0.25, "log p(discontinuous | block), next block")
    unknown: float = option(100.0, "minus the words copied because no block knows them")

from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class DefaultWeights:
    """The weights of a model that has not been tuned; the names are those of the features.

    Chosen by random search on the development sets of three small corpora together (image captions,
    short sentences with long-distance reordering, travel phrases), one set of weights for all; that
    of the class language model afterwards, on the same sets.
    """

    source_given_target: float = option(0.24, "log p(source phrase | target phrase)")
    lexical_source_given_target: float = option(
        0.25, "the same, from the probabilities of single words"
    )
    target_given_source: float = option(0.36, "log p(target phrase | source phrase)")
    lexical_target_given_source: float = option(
        0.08, "the same, from the probabilities of single words"
    )
    language_model: float = option(0.5, "log probability of the target words")
    class_language_model: float = option(0.1, "log probability of the classes of target words")
    word_count: float = option(0.48, "per target word")
    block_count: float = option(0.33, "per block")
    distance: float = option(0.14, "minus the number of source words jumped over")
    previous_monotone: float = option(0.82, "log p(monotone | block), towards the previous block")
    previous_swap: float = option(0.41, "log p(swap | block), towards the previous block")
    previous_discontinuous: float = option(
        0.09, "log p(discontinuous | block), towards the previous block"
    )
    next_monotone: float = option(0.35, "log p(monotone | block), towards the next block")
    next_swap: float = option(0.0, "log p(swap | block), towards the next block")
    next_discontinuous: float = option(0.46, "log p(discontinuous | block), towards the next block")
    unknown: float = option(
        100.0, "minus the number of words copied because no block contains them"
    )

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from calque.config.option import option


@dataclass(frozen=True)
class JumpOptions:
    """How the probabilities of jumps on the source side are estimated."""

    clip: int = option(9, "jumps longer than this are treated as this long", least=1, most=100)
    smoothing: float = option(0.1, "added to the count of every jump", least=1e-6)


@dataclass(frozen=True)
class LexicalOptions:
    """Where the word translation probabilities of lexical weights come from."""

    lexicon: Literal["model1", "blocks"] = option(
        "model1",
        "where word translation probabilities come from: Model 1 trained on the bitext"
        " (model1), or the counts of single-word blocks (blocks)",
    )
    model1_iterations: int = option(5, "iterations of EM, with lexicon=model1", least=1)


@dataclass(frozen=True)
class EventOptions:
    """How events (one block follows another) are found in the bitext."""

    max_words: int = option(
        80, "sentence pairs with a longer side give no events", least=1, most=1000
    )
    max_placements: int = option(
        50,
        "maximum number of occurrences of a block that are considered in a sentence pair",
        least=1,
    )
    boundary_block: bool = option(
        False,
        "put an empty block before both sentences, so that the first block is to the right"
        " of it (as in a search with decode.first_block=right) and not neutral",
    )
    memory_mb: int = option(
        1024,
        "memory for counting pairs of blocks, in MB; pairs that do not fit are counted in"
        " further passes",
        least=1,
    )


@dataclass(frozen=True)
class LocalModelOptions:
    """How the features of the local model are counted."""

    events: EventOptions = field(default_factory=EventOptions)
    bigram_threshold: int = option(
        3,
        "pairs of neighbouring blocks become features if they were seen more often than this",
        least=0,
    )
    lexical_norm: Literal["source", "target"] = option(
        "source",
        "the side on which lexical probabilities are normalised: those of all single-word"
        " blocks with the same word on this side add up to 1",
    )
    unigram_per_word: Literal["decoder", "both", "none"] = option(
        "decoder",
        "when ln p(block) is divided by the number of its source words: in decoding"
        " (decoder), also while the local model is trained with tune --method local (both), or"
        " never (none)",
    )

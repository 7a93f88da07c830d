from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calque.config.option import option


@dataclass(frozen=True)
class LeaveOneOutOptions:
    """What the model forgets of a training pair while that pair itself is decoded."""

    what: Literal["counts", "one-count"] = option(
        "counts",
        "what is forgotten about a sentence pair: its share of all counts (counts), or only"
        " the blocks that occur in no other pair (one-count); the flag is `--leave-one-out`",
    )
    unseen_log_prob: float | None = option(
        -20.0,
        "log probability, in both directions, of a block that occurs in no other pair; none"
        " drops such blocks; not used by one-count",
        most=0,
    )
    unseen_log_prob_per_word: float = option(
        0.0, "added to unseen_log_prob for every source and target word of the block", most=0
    )

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calque.config.option import option


@dataclass(frozen=True)
class LeaveOneOutOptions:
    """What the model forgets of a training pair while that pair itself is decoded."""

    what: Literal["counts", "one-count"] = option(
        "counts",
        "the pair's share in the counts of its blocks, or only blocks that occur once in the"
        " corpus, in this pair (as a flag: `--leave-one-out`)",
    )
    unseen_log_prob: float | None = option(
        -20.0,
        "log probability, in both directions, of a block that no other pair has; none drops the"
        " block; of no concern to one-count",
        most=0,
    )
    unseen_log_prob_per_word: float = option(
        0.0, "added to it for every word of the block, on both sides", most=0
    )

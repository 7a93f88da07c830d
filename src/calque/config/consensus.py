from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class ConsensusOptions:
    """How the candidate that agrees most with its list is found."""

    length: int = option(100, "candidates in the n-best list of each system", least=1)
    scale: float = option(
        2.0,
        "sharpness of the distribution over candidates, whose probabilities are"
        " proportional to exp(scale * score): with 0 all are equally probable, with a large"
        " value only the best counts",
        least=0,
    )

from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class ConsensusOptions:
    """How the candidate that agrees most with its list is found."""

    length: int = option(100, "candidates in the n-best list of each system", least=1)
    scale: float = option(
        2.0,
        "the factor of scores in the probabilities of candidates, which grow with"
        " exp(scale * score): 0 makes all equally probable, a large one leaves the best alone",
        least=0,
    )

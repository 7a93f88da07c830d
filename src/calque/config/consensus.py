from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class ConsensusOptions:
    """How the candidate that agrees most with its list is found."""

    length: int = option(100, "candidates in the n-best list of each system", least=1)
    scale: float = option(
        2.0,
        "factor of the scores in the probabilities of candidates, which are proportional to"
        " exp(scale * score): 0 makes all equally probable, a large factor leaves only the"
        " best",
        least=0,
    )

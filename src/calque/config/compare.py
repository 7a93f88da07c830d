from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class CompareOptions:
    """How systems are compared."""

    trials: int = option(
        10_000, "number of bootstrap resamples and of randomisation trials", least=1
    )
    seed: int = option(1, "seed of both tests", least=0)
    level: float = option(
        0.05, "significance level; intervals have the confidence 1 - level", least=0, most=1
    )

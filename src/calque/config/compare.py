from __future__ import annotations

from dataclasses import dataclass

from calque.config.option import option


@dataclass(frozen=True)
class CompareOptions:
    """How systems are compared."""

    trials: int = option(
        10_000, "resamples of the bootstrap and trials of the randomisation test", least=1
    )
    seed: int = option(1, "seed of both", least=0)
    level: float = option(
        0.05, "p-values up to this are significant; intervals cover the rest", least=0, most=1
    )

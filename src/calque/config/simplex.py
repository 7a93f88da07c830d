from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calque.config.option import option


@dataclass(frozen=True)
class SimplexOptions:
    """How the simplex method searches for weights, decoding the whole text for each evaluation."""

    start: Literal["uniform", "model"] = option(
        "uniform", "begin with equal weights, or with those of the model"
    )
    loosen: bool = option(
        True, "halve the weights at the start until the threshold no longer cuts what matters"
    )
    norm: Literal["none", "l1"] = option(
        "none", "scale weights before decoding: not at all, or to a mean absolute value of 1"
    )
    fixed: str = option("", "features whose weights stay as they are, separated by commas")
    clamp: bool = option(False, "decode with 0 in place of negative weights")
    step: float = option(0.3, "edges of a fresh simplex, as a share of the mean weight", least=1e-6)
    max_evaluations: int = option(200, "most evaluations of one descent", least=1)
    restarts: int = option(1, "further descents, each from the end of the one before", least=0)
    spread: float = option(
        1e-4, "converged: relative difference of error between best and worst vertex", least=0
    )
    size: float = option(
        1e-2, "converged: distance of vertices from the best, as a share of its mean", least=0
    )
    stack_size: int = option(100, "hypotheses kept per stack", least=1)
    threshold: float = option(
        10.0, "cut hypotheses whose score is this far below the stack's best; 0: none", least=0
    )

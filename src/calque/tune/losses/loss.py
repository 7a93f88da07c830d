from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from calque.tune.problem import Vector
from calque.tune.sentence import Direction, Sentence


class Loss(Protocol):
    """What is wrong with weights, sentence by sentence."""

    def direction(
        self, sentence: Sentence, weights: Vector, free: NDArray[np.bool_]
    ) -> Direction | None:
        """Where the free weights should go; none where nothing is wrong."""

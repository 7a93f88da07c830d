from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque.tune.problem import Vector
from calque.tune.sentence import Direction, Sentence


class HopeFearLoss:
    """Hope (good score and good worth) should beat fear by their difference in worth.

    Chiang 2012; what batch MIRA minimises.
    """

    def direction(
        self, sentence: Sentence, weights: Vector, free: NDArray[np.bool_]
    ) -> Direction | None:
        """From fear towards hope, where the margin is missed."""
        scores, gains = sentence.scores(weights), sentence.gains
        hope, fear = int(np.argmax(scores + gains)), int(np.argmax(scores - gains))
        margin = gains[hope] - gains[fear]
        violation = margin - (scores[hope] - scores[fear])
        if margin <= 0 or violation <= 0:
            return None
        return sentence.direction(hope, fear, float(violation), free)

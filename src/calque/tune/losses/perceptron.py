from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque.tune.problem import Vector
from calque.tune.sentence import Direction, Sentence


class PerceptronLoss:
    """The choice of the weights against the candidate of highest worth (Collins 2002)."""

    def direction(
        self, sentence: Sentence, weights: Vector, free: NDArray[np.bool_]
    ) -> Direction | None:
        """From the chosen candidate towards the best one, where it is better."""
        scores = sentence.scores(weights)
        chosen, best = int(np.argmax(scores)), int(np.argmax(sentence.gains))
        if sentence.gains[best] <= sentence.gains[chosen]:
            return None
        return sentence.direction(best, chosen, float(scores[chosen] - scores[best]), free)

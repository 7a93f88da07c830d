from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque.tune.problem import Vector
from calque.tune.sentence import Direction, Sentence


class PerceptronLoss:
    """The choice of the weights against the candidate of highest worth (Collins 2002).

    Where several candidates have the highest score, as all have under weights of 0, the worst of
    them counts as the choice: otherwise nothing might ever move. With `all_truths` the step is the
    mean over the truths; a choice that is a truth is right.
    """

    def __init__(self, all_truths: bool = False, near: int = 0) -> None:
        """Say whether all truths have a part in a step; `near` is as in `Sentence.truths`."""
        self.all_truths = all_truths
        self.near = near

    def direction(
        self, sentence: Sentence, weights: Vector, free: NDArray[np.bool_]
    ) -> Direction | None:
        """From the chosen candidate towards the best one, where it is better."""
        scores, gains = sentence.scores(weights), sentence.gains
        chosen = max(range(len(scores)), key=lambda row: (scores[row], -gains[row]))
        if chosen < sentence.n_truths:
            return None
        truths = sentence.truths(scores, self.all_truths, self.near)
        share, shares, loss = 1 / len(truths), list[tuple[int, float]](), 0.0
        for truth in truths:
            if gains[truth] > gains[chosen]:
                shares += [(truth, share), (chosen, -share)]
                loss += share * float(scores[chosen] - scores[truth])
        return sentence.mixture(shares, loss, free)

from __future__ import annotations

import numpy as np

from calque.tune.problem import Vector
from calque.tune.sentence import Direction


class Rprop:
    """Steps by the sign of the direction alone (Riedmiller & Braun 1993, Wuebker et al. 2015).

    A step grows while the sign stays and shrinks where it turns; then the weight goes back to where
    it was before, and the sign is forgotten: it was that of another place. With `as_printed` it is
    remembered, as printed by Wuebker et al.; the weight then goes to and fro between two places.
    For directions of whole passes: those of single sentences turn all the time.
    """

    def __init__(
        self,
        n_features: int,
        *,
        first: float | Vector = 1e-3,
        increase: float = 1.2,
        decrease: float = 0.5,
        least: float = 1e-9,
        most: float = 1.0,
        as_printed: bool = False,
    ) -> None:
        """Take how many weights there are, and their first steps.

        Then by what steps grow and shrink, and within which limits.
        """
        self.increase, self.decrease = increase, decrease
        self.least, self.most = np.float32(least), np.float32(most)
        self.as_printed = as_printed
        self.steps = np.full(n_features, first, np.float32)
        self.signs = np.zeros(n_features, np.int8)
        self.before = np.zeros(n_features)

    def move(self, weights: Vector, direction: Direction) -> None:
        """Move the weights of the direction's features, one by one."""
        for feature, value in zip(direction.features.tolist(), direction.values, strict=True):
            sign = np.int8(np.sign(value))
            agreement = int(sign) * int(self.signs[feature])
            if agreement < 0:
                shorter = np.float32(self.decrease * float(self.steps[feature]))
                self.steps[feature] = max(shorter, self.least)
                weights[feature], self.before[feature] = self.before[feature], weights[feature]
                self.signs[feature] = sign if self.as_printed else 0
                continue
            if agreement > 0:
                longer = np.float32(self.increase * float(self.steps[feature]))
                self.steps[feature] = min(longer, self.most)
            self.before[feature] = weights[feature]
            weights[feature] += sign * float(self.steps[feature])
            self.signs[feature] = sign

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque.tune.problem import Vector


class Mixture:
    """The mean of what learners made of the same numbers, over those that know each.

    After McDonald, Hall & Mann (2010). A learner that never meets a feature leaves its number
    alone, and would only hold rare features back.
    """

    def __init__(self, before: Vector) -> None:
        """Take what all learners began with."""
        self._before = before
        self._moved = np.zeros(len(before))
        self._n_knowing = np.zeros(len(before), np.int32)

    def add(self, own: NDArray[np.int64], after: Vector) -> None:
        """Add what a learner made of the numbers at these places, the only ones that it knows."""
        self._moved[own] += after - self._before[own]
        self._n_knowing[own] += 1

    def result(self) -> Vector:
        """The mean; what nobody knows is as it was."""
        moved = self._moved / np.maximum(self._n_knowing, 1)
        moved += self._before
        return moved

"""What comes out of an iteration: the learned weights, less what was only learned beside them."""

from __future__ import annotations

import math

import numpy as np

from calque.errors import OptionError
from calque.features import SparseWeights, Weights
from calque.tune.decoder_task import DecoderTask
from calque.tune.freezing import free_features


class Outcome:
    """Gives some weights back as they began, and finds the factor of the sparse ones on dev.

    The reference of a sentence scores worse than what the model prefers for reasons that no single
    feature is to blame for: its blocks are shorter, it jumps more. Weights of what is common to all
    references (the dense ones, say) learn that first, and so keep it out of the others; for
    translating they are of no use.
    """

    def __init__(self, task: DecoderTask, start: Weights, reset: str, factors: str) -> None:
        """Take the first weights, what is reset at the end, and the factors to try, with commas."""
        self._task = task
        self._start = start
        self._reset = reset
        self._factors = _numbers(factors)
        free_features(reset, task.source, np.empty(0, np.uint64), option="reset_at_end")

    def of(self, learned: Weights) -> Weights:
        """The weights that come out."""
        given = self._put_back(learned) if self._reset else learned
        scaled = [_times(given, factor) for factor in self._factors]
        if len(scaled) == 1:
            return scaled[0]
        judge = self._task.judge
        worth = [judge.sign * judge.verdict(self._task.translate(w)).score for w in scaled]
        return scaled[int(np.argmax(worth))]

    def _put_back(self, learned: Weights) -> Weights:
        keys, values = learned.sparse.to_arrays().values()
        names = self._task.source.dense_names
        kept = free_features(self._reset, self._task.source, keys)
        dense = np.where(kept[: len(names)], learned.vector(names), self._start.vector(names))
        stays = kept[len(names) :]
        sparse = SparseWeights.from_arrays(keys[stays], values[stays])
        before, first = self._start.sparse.to_arrays().values()
        again = ~free_features(self._reset, self._task.source, before)[len(names) :]
        if again.any():
            sparse = sparse.merged(SparseWeights.from_arrays(before[again], first[again]))
        return Weights(dict(zip(names, dense.tolist(), strict=True)), sparse)


def _times(weights: Weights, factor: float) -> Weights:
    if factor == 1 or not len(weights.sparse):
        return weights
    return Weights(weights, weights.sparse.scaled(factor))


def _numbers(factors: str) -> list[float]:
    try:
        numbers = [float(part) for part in factors.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(math.isfinite(number) and number > 0 for number in numbers):
        raise OptionError(f"sparse_factors={factors}: expected numbers above 0 with commas between")
    return numbers

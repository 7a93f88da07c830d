"""Weights of an online learner: dense ones, and sparse ones that join when they are first met."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.features import SparseWeights, Weights
from calque.tune.freezing import NamedFeatures, free_features
from calque.tune.problem import Vector

PARTS = ("weights", "lag", "squares")


class LearnedWeights:
    """Moves weights step by step; tens of millions of sparse ones, each step in time of its size.

    The table of sparse weights that the decoder reads changes in place. The mean over all steps is
    weights - lag / n_steps: a change at step s counts s - 1 steps too much.
    """

    def __init__(
        self,
        source: NamedFeatures,
        start: Weights,
        fixed: str,
        rates: tuple[float, float],
        *,
        adaptive: bool,
        keeps_dense_size: bool = False,
        threads: int = 1,
    ) -> None:
        """Take the first weights, what may not move, and the rates of dense and sparse weights.

        With `adaptive`, rates shrink feature by feature with what it has moved (AdaGrad). With
        `keeps_dense_size` the magnitudes of the dense weights that move keep their sum. Threads
        never change a result.
        """
        self._source = source
        self._fixed = fixed
        self._rates = rates
        self._adaptive = adaptive
        self._rule = (_core.AdaGradUpdate if adaptive else _core.SgdUpdate)(*rates)
        self._keeps_dense_size = keeps_dense_size
        self._threads = threads
        self._names = source.dense_names
        self._free_dense = free_features(fixed, source, np.empty(0, np.uint64))
        self._dense = {name: np.zeros(len(self._names)) for name in PARTS}
        self._dense["weights"] = start.vector(self._names)
        self._index = _core.FeatureIndex()
        self._sparse = {name: np.zeros(0) for name in PARTS}
        self._is_free = np.zeros(0, bool)
        self._table = _core.SparseTable()
        self.n_steps = 0
        arrays = start.sparse.to_arrays()
        self._put(arrays["keys"], {"weights": arrays["values"].astype(np.float64)})

    @property
    def n_sparse(self) -> int:
        """Sparse features met so far."""
        return len(self._index)

    @property
    def current(self) -> Weights:
        """The weights now; the sparse ones are those that the next step changes."""
        dense = dict(zip(self._names, self._dense["weights"].tolist(), strict=True))
        return Weights(dense, SparseWeights(self._table))

    def kept(self, average: bool) -> Weights:
        """A copy of the weights now, or of their mean over all steps; without those of 0."""
        share = 1 / self.n_steps if average and self.n_steps else 0.0
        dense = self._dense["weights"] - share * self._dense["lag"]
        n = len(self._index)
        sparse = self._sparse["weights"][:n] - share * self._sparse["lag"][:n]
        values = sparse.astype(np.float32)
        kept = values != 0
        table = SparseWeights.from_arrays(self._index.keys()[kept], values[kept])
        return Weights(dict(zip(self._names, dense.tolist(), strict=True)), table)

    @property
    def is_finite(self) -> bool:
        """Whether no dense weight has run away."""
        return bool(np.isfinite(self._dense["weights"]).all())

    def move(self, dense: Vector, keys: NDArray[np.uint64], values: NDArray[np.float64]) -> None:
        """Take a step in a direction of these dense and sparse values; keys are distinct."""
        self._move_dense(dense)
        columns = self._columns(keys)
        if self._fixed:
            free = self._is_free[columns]
            columns, keys, values = columns[free], keys[free], values[free]
        moved = _core.move_columns(
            self._rule,
            columns,
            values,
            self.n_steps,
            self._sparse["weights"],
            self._sparse["lag"],
            self._sparse["squares"],
            threads=self._threads,
        )
        self._table.set_many(keys, moved, threads=self._threads)
        self.n_steps += 1

    def _move_dense(self, direction: Vector) -> None:
        features = np.flatnonzero(self._free_dense & (direction != 0))
        values = direction[features]
        before = self._dense["weights"].copy()
        with np.errstate(over="ignore", invalid="ignore"):  # whoever learns looks at `is_finite`
            change = self._rates[0] * values
            if self._adaptive:
                self._dense["squares"][features] += values**2
                change /= np.sqrt(self._dense["squares"][features])
            self._dense["weights"][features] += change
            self._dense["lag"][features] += self.n_steps * change
        if self._keeps_dense_size:
            self._resize(before)

    def _resize(self, before: Vector) -> None:
        """Bring the dense weights that may move back to the size that they had before a step."""
        free, weights = self._free_dense, self._dense["weights"]
        size = np.abs(weights[free]).sum()
        if size > 0 and np.isfinite(size):
            resized = weights[free] * (np.abs(before[free]).sum() / size)
            self._dense["lag"][free] += self.n_steps * (resized - weights[free])
            weights[free] = resized

    def _columns(self, keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        n_known = len(self._index)
        columns = self._index.add(keys, threads=self._threads)
        n = len(self._index)
        if n > len(self._is_free):
            room = max(n, 3 * len(self._is_free) // 2, 1024)
            self._sparse = {name: _grown(part, room) for name, part in self._sparse.items()}
            self._is_free = _grown(self._is_free, room)
        if self._fixed and n > n_known:
            new = self._index.keys(n_known)
            free = free_features(self._fixed, self._source, new)
            self._is_free[n_known:n] = free[len(self._names) :]
        return columns

    def _put(self, keys: NDArray[np.uint64], parts: Mapping[str, Vector]) -> None:
        columns = self._columns(keys)
        for name, values in parts.items():
            self._sparse[name][columns] = values
        self._table.reserve(keys)
        self._table.set_many(keys, self._sparse["weights"][columns].astype(np.float32))

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that the next step depends on."""
        n = len(self._index)
        dense = {f"dense_{name}": part.copy() for name, part in self._dense.items()}
        sparse = {f"sparse_{name}": part[:n].copy() for name, part in self._sparse.items()}
        return {
            "keys": self._index.keys(),
            "n_steps": np.array(self.n_steps),
            **dense,
            **sparse,
        }

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Go on from what `state` gave."""
        self.n_steps = int(state["n_steps"])
        self._dense = {name: state[f"dense_{name}"].copy() for name in PARTS}
        self._index = _core.FeatureIndex()
        self._table = _core.SparseTable()
        self._put(state["keys"], {name: state[f"sparse_{name}"] for name in PARTS})

    def mix(self, states: Iterable[Mapping[str, NDArray[Any]]]) -> None:
        """Take the mean of learners that went on from here, each with its own `state`.

        A weight becomes the mean over those that have moved it: the others did not meet its
        feature, and would only hold rare ones back. What is remembered of it likewise. Who took
        fewer steps than others stays where it was meanwhile.
        """
        dense, sparse = _Mixture(self._dense), _Mixture(self._sparse)
        n_steps = self.n_steps
        for state in states:
            n_steps = max(n_steps, int(state["n_steps"]))
            dense.add(np.arange(len(self._names)), {n: state[f"dense_{n}"] for n in PARTS})
            columns = self._columns(state["keys"]).astype(np.int64)
            sparse.before = self._sparse  # larger where features were met for the first time
            sparse.add(columns, {name: state[f"sparse_{name}"] for name in PARTS})
        self._dense, self._sparse = dense.result(), sparse.result()
        self.n_steps = n_steps
        keys = self._index.keys()
        self._table.reserve(keys)
        weights = self._sparse["weights"][: len(keys)].astype(np.float32)
        self._table.set_many(keys, weights, threads=self._threads)


class _Mixture:
    """The mean of what several learners made of the same numbers, over those that changed them."""

    def __init__(self, before: Mapping[str, Vector]) -> None:
        """Take what all began with."""
        self.before = before
        self._sums: dict[str, Vector] = {name: np.zeros(0) for name in before}
        self._n = np.zeros(0)

    def add(self, columns: NDArray[np.int64], after: Mapping[str, Vector]) -> None:
        """Add the end of one learner, which has some of the columns."""
        room = len(self.before["weights"])
        if len(self._n) < room:
            self._sums = {name: _grown(sums, room) for name, sums in self._sums.items()}
            self._n = _grown(self._n, room)
        has_moved = np.zeros(len(columns), bool)
        for name, values in after.items():
            change = values - self.before[name][columns]
            has_moved |= change != 0
            self._sums[name][columns] += change
        self._n[columns] += has_moved

    def result(self) -> dict[str, Vector]:
        """The mean."""
        n = np.maximum(self._n, 1)
        return {
            name: values + _grown(self._sums[name] / n, len(values))
            if len(self._n)
            else values.copy()
            for name, values in self.before.items()
        }


def _grown(array: NDArray[Any], room: int) -> NDArray[Any]:
    grown = np.zeros(room, array.dtype)
    grown[: len(array)] = array
    return grown

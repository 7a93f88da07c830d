"""Rules for gradients that have a value for every weight: the core's forms of the other files."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.tune.problem import Vector


class GradientRule(ABC):
    """Moves all weights at once; what it remembers of each is in arrays that grow with them."""

    def __init__(self, **new: tuple[type[Any], float]) -> None:
        """Take the type of every array, and what it holds for a weight that never moved."""
        self._new = new
        self.memory: dict[str, NDArray[Any]] = {
            name: np.empty(0, kind) for name, (kind, _) in new.items()
        }

    @abstractmethod
    def step(self, weights: Vector, gradient: Vector, n_dense: int, threads: int) -> None:
        """Go uphill; the first `n_dense` weights are of dense features."""

    def grow(self, n_weights: int, n_dense: int) -> None:
        """Remember something of so many weights, of which the first ones may be known.

        The first `n_dense` are of dense features: nothing is new of these later on.
        """
        for name, (kind, value) in self._new.items():
            known = self.memory[name]
            if len(known) < n_weights:
                self.memory[name] = np.full(n_weights, value, kind)
                self.memory[name][: len(known)] = known

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that it remembers."""
        return self.memory

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Remember what `state` gave."""
        self.memory = {name: np.array(state[name]) for name in self._new}


class GradientSgd(GradientRule):
    """Steps of constant rate (`updates.sgd`)."""

    def __init__(self, dense_rate: float, sparse_rate: float, l1: float) -> None:
        """Take the rates, and the penalty on absolute sparse weights."""
        super().__init__()
        self.rates = dense_rate, sparse_rate, l1
        self.core = _core.SgdStep(*self.rates)

    def step(self, weights: Vector, gradient: Vector, n_dense: int, threads: int) -> None:
        """Add the gradient times the rates."""
        _core.gradient_step(self.core, gradient, n_dense, weights, threads)


class GradientAdaGrad(GradientRule):
    """Rates that shrink weight by weight (`updates.adagrad`)."""

    def __init__(self, dense_rate: float, sparse_rate: float, l1: float) -> None:
        """Take the rates, and the penalty on absolute sparse weights."""
        super().__init__(squares=(np.float64, 0.0))
        self.rates = dense_rate, sparse_rate, l1
        self.core = _core.AdaGradStep(*self.rates)

    def step(self, weights: Vector, gradient: Vector, n_dense: int, threads: int) -> None:
        """Add the gradient over the root of all its squares up to now."""
        squares = self.memory["squares"]
        _core.gradient_step(self.core, gradient, n_dense, weights, threads, squares)


class GradientRprop(GradientRule):
    """Steps by signs (`updates.rprop`)."""

    def __init__(
        self,
        dense_first: float,
        sparse_first: float,
        increase: float,
        decrease: float,
        least: float,
        most: float,
        as_printed: bool,
    ) -> None:
        """Take the first steps, and how steps change, within limits."""
        super().__init__(
            before=(np.float64, 0.0), signs=(np.int8, 0), steps=(np.float32, sparse_first)
        )
        self._dense_first = dense_first
        self.core = _core.RpropStep(increase, decrease, least, most, as_printed)

    def grow(self, n_weights: int, n_dense: int) -> None:
        """Remember something of so many weights, of which the first ones may be known."""
        is_new = not len(self.memory["steps"])
        super().grow(n_weights, n_dense)
        if is_new:
            self.memory["steps"][:n_dense] = self._dense_first

    def step(self, weights: Vector, gradient: Vector, n_dense: int, threads: int) -> None:
        """Move every weight by its step, or back."""
        memory = self.memory
        arrays = memory["before"], memory["steps"], memory["signs"]
        _core.rprop_step(self.core, gradient, weights, *arrays, threads)

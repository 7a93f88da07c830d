"""The pass over all lists where an engine runs its tasks: expected worth and derivatives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque._core import add_derivatives, sentence_worths
from calque.parallel import Engine, Shared
from calque.tune.problem import Vector
from calque.tune.shard import rows_of, shard_of
from calque.tune.working_copy import WorkingCopy
from calque.tune.xbleu.worth_shard import WorthShard

SENTENCES = 2048
"""Whose lists travel together at least."""
MOST_SHARDS = 256
"""Each is a file or an object of its own while it is shared."""


class Found(NamedTuple):
    """What a task finds of the sentences of a shard, each on its own."""

    worths: Vector
    """Expected worth of the candidates of every sentence."""
    dense: Vector
    """Derivatives by dense features, a row per sentence."""
    sparse: Vector
    """Derivatives by the features of every sentence, side by side."""


@dataclass(frozen=True, eq=False)
class _Known:
    """What stays here of a shard: it is looked at elsewhere."""

    shard: Shared[WorthShard]
    own: NDArray[np.int32]
    """The sparse features of the shard, rising, by their number here."""
    offsets: NDArray[np.int64]
    features: NDArray[np.int32]
    """Those of every sentence, from `offsets[s]` to `offsets[s + 1]`, by their number here."""


class EnginePass:
    """The sum over sentences of the expected worth of a candidate, with the bits of the core.

    Shards of the sentences are brought to the workers once. In a pass each is given the weights of
    its own features and gives what it finds sentence by sentence, which is added up here in the
    order of the sentences, as the core adds it: no bit depends on the engine, nor on the shards.
    """

    def __init__(self, copy: WorkingCopy, worths: Vector, scale: float, engine: Engine) -> None:
        """Take lists, what each candidate is worth, and where to work."""
        self._engine = engine
        self._n_dense = copy.dense.shape[1]
        size = max(SENTENCES, -(-copy.n_sentences // MOST_SHARDS))
        cuts = [*range(0, copy.n_sentences, size), copy.n_sentences]
        self._shards = [
            _known(copy, worths, scale, first, last, engine) for first, last in pairwise(cuts)
        ]

    def __call__(self, weights: Vector, gradient: Vector | None = None) -> float:
        """The sum; its derivatives by the weights are added to `gradient`."""
        n_dense, total = self._n_dense, 0.0
        for known, found in zip(self._shards, self._found(weights, gradient), strict=True):
            total = float(np.cumsum(np.append(total, found.worths))[-1])  # one after the other
            if gradient is not None:
                rows = known.offsets, known.features
                add_derivatives(found.dense, found.sparse, *rows, n_dense, gradient, threads=1)
        return total

    def _found(self, weights: Vector, gradient: Vector | None) -> Iterator[Found]:
        n_dense, engine = self._n_dense, self._engine
        items = (
            (known.shard, np.concatenate([weights[:n_dense], weights[n_dense:][known.own]]))
            for known in self._shards
        )
        work = partial(_look, gradient is not None, engine.threads_per_task)
        return engine.ordered_map(work, items)


def _known(
    copy: WorkingCopy, worths: Vector, scale: float, first: int, last: int, engine: Engine
) -> _Known:
    """The sentences from `first` up to `last`, brought to the workers."""
    lists, own, features = shard_of(copy, first, last)
    shard = WorthShard(lists, worths[rows_of(copy, first, last)], scale)
    return _Known(engine.share(shard), own, lists.arrays["feature_offsets"], features)


def _look(
    derive: bool, threads: int, shard_and_weights: tuple[Shared[WorthShard], Vector]
) -> Found:
    """The task of an engine."""
    shared, weights = shard_and_weights
    shard = shared.get()
    worths = sentence_worths(shard.lists, shard.worths, shard.scale, weights, derive, threads)
    return Found(*worths)

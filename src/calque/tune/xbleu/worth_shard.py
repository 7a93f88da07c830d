from __future__ import annotations

from dataclasses import dataclass

from calque._core import DifferenceLists
from calque.tune.problem import Vector
from calque.tune.shard import Shard


@dataclass(frozen=True, eq=False)
class WorthShard:
    """The lists of some sentences, and what their candidates are worth."""

    shard: Shard
    worths: Vector
    scale: float

    @property
    def lists(self) -> DifferenceLists:
        """The core's view of the lists."""
        return self.shard.lists

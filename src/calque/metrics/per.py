from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from calque._core import EditKind
from calque.metrics.edits import WordErrorRate


@dataclass(frozen=True)
class Per(WordErrorRate):
    """Position-independent error rate: word error rate where order does not count.

    Edits are max(|h|, |r|) minus the words in common, against the reference with the lowest rate,
    of several the one with fewest edits.
    """

    name: ClassVar[str] = "per"
    kind: ClassVar[EditKind] = EditKind.bag

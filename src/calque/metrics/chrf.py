from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque._core import ChrfReferences
from calque.errors import OptionError
from calque.metrics.metric import Metric, PreparedReferences, Statistics
from calque.metrics.prepared import Prepared, interleave, ratio
from calque.metrics.signature import case, sacrebleu_signature
from calque.parallel import n_workers


@dataclass(frozen=True)
class Chrf(Metric):
    """chrF, or chrF++ with a word order of 2; equal to sacreBLEU's."""

    name: ClassVar[str] = "chrf"
    higher_is_better = True

    char_order: int = 6
    word_order: int = 0
    beta: float = 2
    """Recall weighs this many times as much as precision."""
    lowercase: bool = False

    def __post_init__(self) -> None:
        if self.char_order < 1:
            raise OptionError(f"char_order={self.char_order}: expected at least 1")
        if self.word_order < 0:
            raise OptionError(f"word_order={self.word_order}: expected at least 0")
        if not 0 < self.beta < np.inf:
            raise OptionError(f"beta={self.beta}: expected a number above 0")
        orders = [f"char_{n}" for n in range(1, self.char_order + 1)]
        orders += [f"word_{n}" for n in range(1, self.word_order + 1)]
        counts = ("hypothesis", "reference", "matches")
        names = tuple(f"{count}_{order}" for order in orders for count in counts)
        object.__setattr__(self, "statistics_names", names)

    @property
    def signature(self) -> str:
        """The one of sacreBLEU, with `beta` where it is not 2."""
        beta = {} if self.beta == 2 else {"beta": f"{self.beta:g}"}
        return sacrebleu_signature(
            case=case(self.lowercase),
            eff=True,
            nc=self.char_order,
            nw=self.word_order,
            space=False,
            **beta,
        )

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References with their character and word n-grams counted."""

        def clean(lines: Sequence[str]) -> list[str]:
            return [line.lower() for line in lines] if self.lowercase else list(lines)

        lines = clean(interleave(references))
        core = ChrfReferences(
            lines, len(references), self.char_order, self.word_order, float(self.beta)
        )

        def count(hypotheses: list[str], sentences: NDArray[np.int64]) -> Statistics:
            return core.statistics(hypotheses, sentences, n_workers())

        return Prepared(len(references[0]), len(self.statistics_names), clean, count)

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """The F-score of mean precision and mean recall over the orders that both sides have."""
        n_hypothesis, n_reference, n_shared = (statistics[..., i::3] for i in range(3))
        present = (n_hypothesis > 0) & (n_reference > 0)
        n_orders = present.sum(axis=-1).astype(np.float64)
        precision = ratio((ratio(n_shared, n_hypothesis) * present).sum(axis=-1), n_orders)
        recall = ratio((ratio(n_shared, n_reference) * present).sum(axis=-1), n_orders)
        factor = self.beta**2
        return 100 * ratio((1 + factor) * precision * recall, factor * precision + recall)

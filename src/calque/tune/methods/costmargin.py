from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calque import _core
from calque.config import option
from calque.tune.relevant.trainer import RelevantSetOptions, RelevantSetTrainer


@dataclass(frozen=True)
class CostmarginOptions(RelevantSetOptions):
    """Costmargin on relevant sets: a margin weighted by the metric (Tillmann & Zhang 2008)."""

    alternative_choice: Literal["loss", "linear", "literal"] = option(
        "loss",
        "which alternative is learned from: the one with the largest loss (loss), with the"
        " largest (difference in worth) * (1 - difference in score) (linear), or with the"
        " smallest, as the paper prints it (literal)",
        was="select",
    )
    margin_factor: bool = option(
        True,
        "make steps proportional to the missing margin; if false, always make full steps,"
        " as in table II of the paper",
    )


class Costmargin(RelevantSetTrainer):
    """Costmargin on relevant sets (Tillmann & Zhang 2008).

    The best candidate of each sentence should beat every other by a margin of 1; the alternative
    that misses it most, weighted by how much worse it is by the metric, is learned from. Candidates
    are all decoder outputs so far; weights are learned anew from them in every round.
    """

    method = "costmargin"
    Options = CostmarginOptions
    options: CostmarginOptions

    def loss(self) -> _core.CostmarginLoss:
        """The margin loss as the options read it."""
        options = self.options
        select = getattr(_core.CostmarginLoss.Select, options.alternative_choice)
        targets = options.truth == "all", options.truth_candidates
        return _core.CostmarginLoss(select, options.margin_factor, *targets)

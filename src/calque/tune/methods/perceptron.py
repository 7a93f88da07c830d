from __future__ import annotations

from dataclasses import dataclass

from calque import _core
from calque.tune.relevant_set import RelevantSetOptions, RelevantSetTrainer


@dataclass(frozen=True)
class PerceptronOptions(RelevantSetOptions):
    """The perceptron on relevant sets (Tillmann & Zhang 2008, table III)."""


class Perceptron(RelevantSetTrainer):
    """The perceptron on relevant sets (Tillmann & Zhang 2008).

    From the candidate that the weights choose towards the best one, where these are not the same.
    """

    method = "perceptron"
    Options = PerceptronOptions
    options: PerceptronOptions

    def loss(self) -> _core.PerceptronLoss:
        """The choice against the best."""
        return _core.PerceptronLoss(self.options.truth == "all", self.options.near)

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from calque import _core
from calque.config import option
from calque.errors import OptionError
from calque.tune.loop import Place
from calque.tune.relevant.trainer import RelevantSetOptions, RelevantSetTrainer
from calque.tune.task import Task


@dataclass(frozen=True)
class PerceptronOptions(RelevantSetOptions):
    """The perceptron on relevant sets (Tillmann & Zhang 2008, table III)."""

    update: Literal["sgd", "adagrad", "passive-aggressive", "rprop"] = option(
        "sgd",
        "how weights are updated: at constant rates (sgd), at shrinking rates (adagrad),"
        " just as far as needed (passive-aggressive), or once per pass by the signs of the"
        " summed directions (rprop)",
    )
    dense_units: Literal["plain", "spread"] = option(
        "plain",
        "take dense features as they are (plain), or in units of how much they vary"
        " within lists (spread)",
    )
    average: bool = option(False, "average the weights over all sentences of all passes")
    candidate_score: Literal["sentence", "corpus"] = option(
        "sentence",
        "how a candidate is judged: by its own score (sentence), or by what it adds to the"
        " score of the whole output (corpus)",
    )


class Perceptron(RelevantSetTrainer):
    """The perceptron on relevant sets (Tillmann & Zhang 2008).

    From the candidate that the weights choose towards the best one, where these are not the same.
    Where no weights choose the best everywhere these steps never settle, and their mean goes astray
    with them (its output was a tenth too short on one of three corpora): of all passes the one that
    chooses best is kept.
    """

    method = "perceptron"
    Options = PerceptronOptions
    options: PerceptronOptions

    def check(self, task: Task, place: Place) -> None:
        """Raise where nothing could ever move."""
        super().check(task, place)
        options = self.options
        begins_with_nothing = options.first_weights == "zero" and not options.warm_start
        if options.update == "passive-aggressive" and begins_with_nothing:
            raise OptionError(
                "update=passive-aggressive: under weights of 0 all scores are equal, and a"
                " perceptron has nothing to mend; expected other first_weights"
            )

    def loss(self) -> _core.PerceptronLoss:
        """The choice against the best."""
        return _core.PerceptronLoss(self.options.truth == "all", self.options.truth_candidates)

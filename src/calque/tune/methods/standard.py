from __future__ import annotations

from calque.tune.force.trainer import MaxForceOptions, MaxForceTrainer


class Standard(MaxForceTrainer):
    """Standard updates of the structured perceptron: at the end of the sentence (Yu et al. 2013).

    The best derivation of the reference is compared with the best translation, even where it
    scores better and only the beam has lost it: such an update is invalid. A comparison, no
    recommendation.
    """

    method = "standard"
    selection = "standard"
    Options = MaxForceOptions

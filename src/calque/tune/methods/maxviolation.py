from __future__ import annotations

from calque.tune.force.trainer import MaxForceOptions, MaxForceTrainer


class Maxviolation(MaxForceTrainer):
    """Max-violation updates (Yu et al. 2013).

    Compared are the best derivation of the gold lattice and the best wrong one in the beam that
    cover as many source words, where the latter leads by most.
    """

    method = "maxviolation"
    selection = "maxviolation"
    Options = MaxForceOptions

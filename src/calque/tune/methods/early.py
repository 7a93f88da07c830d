from __future__ import annotations

from calque.tune.force.trainer import MaxForceOptions, MaxForceTrainer


class Early(MaxForceTrainer):
    """Early updates, for many derivations of a reference (Yu et al. 2013).

    The two derivations are compared where the beam has lost everything that could give the
    reference: from there on it cannot come back.
    """

    method = "early"
    selection = "early"
    Options = MaxForceOptions

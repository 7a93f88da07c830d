from __future__ import annotations

from calque.tune.force.trainer import MaxForceOptions, MaxForceTrainer


class Localupdate(MaxForceTrainer):
    """Local updates: towards the best that the beam holds (Liang et al. 2006, Yu et al. 2013).

    Of the last stack, the translation of highest sentence BLEU is compared with the one that
    scores best; no reference needs to be reached, but all are taken from pairs in reach.
    """

    method = "localupdate"
    selection = "localupdate"
    Options = MaxForceOptions

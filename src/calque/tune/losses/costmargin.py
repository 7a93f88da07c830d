from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque.tune.problem import Vector
from calque.tune.sentence import Direction, Sentence


class CostmarginLoss:
    """A truth should beat every alternative by 1; misses cost by the difference in worth.

    psi = (Bl(z) - Bl(z')) * max(0, 1 - (s(z) - s(z')))^2 for the alternative that makes it largest
    (Tillmann & Zhang 2008, table II and eq. 7). `select` says which alternative is learned from:
    that of the largest `loss`; of the largest (Bl(z) - Bl(z')) * (1 - (s(z) - s(z'))), `linear`;
    or of the smallest, the printed argmin, `literal`. Without `margin_factor` the step is that of
    table II, taken even where the margin is met. With `all_truths` the step is the mean over them.
    """

    def __init__(
        self,
        select: str = "loss",
        margin_factor: bool = True,
        all_truths: bool = False,
        near: int = 0,
    ) -> None:
        """Take the reading of the paper; `near` is as in `Sentence.truths`."""
        self.select = select
        self.margin_factor = margin_factor
        self.all_truths = all_truths
        self.near = near

    def direction(
        self, sentence: Sentence, weights: Vector, free: NDArray[np.bool_]
    ) -> Direction | None:
        """Half the negative gradient of psi; alternatives at least as good as the truth are none.

        Without truths the others are alternatives to the best candidate.
        """
        scores, gains = sentence.scores(weights), sentence.gains
        truths, loss = sentence.truths(scores, self.all_truths, self.near), 0.0
        shares: list[tuple[int, float]] = []
        for truth in truths:
            gaps, margins = gains[truth] - gains, 1 - (scores[truth] - scores)
            others = [r for r in range(sentence.n_truths, len(scores)) if gaps[r] > 0]
            if not others:
                continue
            worths = {
                "loss": gaps * np.maximum(margins, 0) ** 2,
                "linear": gaps * margins,
                "literal": -gaps * margins,
            }[self.select]
            worse = max(others, key=worths.__getitem__)
            margin = max(0.0, float(margins[worse]))
            factor = float(gaps[worse]) * (margin if self.margin_factor else 1.0) / len(truths)
            shares += [(truth, factor), (worse, -factor)]
            loss += factor * margin
        return sentence.mixture(shares, loss, free)

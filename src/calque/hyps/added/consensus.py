"""Agreement within a list: what a minimum-Bayes-risk decoder would choose by."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.decode.consensus import posterior
from calque.hyps.added.material import Material
from calque.hyps.nbest import NBest
from calque.parallel import n_workers

SCALE = 1.0
"""Of the totals, where no other is given: they are log probabilities then."""


def consensus(material: Material, scale: float = SCALE) -> dict[str, NDArray[np.float64]]:
    """The expected sentence BLEU of every candidate where one of its list is the reference.

    Candidate h is the reference with probability proportional to exp(scale * total), or equally
    where the lists tell no totals. Sentence BLEU is smoothed by one from bigrams on (BLEU+1).
    """
    return {"consensus": expected_bleu(material, posteriors(material.nbest, scale))}


def expected_bleu(material: Material, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """The expectations where the probabilities of all candidates are given."""
    words = material.words
    return _core.expected_bleu(
        words.ids,
        words.offsets,
        material.nbest.offsets,
        probabilities,
        threads=n_workers(None),
    )


def posteriors(nbest: NBest, scale: float) -> NDArray[np.float64]:
    """The probabilities of all candidates, in each list in sum 1."""
    totals = np.zeros(len(nbest)) if nbest.totals is None else nbest.totals
    bounds = pairwise(nbest.offsets.tolist())
    return np.concatenate(
        [np.empty(0), *(posterior(totals[begin:end], scale) for begin, end in bounds)]
    )

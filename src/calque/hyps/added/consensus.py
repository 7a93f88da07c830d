"""Agreement within a list: what a minimum-Bayes-risk decoder would choose by."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque.hyps.added.material import ORDER, Material

SCALE = 1.0
"""Of the totals, where no other is given: they are log probabilities then."""


def consensus(material: Material, scale: float = SCALE) -> dict[str, NDArray[np.float64]]:
    """The expected sentence BLEU of every candidate where one of its list is the reference.

    Candidate h is the reference with probability proportional to exp(scale * total), or equally
    where the lists tell no totals. Sentence BLEU is smoothed by one from bigrams on (BLEU+1).
    """
    nbest = material.nbest
    expected = np.zeros(len(nbest))
    for begin, end in pairwise(nbest.offsets.tolist()):
        shares = posterior(nbest.totals, begin, end, scale)
        # Not BLAS: how it groups sums depends on threads and machine.
        expected[begin:end] = np.einsum("ij,j->i", bleu_within(material, begin, end), shares)
    return {"consensus": expected}


def posterior(
    totals: NDArray[np.float64] | None, begin: int, end: int, scale: float
) -> NDArray[np.float64]:
    """The probabilities of the candidates of one list."""
    if totals is None:
        return np.full(end - begin, 1.0 / (end - begin))
    scaled = scale * totals[begin:end]
    powers = np.exp(scaled - scaled.max())
    return np.asarray(powers / powers.sum())


def bleu_within(material: Material, begin: int, end: int) -> NDArray[np.float64]:
    """BLEU+1 of every candidate of a list (rows) against every one as the reference (columns)."""
    lengths = material.words.lengths[begin:end].astype(np.float64)
    log_precision = np.zeros((end - begin, end - begin))
    for n in range(ORDER):
        more = 0.0 if n == 0 else 1.0
        n_ngrams = np.maximum(lengths - n, 0)[:, None] + more
        matches = _matches(material, n, begin, end) + more
        with np.errstate(divide="ignore", invalid="ignore"):
            log_precision += np.log(matches / np.maximum(n_ngrams, 1.0)) / ORDER
    with np.errstate(divide="ignore", invalid="ignore"):
        brevity = np.minimum(0.0, 1.0 - lengths[None, :] / lengths[:, None])
    brevity = np.where(lengths[:, None] > 0, brevity, -np.inf)
    return np.asarray(np.exp(log_precision + brevity))


def _matches(material: Material, n: int, begin: int, end: int) -> NDArray[np.float64]:
    """Shared n-grams of every pair of candidates, each as often as both have it."""
    ngrams = material.ngrams[n]
    some = slice(ngrams.offsets[begin], ngrams.offsets[end])
    ids = ngrams.ids[some]
    if not len(ids):
        return np.zeros((end - begin, end - begin))
    first, width = ids.min(), ids.max() - ids.min() + 1
    places = (ngrams.candidates[some] - begin) * width + ids - first
    counts = np.bincount(places, minlength=(end - begin) * width).reshape(-1, width)
    # min(a, b) is the number of k up to both: products of zeros and ones, exact in any order.
    matches = np.zeros((end - begin, end - begin), np.float32)
    for k in range(1, int(counts.max()) + 1):
        often = (counts >= k).astype(np.float32)
        often = often[:, often.any(axis=0)]
        matches += often @ often.T
    return matches.astype(np.float64)

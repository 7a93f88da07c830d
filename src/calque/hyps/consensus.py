"""One translation from the n-best lists of several systems, whoever wrote them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque.config import ConsensusOptions
from calque.decode.consensus import DIGITS, shares_of
from calque.errors import CalqueError
from calque.hyps.added.consensus import expected_bleu, posteriors
from calque.hyps.added.material import Material
from calque.hyps.nbest import NBest, joined


def by_consensus(
    systems: Sequence[NBest],
    shares: Sequence[float] | None = None,
    options: ConsensusOptions | None = None,
) -> NBest:
    """The candidates of all systems, sentence by sentence, by expected BLEU, highest first.

    The expected BLEU of each (see `calque.Consensus`) is its total. Of each list the best
    `options.length` candidates count; words are what stands between spaces, and of candidates of
    equal words the first is kept.
    """
    options = options or ConsensusOptions()
    weights = shares_of(len(systems), shares)
    for number, nbest in enumerate(systems[1:], 2):
        if nbest.n_sentences != systems[0].n_sentences:
            raise CalqueError(
                f"there are lists of {nbest.n_sentences:,} sentences in file {number}, but of"
                f" {systems[0].n_sentences:,} in the first: expected equal numbers"
            )
    shortened = [_best(nbest, options.length) for nbest in systems]
    probabilities = np.concatenate(
        [
            share * posteriors(nbest, options.scale)
            for share, nbest in zip(weights, shortened, strict=True)
        ]
    )
    order = np.argsort(np.concatenate([nbest.sentences for nbest in shortened]), kind="stable")
    together, probabilities = joined(shortened), probabilities[order]
    first, which = _distinct(Material(together))
    merged = together.reordered(first, together.totals)
    summed = np.bincount(which, probabilities, len(first)).astype(np.float64)
    expected = expected_bleu(Material(merged), summed)
    by_worth = np.lexsort((-np.round(expected, DIGITS), merged.sentences))
    return merged.reordered(by_worth, expected)


def _best(nbest: NBest, n: int) -> NBest:
    """The `n` best candidates of every list: by total, or as they stand where none is told."""
    totals = np.zeros(len(nbest)) if nbest.totals is None else nbest.totals
    order = np.lexsort((-totals, nbest.sentences))
    ranks = np.arange(len(nbest)) - nbest.offsets[nbest.sentences]
    return nbest.reordered(order[ranks < n], nbest.totals)


def _distinct(material: Material) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first candidate of every word sequence of a sentence, and where each one belongs."""
    ids, offsets = material.words.ids, material.words.offsets.tolist()
    places: dict[tuple[int, bytes], int] = {}
    sentences = material.nbest.sentences.tolist()
    keys = [
        (sentence, ids[begin:end].tobytes())
        for sentence, (begin, end) in zip(sentences, pairwise(offsets), strict=True)
    ]
    first: list[int] = []
    which = np.empty(len(keys), np.int64)
    for at, key in enumerate(keys):
        which[at] = places.setdefault(key, len(first))
        if which[at] == len(first):
            first.append(at)
    return np.array(first, np.int64), which

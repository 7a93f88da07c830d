from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from calque.errors import CalqueError, FileError
from calque.hyps.nbest import NBest, is_sparse_name

TOTAL = "Total"
"""The name of the decoder's own score where it serves as a feature."""


def rescored(nbest: NBest, weights: Mapping[str, float], path: Path | str) -> NBest:
    """The lists with totals under these weights, each sorted by them; equals keep their order.

    `path` names the lists in errors: a weight without a feature, or a feature that is on at least
    half of the candidates without a weight. Features that are sparse by name may lack either.
    """
    if TOTAL in weights and TOTAL not in nbest.names:
        nbest = with_total(nbest, path)
    known_names = set(nbest.names)
    for name in weights:
        if name not in known_names and weights[name] != 0 and not is_sparse_name(name):
            known = ", ".join(nbest.names[:20])
            raise FileError(path, f"has no feature '{name}', which has a weight; it has: {known}")
    for name in nbest.dense_names():
        if name not in weights:
            raise CalqueError(f"feature '{name}' of {path} has no weight: expected one, maybe 0")
    by_column = np.array([weights.get(name, 0.0) for name in nbest.names])
    products = nbest.values * by_column[nbest.columns]
    rows = np.repeat(np.arange(len(nbest)), np.diff(nbest.row_offsets))
    totals = np.bincount(rows, products, len(nbest)).astype(np.float64)
    order = np.lexsort((-totals, nbest.sentences))
    return nbest.reordered(order, totals)


def with_total(nbest: NBest, path: Path | str) -> NBest:
    """The lists with the decoder's own score as the feature Total."""
    if nbest.totals is None:
        raise FileError(path, "has no total scores: they cannot be a feature")
    if TOTAL in nbest.names:
        raise FileError(path, f"has a feature called {TOTAL} already")
    return nbest.with_feature(TOTAL, nbest.totals)

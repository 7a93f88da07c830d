"""Sparse features of sentences that were cut: sums over their pieces."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.decode.decoder import Decoder
from calque.decode.derivation_features import SparseRows
from calque.decode.source import SourceText
from calque.features import SparseWeights
from calque.text import offsets_of


def no_rows(n: int) -> SparseRows:
    """Vectors without entries."""
    offsets = np.zeros(n + 1, np.int64)
    return SparseRows(offsets, np.empty(0, np.uint64), np.empty(0, np.float32))


def summed_rows(sparse: SparseRows, rows: NDArray[np.int64]) -> SparseRows:
    """For every line of `rows` the sum of these vectors."""
    n_rows = rows.shape[1]
    if n_rows == 1 and (np.diff(rows[:, 0]) == 1).all():  # rows as they stand, without a copy
        offsets = sparse.offsets[rows[0, 0] : rows[-1, 0] + 2]
        some = slice(offsets[0], offsets[-1])
        return SparseRows(offsets - offsets[0], sparse.keys[some], sparse.counts[some])
    lengths = np.diff(sparse.offsets)[rows.ravel()]
    offsets = offsets_of(lengths)
    begins = sparse.offsets[rows.ravel()] - offsets[:-1]
    entries = np.repeat(begins, lengths) + np.arange(offsets[-1])
    keys, counts = sparse.keys[entries], sparse.counts[entries]
    if n_rows == 1 or not len(keys):
        return SparseRows(offsets[::n_rows], keys, counts)
    sums = [
        SparseWeights.summed(keys[begin:end], counts[begin:end]).to_arrays()
        for begin, end in pairwise(offsets[::n_rows].tolist())
    ]
    return SparseRows(
        offsets_of([len(row["keys"]) for row in sums]),
        np.concatenate([row["keys"] for row in sums]),
        np.concatenate([row["values"] for row in sums]),
    )


def sparse_features(
    decoder: Decoder, ways: Sequence[Sequence[_core.Derivation]], pieces: SourceText
) -> list[dict[int, float]]:
    """The sparse features of ways through the pieces of one sentence, by key."""
    if not decoder.features.templates:
        return [{} for _ in ways]
    rows = decoder.sparse_rows(list(zip(*ways, strict=True)), pieces)  # piece by piece
    places = np.arange(len(rows.offsets) - 1).reshape(-1, len(ways)).T
    offsets, keys, counts = summed_rows(rows, places)
    entries = list(zip(keys.tolist(), counts.tolist(), strict=True))
    return [dict(entries[begin:end]) for begin, end in pairwise(offsets.tolist())]

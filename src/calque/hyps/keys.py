"""Sparse features of other people's lists, which have names, as keys like our own."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from calque.decode import CandidateLists
from calque.decode.derivation_features import SparseRows
from calque.errors import CalqueError
from calque.features.weights import KEY
from calque.hyps.nbest import NBest

AT_ONCE = 256
"""Sentences whose lists are handed over together."""


def name_key(name: str) -> int:
    """The key of a feature: what `#` and 16 hex digits spell, or a hash of the name.

    Of the upper 16 bits, by which tables of weights are divided, a hash uses 8.
    """
    if KEY.fullmatch(name):
        return int(name[1:], 16)
    digest = hashlib.blake2b(name.encode(), digest_size=7).digest()
    return int.from_bytes(digest[:1]) << 48 | int.from_bytes(digest[1:])


def name_keys(names: Iterable[str]) -> NDArray[np.uint64]:
    """The keys of different names; raises `CalqueError` where two have the same."""
    names = list(names)
    keys = np.array([name_key(name) for name in names], np.uint64)
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(keys[order][1:] == keys[order][:-1])
    if len(same):
        first, other = (names[at] for at in order[same[0] : same[0] + 2].tolist())
        raise CalqueError(
            f"the names '{first}' and '{other}' have the same 64-bit key: rename one of them"
        )
    return keys


def keyed_lists(nbest: NBest, dense_names: Sequence[str]) -> Iterator[CandidateLists]:
    """Lists as our own decoder gives them; features that are not dense are sparse, by key."""
    dense = set(dense_names)
    is_sparse = np.array([name not in dense for name in nbest.names], bool)
    keys = np.zeros(len(nbest.names), np.uint64)
    keys[is_sparse] = name_keys(name for name in nbest.names if name not in dense)
    for first in range(0, nbest.n_sentences, AT_ONCE):
        bounds = nbest.offsets[first : first + AT_ONCE + 1]
        rows = nbest.sliced(int(bounds[0]), int(bounds[-1]))
        kept = is_sparse[rows.columns] & (rows.values != 0)
        offsets = np.concatenate([[0], np.cumsum(kept)])[rows.row_offsets]
        yield CandidateLists(
            np.diff(bounds),
            list(rows.texts),
            rows.matrix(dense_names),
            np.zeros(len(rows)) if rows.totals is None else rows.totals,
            SparseRows(offsets, keys[rows.columns[kept]], rows.values[kept]),
        )

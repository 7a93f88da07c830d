"""Sparse features of candidates: one for each word, pair of neighbours and pair of translations."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque.hyps.added.lexical import WordPairs, best_sources
from calque.hyps.added.material import Material
from calque.hyps.nbest import SPARSE_PREFIX, SparseColumns

EDGE = -1
"""Stands for what is before the first word and behind the last, and for no partner."""
BETWEEN = "|"
ESCAPED = str.maketrans({mark: f"%{ord(mark):02x}" for mark in "%|:="})
"""Marks that names of features, lists and weights use for something else."""

Ids = NDArray[np.int64]


def words(material: Material) -> SparseColumns:
    """How often a candidate has each word."""
    own = material.words
    return _counted(material, "words", _candidates(material), own.ids.astype(np.int64)[:, None])


def bigrams(material: Material) -> SparseColumns:
    """How often it has each pair of neighbouring words, the edges of the sentence included."""
    own = material.words
    ends = np.cumsum(own.lengths)  # where words of the next candidate begin
    ids = own.ids.astype(np.int64)
    second = np.insert(ids, ends, EDGE)
    first = np.insert(ids, ends - own.lengths, EDGE)
    rows = np.repeat(np.arange(len(own)), own.lengths + 1)
    return _counted(material, "bigrams", rows, np.column_stack([first, second]))


def pairs(material: Material) -> SparseColumns:
    """How often it has each word as a translation of the word of the source that explains it best.

    That is the one of highest p(word | source word); a word that none explains has no partner.
    """
    assert material.model is not None
    table = WordPairs.of(material.model.blocks)
    own = material.words
    source = np.full(own.n_words, EDGE, np.int64)
    for sentence, (begin, end) in enumerate(pairwise(material.nbest.offsets.tolist())):
        some = slice(own.offsets[begin], own.offsets[end])
        at = best_sources(material, table, sentence, some)
        known, there = at >= 0, material.source_words[sentence].astype(np.int64)
        source[some][known] = there[at[known]]
    both = np.column_stack([source, own.ids.astype(np.int64)])
    return _counted(material, "pairs", _candidates(material), both)


def _candidates(material: Material) -> Ids:
    """The candidate of every word."""
    return np.repeat(np.arange(len(material.words)), material.words.lengths)


def _counted(material: Material, family: str, rows: Ids, parts: Ids) -> SparseColumns:
    """Counts of sequences of words in rows; the features are named after their words."""
    distinct, column = np.unique(parts, axis=0, return_inverse=True)
    column = column.reshape(-1)
    names = tuple(
        f"{SPARSE_PREFIX}{family}:" + BETWEEN.join(_written(material, id) for id in ids)
        for ids in distinct.tolist()
    )
    n_columns = max(1, len(names))
    places, counts = np.unique(rows * n_columns + column, return_counts=True)
    at = places // n_columns
    return SparseColumns(names, at, (places % n_columns).astype(np.int32), counts.astype(float))


def _written(material: Material, id: int) -> str:
    return "" if id == EDGE else material.word(id).translate(ESCAPED)

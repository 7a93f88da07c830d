"""Blocks that speak for a candidate: n-grams that translate a phrase of the source."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque.blocks import BlockTable
from calque.hyps.added.material import ORDER, Material

_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def support(material: Material) -> dict[str, NDArray[np.float64]]:
    """How many n-grams of a candidate, by length, some block makes of a phrase of the source."""
    assert material.model is not None
    table = material.model.blocks
    offsets, sentences = material.nbest.offsets.tolist(), material.source_ids
    offered = [_offered(table, words) for words in sentences]
    columns: dict[str, NDArray[np.float64]] = {}
    for n in range(1, ORDER + 1):
        ngrams = material.ngrams[n - 1]
        phrases = _phrases(table, n, material, ngrams.begins)
        supported = np.zeros(len(phrases), bool)
        for sentence, (begin, end) in enumerate(pairwise(offsets)):
            some = slice(ngrams.offsets[begin], ngrams.offsets[end])
            supported[some] = np.isin(phrases[some], offered[sentence])
        n_supported = np.bincount(ngrams.candidates[supported], minlength=len(material.nbest))
        columns[f"support_{n}"] = n_supported.astype(np.float64)
    return columns


def _offered(table: BlockTable, words: NDArray[np.int32]) -> NDArray[np.int64]:
    """The target phrases of all blocks whose source phrase stands in the sentence."""
    longest = int(np.diff(table.source_offsets[-2:]).max(initial=0))
    offered = []
    for begin in range(len(words)):
        for end in range(begin + 1, min(len(words), begin + longest) + 1):
            phrase = table.find(words[begin:end])
            if phrase >= 0:
                offered.append(
                    table.target_phrase[slice(*table.block_offsets[phrase : phrase + 2])]
                )
    return np.unique(np.concatenate(offered)) if offered else np.zeros(0, np.int64)


def _phrases(
    table: BlockTable, n: int, material: Material, begins: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The target phrase that the n-gram at every place is, or -1."""
    lengths = np.diff(table.target_offsets)
    first, last = np.searchsorted(lengths, [n, n + 1])  # phrases are sorted by length
    known = _hashes(table.target_words, table.target_offsets[first:last], n)
    order = np.argsort(known)
    if not len(order):
        return np.full(len(begins), -1)
    wanted = _hashes(material.target_ids.ids, begins, n)
    at = order[np.minimum(np.searchsorted(known, wanted, sorter=order), len(order) - 1)]
    return np.where(known[at] == wanted, first + at, -1)


def _hashes(words: NDArray[np.int32], begins: NDArray[np.int64], n: int) -> NDArray[np.uint64]:
    """64 bits for the n words from every place on."""
    hashes = np.zeros(len(begins), np.uint64)
    for i in range(n):
        hashes = (hashes + words[begins + i].astype(np.uint64) + np.uint64(1)) * _FACTOR
        hashes ^= hashes >> np.uint64(29)
    return hashes

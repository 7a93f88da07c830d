"""Word translation: how well the words of a candidate and of its source explain each other."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from calque.blocks import BlockTable
from calque.hyps.added.material import Material
from calque.text import UNKNOWN

EMPTY_WORD = 1e-3
"""The probability that the empty word gives to every word."""
EXPLAINED = 0.05
"""A word is explained by another one that gives it at least this probability."""


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Translation probabilities of pairs of words, both ways."""

    keys: NDArray[np.int64]
    """source * n_targets + target, ascending."""
    source_given_target: NDArray[np.float64]
    target_given_source: NDArray[np.float64]
    n_targets: int

    @classmethod
    def of(cls, table: BlockTable) -> WordPairs:
        """The pairs that are blocks of one word each: their lexical weights are p(s|t), p(t|s)."""
        # Source phrases are sorted by length: those of one word come first.
        n_singles = int(np.searchsorted(np.diff(table.source_offsets), 1, side="right"))
        sources = np.repeat(
            table.source_words[:n_singles], np.diff(table.block_offsets[: n_singles + 1])
        )
        phrases = table.target_phrase[: len(sources)]
        single = np.diff(table.target_offsets)[phrases] == 1
        targets = table.target_words[table.target_offsets[phrases[single]]].astype(np.int64)
        scores = table.scores[: len(sources)][single].astype(np.float64)
        n_targets = int(targets.max(initial=0)) + 1
        keys = sources[single].astype(np.int64) * n_targets + targets
        order = np.argsort(keys)
        return cls(keys[order], np.exp(scores[order, 1]), np.exp(scores[order, 3]), n_targets)

    def find(
        self, sources: NDArray[np.int32], targets: NDArray[np.int32]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """p(s|t) and p(t|s) of every source word (rows) with every target word (columns)."""
        if not len(self.keys):
            nothing = np.zeros((len(sources), len(targets)))
            return nothing, nothing.copy()
        wanted = sources.astype(np.int64)[:, None] * self.n_targets + targets
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        known = (self.keys[at] == wanted) & (targets < self.n_targets)
        return (
            np.where(known, self.source_given_target[at], 0.0),
            np.where(known, self.target_given_source[at], 0.0),
        )


def lexical(material: Material) -> dict[str, NDArray[np.float64]]:
    """Log probabilities of Model 1 both ways, and the words that nothing explains.

    For a source of J words and a candidate of I words, `source_given_target` is the sum over
    source words of ln((p0 + sum_i p(s|t_i)) / (I + 1)), and `target_given_source` is its mirror
    image; p0 is `EMPTY_WORD`. A word that the model does not know is explained by its own copy.
    """
    assert material.model is not None
    pairs = WordPairs.of(material.model.blocks)
    n = len(material.nbest)
    names = (
        "source_given_target",
        "target_given_source",
        "unexplained_source",
        "unexplained_target",
    )
    columns = np.zeros((len(names), n))
    offsets = material.nbest.offsets.tolist()
    for sentence, (begin, end) in enumerate(pairwise(offsets)):
        columns[:, begin:end] = _of_list(material, pairs, sentence, begin, end)
    return dict(zip(names, columns, strict=True))


@dataclass(frozen=True, eq=False)
class _Explained:
    """How the words of some candidates and of their source explain each other."""

    which: NDArray[np.int64]
    """For every word of the candidates its column: lists repeat themselves."""
    back: NDArray[np.float64]
    """p(s|t), a row per source word."""
    forth: NDArray[np.float64]
    """p(t|s), likewise."""

    @classmethod
    def of(cls, material: Material, pairs: WordPairs, sentence: int, some: slice) -> _Explained:
        """Those of the words of a slice, candidates of this sentence."""
        own, source_own = material.words, material.source_words[sentence]
        sources, targets = material.source_ids[sentence], material.target_ids
        keys = targets.ids[some].astype(np.int64) << 32 | own.ids[some]
        distinct, which = np.unique(keys, return_inverse=True)
        target, target_own = (distinct >> 32).astype(np.int32), (distinct & 0xFFFFFFFF)
        back, forth = pairs.find(sources, target)
        copies = source_own[:, None] == target_own
        copies &= (sources == UNKNOWN)[:, None] | (target == UNKNOWN)
        back[copies] = forth[copies] = 1.0
        return cls(which, back, forth)


def best_sources(
    material: Material, pairs: WordPairs, sentence: int, some: slice
) -> NDArray[np.int64]:
    """For every word of a slice, the place of the source word that explains it best; -1 if none.

    Of equally good ones it is the first.
    """
    explained = _Explained.of(material, pairs, sentence, some)
    if not len(explained.forth):
        return np.full(len(explained.which), -1)
    best = np.where(explained.forth.max(axis=0) >= EXPLAINED, explained.forth.argmax(axis=0), -1)
    return np.asarray(best[explained.which], np.int64)


def _of_list(
    material: Material, pairs: WordPairs, sentence: int, begin: int, end: int
) -> NDArray[np.float64]:
    own, sources = material.words, material.source_ids[sentence]
    rows = slice(own.offsets[begin], own.offsets[end])
    by_words = _Explained.of(material, pairs, sentence, rows)
    which, back, forth = by_words.which, by_words.back, by_words.forth

    # Every candidate begins with the empty word, the last column: no candidate has no words.
    lengths = own.lengths[begin:end]
    empty = back.shape[1]
    tokens = np.insert(which, np.cumsum(lengths) - lengths, empty)
    starts = np.cumsum(lengths + 1) - (lengths + 1)
    back = np.column_stack([back, np.full(len(sources), EMPTY_WORD)])[:, tokens]
    explained = np.log(np.add.reduceat(back, starts, axis=1) / (lengths + 1)).sum(axis=0)
    unexplained_source = (np.maximum.reduceat(back, starts, axis=1) < EXPLAINED).sum(axis=0)

    sums = np.log((EMPTY_WORD + forth.sum(axis=0)) / (len(sources) + 1))
    lacks = (forth.max(axis=0, initial=0.0) < EXPLAINED).astype(np.float64)
    per_word = np.column_stack([np.stack([sums, lacks]), [0.0, 0.0]])[:, tokens]
    generated, unexplained = np.add.reduceat(per_word, starts, axis=1)
    return np.stack([explained, generated, unexplained_source, unexplained])

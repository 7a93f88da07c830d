"""Word translation tables, counted from word links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from calque.align.alignments import Alignments
from calque.text import Sentences

Side = Literal["source", "target"]
NULL = -1
"""Stands for no word: what a word without links is linked to."""


@dataclass(frozen=True, eq=False)
class WordPairs:
    """Pairs of linked words with their probabilities, in both directions.

    p(t|s) = N(s,t) / N(s), where N counts links, and N(s) the occurrences of s without one, too:
    the probabilities of the translations of a word add up to 1 less that of having none.
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    counts: NDArray[np.int64]
    """N(s,t)"""
    given_source: NDArray[np.float64]
    """p(target word | source word)"""
    given_target: NDArray[np.float64]
    """p(source word | target word)"""

    def __len__(self) -> int:
        return len(self.source)

    @classmethod
    def counted(cls, source: Sentences, target: Sentences, alignments: Alignments) -> WordPairs:
        """All pairs of a bitext, by source word; of several sets of links, stacked, all count."""
        pairs = [_linked(source, target, some) for some in alignments.unstacked(len(source))]
        sources = np.concatenate([some[0] for some in pairs])
        targets = np.concatenate([some[1] for some in pairs])
        n_targets = int(target.ids.max(initial=0)) + 2
        keys = (sources.astype(np.int64) + 1) * n_targets + targets + 1
        distinct, counts = np.unique(keys, return_counts=True)
        sources = (distinct // n_targets - 1).astype(np.int32)
        targets = (distinct % n_targets - 1).astype(np.int32)
        is_pair = (sources != NULL) & (targets != NULL)
        n_source, n_target = _totals(sources, counts), _totals(targets, counts)
        return cls(
            source=sources[is_pair],
            target=targets[is_pair],
            counts=counts[is_pair],
            given_source=(counts / n_source[sources + 1])[is_pair],
            given_target=(counts / n_target[targets + 1])[is_pair],
        )

    def select(self, keep: NDArray[np.bool_] | NDArray[np.int64]) -> WordPairs:
        """Some of the pairs: those of flags, or of places in their order."""
        return WordPairs(
            self.source[keep],
            self.target[keep],
            self.counts[keep],
            self.given_source[keep],
            self.given_target[keep],
        )

    def ranked(self, given: Side = "source") -> WordPairs:
        """The pairs by given word, the most probable translation first; ties by id."""
        first, second = (
            (self.source, self.target) if given == "source" else (self.target, self.source)
        )
        return self.select(np.lexsort((second, -self.probs(given), first)))

    def pruned(
        self,
        given: Side = "source",
        *,
        min_prob: float = 0.0,
        min_count: int = 1,
        most: int | None = None,
        mass: float = 1.0,
    ) -> WordPairs:
        """The ranked pairs of at least `min_prob` and `min_count`, up to `most` per given word.

        Of these the fewest whose probabilities reach `mass` times those of all that the word has.
        """
        pairs = self.ranked(given)
        words = pairs.source if given == "source" else pairs.target
        probs = pairs.probs(given)
        begins = np.flatnonzero(np.diff(words, prepend=NULL - 1))
        lengths = np.diff(np.append(begins, len(words)))
        rank = np.arange(len(words)) - np.repeat(begins, lengths)
        before = np.concatenate([[0.0], np.cumsum(probs)])
        total = np.repeat(before[begins + lengths] - before[begins], lengths)
        reached = before[:-1] - np.repeat(before[begins], lengths)
        keep = (probs >= min_prob) & (pairs.counts >= min_count)
        keep &= (rank == 0) | (reached < mass * total * (1 - 1e-9))
        if most is not None:
            keep &= rank < most
        return pairs.select(keep)

    def probs(self, given: Side) -> NDArray[np.float64]:
        """The probabilities given the word of one side."""
        return self.given_source if given == "source" else self.given_target


def _linked(
    source: Sentences, target: Sentences, alignments: Alignments
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The words of every link, and with `NULL` those without one."""
    sentence = np.repeat(np.arange(len(source)), np.diff(alignments.offsets))
    at_source = source.offsets[sentence] + alignments.links[:, 0]
    at_target = target.offsets[sentence] + alignments.links[:, 1]
    alone = []
    for side, at in ((source, at_source), (target, at_target)):
        has_link = np.zeros(len(side.ids), bool)
        has_link[at] = True
        alone.append(side.ids[~has_link])
    nothing = [np.full(len(words), NULL, np.int32) for words in alone]
    return (
        np.concatenate([source.ids[at_source], alone[0], nothing[1]]),
        np.concatenate([target.ids[at_target], nothing[0], alone[1]]),
    )


def _totals(words: NDArray[np.int32], counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of the counts of every word, at one place behind its id."""
    return np.bincount(words + 1, counts).astype(np.float64)

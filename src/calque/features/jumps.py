"""How likely it is to go on at another place of the source sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque.align import Alignments
from calque.config.dense import JumpOptions
from calque.errors import ModelError
from calque.features.columns import Arrays, checked
from calque.text import Sentences
from calque.text.mapped import check_finite

LIMITS = (6, 9, 12, 15)
"""Distortion limits to choose from."""
MOST_BEYOND = 0.015
"""The share of jumps that may be longer than the limit."""


@dataclass(frozen=True, eq=False)
class JumpTable:
    """Natural-log probabilities of jumps, one distribution per row.

    The jump to a block that begins at `begin` after one that ended before `last_end` (0 at the
    beginning of a sentence) is `begin - last_end + shift`, clipped to the width of the table.

    The rows of a table that depends on a word are the ids of the source vocabulary. A word that
    was never seen has the distribution of all jumps together. One last row is the beginning of
    the sentence, where there is no last word of a previous block; a table by the first word of
    the block that is jumped to never needs it, and there it is that of all jumps.
    """

    log_probs: NDArray[np.float32]
    """Shape (rows, 2 * clip + 1); column j is the jump j - clip."""
    shift: int

    @property
    def clip(self) -> int:
        """The longest jump with a column of its own."""
        return int(self.log_probs.shape[1]) // 2

    def log_prob(self, row: int, begin: int, last_end: int) -> float:
        """The log-probability of one jump."""
        jump = min(max(begin - last_end + self.shift, -self.clip), self.clip)
        return float(self.log_probs[row, jump + self.clip])

    def to_arrays(self) -> Arrays:
        """The arrays by name: the form on disk."""
        return {"log_probs": self.log_probs, "shift": np.array([self.shift], np.int32)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> JumpTable:
        """The table of these arrays; `ModelError` where one is missing or misfits."""
        log_probs = checked(arrays, "log_probs", np.float32, None, None)
        if log_probs.shape[1] % 2 == 0:
            raise ModelError(
                f"features: 'log_probs' has {log_probs.shape[1]} columns, expected an odd number"
            )
        return cls(log_probs, int(checked(arrays, "shift", np.int32, 1)[0]))

    def check(self, what: str, n_rows: int) -> None:
        """Raise `ModelError` where rows are missing or a number is not finite; reads it all."""
        if len(self.log_probs) != n_rows:
            raise ModelError(
                f"features: '{what}' has {len(self.log_probs)} rows, expected {n_rows}"
            )
        if self.shift not in (0, 1):
            raise ModelError(f"features: '{what}' is shifted by {self.shift}, expected 0 or 1")
        check_finite(f"features: '{what}'", self.log_probs)


class Jumps(NamedTuple):
    """Every jump of an aligned corpus: how far, from which word and to which word."""

    distances: NDArray[np.int64]
    """Source positions from the last word jumped from to the first word jumped to; 1: the next."""
    last_words: NDArray[np.int64]
    """The source word jumped from, -1 at the beginning of a sentence."""
    first_words: NDArray[np.int64]
    """The source word jumped to."""


def find_jumps(source: Sentences, target: Sentences, alignments: Alignments) -> Jumps:
    """The jumps between neighbouring aligned target words, in the order of the target.

    A target word stands for the source words from its first link to its last, as a block would:
    the jump leaves from the last of the one word and enters at the first of the other. Target
    words without links are passed over. Where the stretches of two neighbours overlap (two words
    of the target translate one of the source, say), both lie in the same block, and there is no
    jump: a decoder never makes one. The first aligned word of a sentence is jumped to from the
    place before the sentence.
    """
    links = alignments.links.astype(np.int64)
    sentence = np.repeat(np.arange(len(alignments)), np.diff(alignments.offsets))
    at = target.offsets[sentence] + links[:, 1]
    first = np.full(target.n_words, np.iinfo(np.int64).max)
    last = np.full(target.n_words, -1)
    np.minimum.at(first, at, links[:, 0])
    np.maximum.at(last, at, links[:, 0])
    aligned = np.flatnonzero(last >= 0)
    first, last = first[aligned], last[aligned]
    sentence = np.searchsorted(target.offsets, aligned, side="right") - 1

    starts = np.diff(sentence, prepend=-1) > 0
    previous_first = np.where(starts, -1, np.roll(first, 1))
    previous_last = np.where(starts, -1, np.roll(last, 1))
    apart = (previous_last < first) | (last < previous_first)
    begin = source.offsets[sentence]
    # Before a sentence there is no word; its index is any that exists.
    last_words = np.where(starts, -1, source.ids[begin + np.maximum(previous_last, 0)])
    first_words = source.ids[begin + first].astype(np.int64)
    return Jumps((first - previous_last)[apart], last_words[apart], first_words[apart])


def fitted_distortion_limit(jumps: Jumps) -> int:
    """The smallest of some limits that nearly all jumps keep.

    One jump in 67 may be longer: on text with few long jumps a wider search only finds worse
    translations, and takes longer.
    """
    lengths = np.abs(jumps.distances - 1)
    fits = (limit for limit in LIMITS if (lengths > limit).mean() <= MOST_BEYOND)
    return next(fits, LIMITS[-1]) if len(lengths) else LIMITS[0]


def outbound_table(jumps: Jumps, n_words: int, options: JumpOptions | None = None) -> JumpTable:
    """p(jump | last source word of the previous block), relevant-set feature (e)."""
    rows = np.where(jumps.last_words < 0, n_words, jumps.last_words)
    return _estimate(jumps.distances, rows, n_words + 1, 1, options)


def inbound_table(jumps: Jumps, n_words: int, options: JumpOptions | None = None) -> JumpTable:
    """p(jump | first source word of the current block), relevant-set feature (f)."""
    return _estimate(jumps.distances, jumps.first_words, n_words + 1, 1, options)


def plain_table(jumps: Jumps, options: JumpOptions | None = None) -> JumpTable:
    """p(begin - last_end), whatever the words: a table of one row, where 0 goes straight on."""
    return _estimate(jumps.distances - 1, np.zeros_like(jumps.distances), 1, 0, options)


def _estimate(
    distances: NDArray[np.int64],
    rows: NDArray[np.int64],
    n_rows: int,
    shift: int,
    options: JumpOptions | None,
) -> JumpTable:
    """Smoothed relative frequencies per row; rows without a jump have those of all together."""
    options = options or JumpOptions()
    width = 2 * options.clip + 1
    columns = np.clip(distances, -options.clip, options.clip) + options.clip
    counts = np.bincount(rows * width + columns, minlength=n_rows * width).reshape(-1, width)
    counts[counts.sum(axis=1) == 0] = counts.sum(axis=0)
    smoothed = counts + options.smoothing
    log_probs = np.log(smoothed / smoothed.sum(axis=1, keepdims=True))
    return JumpTable(log_probs.astype(np.float32), shift)

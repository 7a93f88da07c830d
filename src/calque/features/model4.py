"""Fertility, lexicon and distortion of a phrase-based Model 4 (Cettolo and Federico 2004)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.align import Alignments
from calque.blocks import BlockTable
from calque.config.dense import JumpOptions
from calque.errors import CalqueError
from calque.features.columns import Arrays, BlockColumn, nested, part
from calque.features.jumps import JumpTable, find_jumps, plain_table
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.text import Sentences

COPIED = math.log(1e-7)
"""What both columns say of a copied word."""


@dataclass(frozen=True, eq=False)
class Model4Data:
    """The data of the dense set `model4`.

    The decoder translates every source word, so that the two terms of the null word would be
    constant; word and block counts stand in their place and need no data.
    """

    fertility: BlockColumn
    """ln N(T, |S|) / N(T): how many source words the target phrase stands for."""
    lexicon: BlockColumn
    """ln N(S, T) / N(T, |S|): which ones, their number given."""
    jump: JumpTable
    """One row: ln d(begin - last_end)."""

    def to_arrays(self) -> Arrays:
        """The arrays by name: the form on disk."""
        return nested(
            fertility=self.fertility.to_arrays(),
            lexicon=self.lexicon.to_arrays(),
            jump=self.jump.to_arrays(),
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Model4Data:
        """The data of these arrays; `ModelError` where one is missing or misfits."""
        return cls(
            BlockColumn.from_arrays(part(arrays, "fertility")),
            BlockColumn.from_arrays(part(arrays, "lexicon")),
            JumpTable.from_arrays(part(arrays, "jump")),
        )

    def check(self, n_source_words: int, n_blocks: int) -> None:
        """Raise `ModelError` where a number in the arrays leads nowhere; reads all of them."""
        self.fertility.check("fertility")
        self.lexicon.check("lexicon")
        self.jump.check("jump", 1)


def learn_model4(
    table: BlockTable,
    source: Sentences,
    target: Sentences,
    alignments: Alignments,
    max_words: int,
    options: JumpOptions | None = None,
    *,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> Model4Data:
    """The data of `model4` for a table extracted from this corpus with this `max_words`.

    Counts are those of all extracted blocks, also of pruned ones, so that the fertilities of a
    target phrase sum to one; jumps are those of the first set of links. The two columns of a block
    add up to ln p(S|T). A block of count 0, made for a word that extraction left without, has its
    whole ln p(S|T) in the lexicon column.
    """
    with progress.stage("count fertilities"):
        corpus = alignments.of(source, target)
        flat = _core.fertility_counts(table.core, corpus, max_words, n_workers(threads))
        counts = flat.reshape(-1, max_words)
        if not np.array_equal(counts.sum(axis=1), table.target_counts):
            raise CalqueError(
                "the block table does not come from this aligned corpus with "
                f"max_words {max_words}: its target phrases have other counts"
            )
        fertility, lexicon = _columns(table, counts)
    first = alignments.unstacked(len(source))[0] if len(source) else alignments
    jump = plain_table(find_jumps(source, target, first), options)
    return Model4Data(BlockColumn(fertility, COPIED), BlockColumn(lexicon, COPIED), jump)


def _columns(
    table: BlockTable, counts: NDArray[np.int32]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Fertility and lexicon of every block, from N(T, k)."""
    lengths = np.repeat(np.diff(table.source_offsets), np.diff(table.block_offsets))
    extracted = table.joint_counts > 0
    with_length = counts[table.target_phrase, lengths - 1]
    all_lengths = table.target_counts[table.target_phrase]
    fertility = np.zeros(len(table), np.float32)
    lexicon = table.scores[:, 0].copy()
    fertility[extracted] = np.log(with_length[extracted] / all_lengths[extracted])
    lexicon[extracted] = np.log(table.joint_counts[extracted] / with_length[extracted])
    return fertility, lexicon

"""Lexical weight and word distortion of the dense sets `relevant-set-6` and `-7`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from calque.align import Alignments, Lexicon, train_model1
from calque.blocks import BlockTable
from calque.config.dense import JumpOptions, LexicalOptions
from calque.features.columns import Arrays, BlockColumn, nested, part
from calque.features.jumps import JumpTable, find_jumps, inbound_table, outbound_table
from calque.features.lexical import lexical_column, single_word_lexicon
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.text import Sentences


@dataclass(frozen=True, eq=False)
class RelevantSetData:
    """The data of the relevant-set features (b), (e) and (f) (Tillmann and Zhang 2008)."""

    lexical: BlockColumn
    """(b): ln p(S|T) by words."""
    outbound: JumpTable
    """(e): ln p(jump | last source word of the previous block); the last row: sentence start."""
    inbound: JumpTable
    """(f): ln p(jump | first source word of the block)."""

    def to_arrays(self) -> Arrays:
        """The arrays by name: the form on disk."""
        return nested(
            lexical=self.lexical.to_arrays(),
            outbound=self.outbound.to_arrays(),
            inbound=self.inbound.to_arrays(),
        )

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> RelevantSetData:
        """The data of these arrays; `ModelError` where one is missing or misfits."""
        return cls(
            BlockColumn.from_arrays(part(arrays, "lexical")),
            JumpTable.from_arrays(part(arrays, "outbound")),
            JumpTable.from_arrays(part(arrays, "inbound")),
        )

    def check(self, n_source_words: int, n_blocks: int) -> None:
        """Raise `ModelError` where a number in the arrays leads nowhere; reads all of them."""
        self.lexical.check("lexical")
        self.outbound.check("outbound", n_source_words + 1)
        self.inbound.check("inbound", n_source_words + 1)


def learn_relevant_set(
    table: BlockTable,
    source: Sentences,
    target: Sentences,
    alignments: Alignments,
    n_source_words: int,
    lexical: LexicalOptions | None = None,
    jumps: JumpOptions | None = None,
    *,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> RelevantSetData:
    """The data of the set, learned from the corpus of the table.

    `n_source_words` is the size of the source vocabulary. The result does not depend on `threads`.
    """
    lexical = lexical or LexicalOptions()
    workers = n_workers(threads)
    lexicon: Lexicon
    if lexical.lexicon == "model1":
        lexicon = train_model1(source, target, lexical.model1_iterations, workers, progress)
    else:
        lexicon = single_word_lexicon(table, table.joint_counts, "target")
    word_jumps = find_jumps(source, target, alignments)
    return RelevantSetData(
        lexical_column(table, lexicon, threads=workers),
        outbound_table(word_jumps, n_source_words, jumps),
        inbound_table(word_jumps, n_source_words, jumps),
    )

"""The hierarchical reordering model: orientations towards merged blocks (Galley & Manning 2008)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.align import Alignments
from calque.blocks import BlockTable
from calque.errors import CalqueError
from calque.features.columns import Arrays, checked
from calque.parallel import n_workers
from calque.progress import SILENT, Progress
from calque.text import Sentences
from calque.text.mapped import check_finite

SMOOTHING = 0.5
"""Added to the count of every orientation, as the lexicalised model has it."""


@dataclass(frozen=True, eq=False)
class HierarchicalData:
    """The data of the dense set `hierarchical-reordering`."""

    log_probs: NDArray[np.float32]
    """Shape (blocks, 6): monotone, swap, discontinuous towards what comes before the block in the
    target, then towards what comes behind it."""

    def to_arrays(self) -> Arrays:
        """The arrays by name: the form on disk."""
        return {"log_probs": self.log_probs}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> HierarchicalData:
        """The data of these arrays; `ModelError` where one is missing or misfits."""
        return cls(checked(arrays, "log_probs", np.float32, None, 6))

    def check(self, n_source_words: int, n_blocks: int) -> None:
        """Raise `ModelError` where a number in the arrays leads nowhere; reads all of them."""
        check_finite("features: 'hierarchical'", self.log_probs)


def learn_hierarchical(
    table: BlockTable,
    source: Sentences,
    target: Sentences,
    alignments: Alignments,
    max_words: int,
    *,
    threads: int | None = None,
    progress: Progress = SILENT,
) -> HierarchicalData:
    """The data of `hierarchical-reordering` for a table extracted from this corpus.

    An occurrence of a block is monotone where a phrase pair of any length that the links agree with
    ends at its first corner on both sides, swapped where one ends there in the target and begins
    where the block ends in the source, otherwise discontinuous; behind it likewise. The sentences
    begin and end with an empty pair. Probabilities are (count + 0.5) / (total + 1.5), so that all
    orientations of a block without occurrences are equally likely. With several sets of links,
    stacked, a block is counted in each that it is consistent with, as in extraction, whose
    `max_words` is given. The result does not depend on `threads`.
    """
    with progress.stage("count orientations"):
        corpus = alignments.of(source, target)
        flat = _core.merged_orientation_counts(table.core, corpus, max_words, n_workers(threads))
        counts = flat.reshape(-1, 2, 3)
        extracted = table.joint_counts > 0
        counts[~extracted] = 0  # made for a word that extraction left without a frequent block
        totals = counts.sum(axis=2, dtype=np.int64)
        if not (totals == table.joint_counts[:, np.newaxis]).all():
            raise CalqueError(
                "the block table does not come from this aligned corpus with "
                f"max_words {max_words}: its blocks have other counts"
            )
        shares = (counts + SMOOTHING) / (totals[..., np.newaxis] + 3 * SMOOTHING)
        return HierarchicalData(np.log(shares).astype(np.float32).reshape(-1, 6))

"""The blocks of a word-aligned corpus, counted: sorted runs of records, in memory or on disk."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.parallel import Threads
from calque.progress import Progress
from calque.text import Sentences
from calque.text.scratch import Scratch

Item = TypeVar("Item")
Result = TypeVar("Result")
SortedRun = NDArray[np.uint64]

SENTENCES_PER_TASK = 50_000
RECORD_BYTES = 24
LEAST_RECORDS = 1 << 16
"""Records per run however small the memory, so that their number stays small."""


@dataclass(frozen=True)
class Work:
    """Where counting runs, and the memory that it may take."""

    scratch: Scratch
    pool: Threads
    workers: int
    progress: Progress

    def in_order(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results of `work` in order, from the pool, with a bounded number waiting."""
        items = iter(items)
        waiting = [self.pool.submit(work, item) for item in islice(items, 2 * self.workers)]
        while waiting:
            yield waiting.pop(0).result()
            waiting += [self.pool.submit(work, item) for item in islice(items, 1)]

    def over_sentences(
        self,
        name: str,
        n_sentences: int,
        part: Callable[[int, int, int], tuple[Result, int]],
        bytes_each: int,
    ) -> list[Result]:
        """What `part(first, last, limit)` gives for the corpus, stretch by stretch.

        It stops at a limit of results of `bytes_each` in memory, and says where: its next call goes
        on there. The limit leaves half of the memory to the results.
        """
        for_parts = self.scratch.left // 2
        limit = max(LEAST_RECORDS, for_parts // self.workers // bytes_each)
        self.scratch.left -= for_parts

        def parts_of(sentences: range) -> list[Result]:
            first, last = sentences.start, sentences.stop
            results = []
            while first < last:
                result, first = part(first, last, limit)
                results.append(result)
            return results

        results: list[Result] = []
        stretches = list(_stretches(n_sentences, self.workers))
        with self.progress.stage(name, n_sentences) as stage:
            for stretch, found in zip(stretches, self.in_order(parts_of, stretches), strict=True):
                results += found
                stage.advance(len(stretch))
        self.scratch.left += for_parts
        return results


@dataclass(frozen=True)
class BlockCounts(ABC):
    """All block occurrences of the corpus, summed into sorted runs.

    A run has rows of (source and target phrase, inner alignment, orientations and count).
    """

    sources: _core.Phrases
    targets: _core.Phrases
    target_counts: NDArray[np.uint32]

    @abstractmethod
    def of_words(self) -> Iterable[SortedRun]:
        """The runs as far as they are about source phrases of one word."""

    @abstractmethod
    def add(self, run: SortedRun) -> None:
        """Count another run, too."""

    @abstractmethod
    def clear(self) -> None:
        """Forget the runs."""


@dataclass(frozen=True)
class Counted(BlockCounts):
    """The runs in this process."""

    runs: list[SortedRun]

    def of_words(self) -> list[SortedRun]:
        """Views of the runs."""
        ends = [first_row(run, self.sources.n_words) for run in self.runs]
        return [run[:end] for run, end in zip(self.runs, ends, strict=True)]

    def add(self, run: SortedRun) -> None:
        """Keep the run."""
        self.runs.append(run)

    def clear(self) -> None:
        """Drop the runs."""
        self.runs.clear()


def first_row(run: SortedRun, source: int) -> int:
    """Where the rows of a source phrase and of those behind it begin."""
    return int(np.searchsorted(run[:, 0], np.uint64(source << 32)))


def count_blocks(
    corpus: _core.AlignedCorpus, source: Sentences, target: Sentences, max_words: int, work: Work
) -> Counted:
    """Number the phrases of both sides and count the blocks between them."""
    scratch = work.scratch
    (sources, source_ids), (targets, target_ids) = number_phrases(source, target, max_words, work)
    target_counts = np.zeros(len(targets), np.uint32)

    def run_of(first: int, last: int, max_records: int) -> tuple[SortedRun, int]:
        run, next_sentence = _core.extract_run(
            corpus, source_ids, target_ids, first, last, max_records, target_counts
        )
        return scratch.keep(run), next_sentence

    # A growing vector needs twice its size.
    runs = work.over_sentences("extract blocks", len(source), run_of, 2 * RECORD_BYTES)
    scratch.give_back(source_ids, target_ids)
    return Counted(sources, targets, target_counts, runs)


Numbered: TypeAlias = tuple[_core.Phrases, NDArray[np.uint32]]
"""The phrases of one side, and their ids by length and position."""


def number_phrases(
    source: Sentences, target: Sentences, max_words: int, work: Work
) -> tuple[Numbered, Numbered]:
    """Number the phrases of both sides."""
    with work.progress.stage("number phrases"):
        sides = [
            work.pool.submit(_number, side, max_words, work.scratch) for side in (source, target)
        ]
        return sides[0].result(), sides[1].result()


def _number(side: Sentences, max_words: int, scratch: Scratch) -> Numbered:
    ids = scratch.empty((max_words, len(side.ids)), np.uint32)
    return _core.Phrases(side.ids, side.offsets, max_words, ids), ids


def _stretches(n: int, workers: int) -> Iterator[range]:
    """The corpus in parts: as many as workers, or more where these would be long."""
    size = max(1, min(-(-n // workers), SENTENCES_PER_TASK))
    return (range(first, min(first + size, n)) for first in range(0, n, size))

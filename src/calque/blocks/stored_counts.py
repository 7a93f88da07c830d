"""Counted blocks in files that all workers of an engine see, and their scoring in tasks.

Every run is a file with an array for each range of source phrases. A task merges and scores one
range; the ranges follow from the text, never from the workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise

from calque import _core
from calque.blocks.counting import BlockCounts, Counted, SortedRun, first_row
from calque.blocks.scoring import score
from calque.blocks.table import Arrays
from calque.config.blocks import BlockOptions
from calque.text.shared_folder import Cluster, SharedFolder, StoredArray

Cuts = tuple[int, ...]
"""Where ranges of source phrases begin, and one last entry: the number of phrases."""
StoredPhrases = tuple[StoredArray, StoredArray, StoredArray]


def store_run(folder: SharedFolder, run: SortedRun, cuts: Cuts) -> str:
    """The name of a file with the run, range by range."""
    rows = [first_row(run, cut) for cut in cuts]
    return folder.write({str(at): run[b:e] for at, (b, e) in enumerate(pairwise(rows))})


@dataclass(frozen=True)
class StoredCounts(BlockCounts):
    """The runs in files."""

    cluster: Cluster
    cuts: Cuts
    runs: list[str]

    @property
    def n_ranges(self) -> int:
        """The number of tasks that score them."""
        return len(self.cuts) - 1

    def of_words(self) -> Iterator[SortedRun]:
        """The first ranges of the runs: words end one."""
        ranges = [str(at) for at in range(self.cuts.index(self.sources.n_words))]
        for run in self.runs:
            yield from self.cluster.folder.read(run, ranges).values()

    def add(self, run: SortedRun) -> None:
        """Write the run to a file."""
        self.runs.append(store_run(self.cluster.folder, run, self.cuts))

    def clear(self) -> None:
        """Remove the runs."""
        self.cluster.folder.remove(*self.runs)
        self.runs.clear()

    def scored(
        self, links: _core.LinkCounts, options: BlockOptions, oriented: bool
    ) -> Iterator[Arrays]:
        """The scored and pruned blocks, range by range."""
        folder = self.cluster.folder
        sources, targets, counts = links.pairs()
        scoring = _Scoring(
            folder,
            _store(folder, self.sources),
            _store(folder, self.targets),
            folder.store(self.target_counts),
            folder.write({"sources": sources, "targets": targets, "counts": counts}),
            tuple(self.runs),
            self.cuts,
            options,
            oriented,
        )
        for name in self.cluster.engine.ordered_map(partial(_score, scoring), range(self.n_ranges)):
            yield folder.read(name)
            folder.remove(name)
        tables = *scoring.sources, *scoring.targets, scoring.target_counts, scoring.links
        folder.remove(*tables)


@dataclass(frozen=True)
class _Scoring:
    """What a task needs to score a range: names of files, and options."""

    folder: SharedFolder
    sources: StoredPhrases
    targets: StoredPhrases
    target_counts: StoredArray
    links: str
    runs: tuple[str, ...]
    cuts: Cuts
    options: BlockOptions
    oriented: bool


def _score(scoring: _Scoring, at: int) -> str:
    """The task of an engine: the blocks of a range, in a file."""
    folder = scoring.folder
    counted = Counted(
        _map(folder, scoring.sources),
        _map(folder, scoring.targets),
        folder.map(scoring.target_counts),
        [folder.read(run, [str(at)])[str(at)] for run in scoring.runs],
    )
    links = _links(folder, scoring.links)
    sources = scoring.cuts[at], scoring.cuts[at + 1]
    return folder.write(score(counted, links, scoring.options, scoring.oriented, sources))


def _store(folder: SharedFolder, phrases: _core.Phrases) -> StoredPhrases:
    return (
        folder.store(phrases.words),
        folder.store(phrases.examples),
        folder.store(phrases.first_ids),
    )


def _map(folder: SharedFolder, stored: StoredPhrases) -> _core.Phrases:
    return _core.Phrases(*map(folder.map, stored))


@lru_cache(maxsize=1)
def _links(folder: SharedFolder, name: str) -> _core.LinkCounts:
    """The counts of links, which take a while to put into their table: once per process."""
    pairs = folder.read(name)
    return _core.LinkCounts(pairs["sources"], pairs["targets"], pairs["counts"])

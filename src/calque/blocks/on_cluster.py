"""The blocks or rules of a word-aligned corpus, counted where an engine runs its tasks.

Parts of the corpus go to files, and tasks write sorted runs of counts beside them: only names of
files travel through the engine. Phrases are numbered here, as for threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.align import Alignments
from calque.blocks.counting import SortedRun, Work, number_phrases
from calque.blocks.rules import SideIndex, Sides, number_sides, refuse_gaps, rule_limits
from calque.blocks.stored_counts import Cuts, StoredCounts, store_run
from calque.blocks.table import Arrays
from calque.config.blocks import BlockOptions
from calque.text import Sentences
from calque.text.sentences import part_of
from calque.text.shared_folder import Cluster, SharedFolder, StoredArray

Result = TypeVar("Result")
Ids = NDArray[np.uint32]
Extract = Callable[[Arrays, int, int, Ids], tuple[SortedRun, int]]
StoredIndex = tuple[StoredArray, StoredArray, StoredArray]
"""Symbols, offsets and slots of the sides of rules."""
SIDE_IDS = ("source_ids", "target_ids")

SENTENCES = 50_000
"""Of a part."""
RECORDS = 1 << 22
"""Of a run, about, so that a task needs bounded memory however long the sentences are."""
SIDES = 1 << 20
"""Of rules in a file, about."""
WORDS_PER_RANGE = 500_000
"""Running source words behind the blocks that a task scores, about."""
SAMPLED = 2000
"""Sentence pairs whose blocks tell where ranges begin."""


@dataclass(frozen=True)
class AlignedText:
    """Two sides, and one or more sets of links between them."""

    source: Sentences
    target: Sentences
    sets: list[Alignments]
    ids: tuple[Ids, Ids] | None = None
    """The phrases of both sides by length and position, where they are numbered."""

    def part(self, first: int, last: int) -> Arrays:
        """The sentence pairs first..last, as arrays by name."""
        links = Alignments.stacked([each.part(first, last) for each in self.sets])
        arrays: Arrays = {
            **part_of(self.source, self.target, first, last),
            "links": links.links,
            "link_offsets": links.offsets,
        }
        if self.ids is not None:
            for name, side, ids in zip(SIDE_IDS, (self.source, self.target), self.ids, strict=True):
                words = slice(side.offsets[first], side.offsets[last])
                arrays[name] = np.ascontiguousarray(ids[:, words])
        return arrays


def _corpus(part: Arrays) -> _core.AlignedCorpus:
    return _core.AlignedCorpus(**{name: part[name] for name in part if name not in SIDE_IDS})


def _blocks_of(part: Arrays, first: int, last: int, target_counts: Ids) -> tuple[SortedRun, int]:
    """A run of the blocks of sentence pairs first..last of a part, and the pair to go on with."""
    source_ids, target_ids = (part[name] for name in SIDE_IDS)
    return _core.extract_run(
        _corpus(part), source_ids, target_ids, first, last, RECORDS, target_counts
    )


def _rules_of(
    folder: SharedFolder,
    options: BlockOptions,
    indexes: tuple[StoredIndex, StoredIndex],
    part: Arrays,
    first: int,
    last: int,
    target_counts: Ids,
) -> tuple[SortedRun, int]:
    """Likewise a run of rules, between sides whose indexes are in files."""
    limits = rule_limits(options.max_words, options.rules)
    (sources, source_slots), (targets, target_slots) = (_map(folder, each) for each in indexes)
    return _core.extract_rules_run(
        _corpus(part),
        limits,
        *(sources, source_slots),
        *(targets, target_slots),
        *(first, last, RECORDS),
        target_counts,
    )


def count_on_cluster(
    cluster: Cluster, text: AlignedText, options: BlockOptions, with_gaps: bool, work: Work
) -> StoredCounts:
    """Number the phrases, or the sides of rules, and count what stands between them."""
    folder = cluster.folder
    extract_from: Extract = _blocks_of
    no_more_needed: tuple[NDArray[Any], NDArray[Any]]
    stored: tuple[StoredIndex, StoredIndex] | tuple[()] = ()
    if with_gaps:
        found = _find_sides(cluster, text, options, work)
        sources, targets = (_core.Phrases(*index.sides) for index in found)
        stored = _store_index(folder, found[0]), _store_index(folder, found[1])
        extract_from = partial(_rules_of, folder, options, stored)
        no_more_needed = found[0].slots, found[1].slots
    else:
        numbered = number_phrases(text.source, text.target, options.max_words, work)
        (sources, source_ids), (targets, target_ids) = numbered
        text = replace(text, ids=(source_ids, target_ids))
        no_more_needed = source_ids, target_ids
    cuts = _cuts(text, extract_from, sources, len(targets))
    counts = StoredCounts(sources, targets, np.zeros(len(targets), np.uint32), cluster, cuts, [])
    task = partial(_extract, folder, extract_from, len(targets), cuts)
    name = "extract rules" if with_gaps else "extract blocks"
    for runs, of_targets in _over_parts(cluster, text, name, task, work):
        counts.runs.extend(runs)
        seen = folder.read(of_targets)
        counts.target_counts[seen["targets"]] += seen["counts"]
        folder.remove(of_targets)
    work.scratch.give_back(*no_more_needed)
    folder.remove(*(array for index in stored for array in index))
    return counts


def _over_parts(
    cluster: Cluster, text: AlignedText, name: str, task: Callable[[str], Result], work: Work
) -> Iterator[Result]:
    """What a task gives for the file of each part of the text, in order."""
    n = len(text.source)
    ends = [(first, min(first + SENTENCES, n)) for first in range(0, n, SENTENCES)]
    results = cluster.over_parts(task, (text.part(*part) for part in ends))
    with work.progress.stage(name, n) as stage:
        for (first, last), result in zip(ends, results, strict=True):
            yield result
            stage.advance(last - first)


def _extract(
    folder: SharedFolder, extract_from: Extract, n_targets: int, cuts: Cuts, name: str
) -> tuple[list[str], str]:
    """The task of an engine: the files with the runs of a part, and with counts of targets."""
    part, runs = folder.read(name), []
    target_counts = np.zeros(n_targets, np.uint32)
    first, last = 0, len(part["source_offsets"]) - 1
    while first < last:
        run, first = extract_from(part, first, last, target_counts)
        runs.append(store_run(folder, run, cuts))
    seen = np.flatnonzero(target_counts)
    return runs, folder.write({"targets": seen, "counts": target_counts[seen]})


def _cuts(text: AlignedText, extract_from: Extract, sources: _core.Phrases, n_targets: int) -> Cuts:
    """Ranges of source phrases with about equally many records, by those of the first sentences.

    Phrases of one word fill ranges of their own.
    """
    n_pairs = min(SAMPLED, len(text.source))
    run, _ = extract_from(text.part(0, n_pairs), 0, n_pairs, np.zeros(n_targets, np.uint32))
    found = run[:, 0] >> np.uint64(32)
    n_ranges = max(1, text.source.n_words // WORDS_PER_RANGE)
    inner = found[np.arange(1, n_ranges) * len(found) // n_ranges] if len(found) else found
    cuts = sorted({0, sources.n_words, len(sources), *inner.tolist()})
    return tuple(cuts) if len(cuts) > 1 else (0, 0)  # at least one range, be it empty


def _find_sides(
    cluster: Cluster, text: AlignedText, options: BlockOptions, work: Work
) -> tuple[SideIndex, SideIndex]:
    """The sides of all rules, numbered."""
    refuse_gaps(text.source, text.target)
    scratch, runs = work.scratch, list[tuple[Sides, Sides]]()
    task = partial(_collect, cluster.folder, options)
    for names in _over_parts(cluster, text, "find rules", task, work):
        for name in names:
            kept = [scratch.keep(array) for array in cluster.folder.read(name).values()]
            runs.append(((kept[0], kept[1]), (kept[2], kept[3])))
            cluster.folder.remove(name)
    found = number_sides(runs, work)
    scratch.give_back(*(array for run in runs for side in run for array in side))
    return found


def _collect(folder: SharedFolder, options: BlockOptions, name: str) -> list[str]:
    """The task of an engine: the files with the sides of the rules of a part."""
    part, names = folder.read(name), []
    limits = rule_limits(options.max_words, options.rules)
    first, last = 0, len(part["source_offsets"]) - 1
    while first < last:
        sources, targets, first = _core.collect_sides(_corpus(part), limits, first, last, SIDES)
        fields = ("source_symbols", "source_offsets", "target_symbols", "target_offsets")
        names.append(folder.write(dict(zip(fields, (*sources, *targets), strict=True))))
    return names


def _store_index(folder: SharedFolder, index: SideIndex) -> StoredIndex:
    symbols, offsets = index.sides
    return folder.store(symbols), folder.store(offsets), folder.store(index.slots)


def _map(folder: SharedFolder, index: StoredIndex) -> tuple[Sides, NDArray[np.int32]]:
    symbols, offsets, slots = map(folder.map, index)
    return (symbols, offsets), slots

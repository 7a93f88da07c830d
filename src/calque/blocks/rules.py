"""The rules of a word-aligned corpus, counted: blocks with up to two gaps.

The sides of rules are numbered first. Unlike phrases they do not lie in the corpus one after the
other, so they are collected into sorted runs, which are merged; then the rules are found once more
and counted by the numbers of their sides.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks.counting import RECORD_BYTES, Counted, SortedRun, Work
from calque.blocks.gaps import FIRST_GAP, SECOND_GAP
from calque.config.blocks import BlockOptions, RuleOptions
from calque.errors import CalqueError
from calque.text import Sentences
from calque.text.scratch import Scratch

SIDE_BYTES = 300
"""What a source side and a target side take at most while they are collected."""

Sides = tuple[NDArray[np.int32], NDArray[np.int64]]
"""Symbols and offsets of sides, in order of (length, symbols), each once."""


@dataclass(frozen=True)
class SideIndex:
    """Numbered sides and the hash index over them."""

    sides: Sides
    slots: NDArray[np.int32]


def count_rules(
    corpus: _core.AlignedCorpus,
    source: Sentences,
    target: Sentences,
    options: BlockOptions,
    work: Work,
) -> Counted:
    """Number the sides of rules and count the rules between them."""
    refuse_gaps(source, target)
    limits, scratch = rule_limits(options.max_words, options.rules), work.scratch

    def sides_of(first: int, last: int, max_sides: int) -> tuple[tuple[Sides, Sides], int]:
        *both, next_sentence = _core.collect_sides(corpus, limits, first, last, max_sides)
        source_run, target_run = ((scratch.keep(a), scratch.keep(b)) for a, b in both)
        return (source_run, target_run), next_sentence

    runs = work.over_sentences("find rules", len(source), sides_of, SIDE_BYTES)
    sources, targets = number_sides(runs, work)
    scratch.give_back(*(array for run in runs for side in run for array in side))
    del runs
    target_counts = np.zeros(len(targets.sides[1]) - 1, np.uint32)

    def run_of(first: int, last: int, max_records: int) -> tuple[SortedRun, int]:
        run, next_sentence = _core.extract_rules_run(
            corpus,
            limits,
            *(sources.sides, sources.slots),
            *(targets.sides, targets.slots),
            *(first, last, max_records),
            target_counts,
        )
        return scratch.keep(run), next_sentence

    # A growing vector needs twice its size.
    records = work.over_sentences("extract rules", len(source), run_of, 2 * RECORD_BYTES)
    scratch.give_back(sources.slots, targets.slots)
    return Counted(
        _core.Phrases(*sources.sides), _core.Phrases(*targets.sides), target_counts, records
    )


def rule_limits(max_words: int, rules: RuleOptions | None) -> _core.RuleLimits:
    """The limits of blocks, and of rules among them if there are any, as the core takes them."""
    limits = asdict(rules or RuleOptions(max_gaps=0))
    tight = limits.pop("boundaries") == "tight"
    return _core.RuleLimits(max_words=max_words, tight=tight, **limits)


def refuse_gaps(source: Sentences, target: Sentences) -> None:
    """Raise `CalqueError` where words have the ids of gaps."""
    if any(gap in side.ids for gap in (FIRST_GAP, SECOND_GAP) for side in (source, target)):
        raise CalqueError(f"words {FIRST_GAP} and {SECOND_GAP} stand for gaps: expected others")


def number_sides(runs: list[tuple[Sides, Sides]], work: Work) -> tuple[SideIndex, SideIndex]:
    """The source sides and the target sides of all runs, numbered."""
    sides = [source for source, _ in runs], [target for _, target in runs]
    with work.progress.stage("number rules"):
        waiting = [work.pool.submit(_number, side, work.scratch) for side in sides]
        return waiting[0].result(), waiting[1].result()


def _number(runs: list[Sides], scratch: Scratch) -> SideIndex:
    n_sides, n_symbols = _core.merged_size(runs)
    symbols = scratch.empty((n_symbols,), np.int32)
    offsets = scratch.empty((n_sides + 1,), np.int64)
    _core.merge_sides(runs, symbols, offsets)
    slots = scratch.empty((2 * _core.n_slots(n_sides),), np.int32)
    _core.index_sources(symbols, offsets, slots)
    return SideIndex((symbols, offsets), slots)

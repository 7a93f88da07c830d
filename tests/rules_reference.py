"""Slow references for rules: Chiang (2007), section 3.2, word for word over plain Python values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

from blocks_reference import GAPS, Counts, Pair, Phrase, Spans, consistent

from calque.config.blocks import BlockOptions

Rule = tuple[Phrase, Phrase]


def initial_phrases(pair: Pair, options: BlockOptions) -> list[Spans]:
    """What rules and gaps may cover."""
    linked_source = {s for s, _ in pair[2]}
    linked_target = {t for _, t in pair[2]}
    return [
        (s0, s1, t0, t1)
        for s0, s1, t0, t1 in consistent(pair, options.rules.max_span)
        if options.rules.boundaries == "loose"
        or ({s0, s1 - 1} <= linked_source and {t0, t1 - 1} <= linked_target)
    ]


def places(pair: Pair, options: BlockOptions) -> Iterator[tuple[Spans, tuple[Spans, ...]]]:
    """Every rule of a sentence pair: what it covers and what its gaps cover, in source order."""
    rules = options.rules
    for whole in consistent(pair, options.max_words):
        yield whole, ()
    phrases = initial_phrases(pair, options)
    for whole in phrases:
        inside = [gap for gap in phrases if gap != whole and within(gap, whole)]
        for n_gaps in range(1, rules.max_gaps + 1):
            for chosen in combinations(sorted(inside), n_gaps):
                if any(overlap(a, b, side) for a, b in combinations(chosen, 2) for side in (0, 2)):
                    continue
                source, target, links = cut(pair, whole, chosen)
                symbols = [1 if symbol in GAPS else 0 for symbol in source]
                if (
                    len(source) <= rules.max_symbols
                    and len(target) <= rules.max_target_symbols
                    and all(s1 - s0 >= rules.min_gap for s0, s1, _, _ in chosen)
                    and 0 in symbols
                    and (rules.adjacent_gaps or (1, 1) not in pairwise(symbols))
                    and (links or not rules.gap_needs_words)
                ):
                    yield whole, chosen


def within(gap: Spans, whole: Spans) -> bool:
    return whole[0] <= gap[0] and gap[1] <= whole[1] and whole[2] <= gap[2] and gap[3] <= whole[3]


def overlap(a: Spans, b: Spans, side: int) -> bool:
    return bool({*range(a[side], a[side + 1])} & {*range(b[side], b[side + 1])})


def cut(
    pair: Pair, whole: Spans, gaps: Sequence[Spans]
) -> tuple[Phrase, Phrase, tuple[tuple[int, int], ...]]:
    """Both sides of a rule and the links between its words, by their positions among symbols."""
    sides: list[Phrase] = []
    positions: list[dict[int, int]] = []
    for words, begin, end, at in ((pair[0], *whole[:2], 0), (pair[1], *whole[2:], 2)):
        symbols: list[int] = []
        position: dict[int, int] = {}
        for i in range(begin, end):
            gap = next((g for g, span in enumerate(gaps) if span[at] <= i < span[at + 1]), None)
            if gap is None:
                position[i] = len(symbols)
                symbols.append(words[i])
            elif gaps[gap][at] == i:
                symbols.append(GAPS[gap])
        sides.append(tuple(symbols))
        positions.append(position)
    of_source, of_target = positions
    links = [(of_source[s], of_target[t]) for s, t in pair[2] if s in of_source and t in of_target]
    return sides[0], sides[1], tuple(sorted(links))


def count_rules(pairs: Sequence[Pair], options: BlockOptions) -> Counts:
    """How often every rule, its sides and its inner alignments stand in sentence pairs."""
    out = Counts()
    for pair in pairs:
        for whole, gaps in places(pair, options):
            source, target, links = cut(pair, whole, gaps)
            out.joint[source, target] += 1
            out.source[source] += 1
            out.target[target] += 1
            out.inner[source, target][links] += 1
    return out

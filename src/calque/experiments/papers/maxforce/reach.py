"""Tables 2 and 3, figures 6 and 7: which training pairs the blocks can derive."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from calque.decode.reachability import Counts, Reachability, Row
from calque.experiments.bench import Bench
from calque.experiments.claim import Claim, Evidence, Verdict, stated
from calque.experiments.paper import Entry, Figure, Section, Table
from calque.experiments.papers.maxforce.cells import MaxForceCells
from calque.experiments.papers.maxforce.reach_cells import (
    LIMIT,
    LIMITS,
    SMALL_SHARE,
    UNLIMITED,
    UNLIMITED_WORDS,
    by_size,
    reached,
    ways_of_the_same,
)
from calque.report.curves import Curve

PAPER = {
    "full": (21.4, 8.8, 32.1, 12.7),
    "+ prefix": (61.3, 24.6, 67.3, 32.8),
}
"""Table 3: sentences and words, small and large."""
SIZES = ("small", "large")
TIMES = 2.0
"""How many times the words in reach prefix pairs must make of them, to confirm 'three times'."""
CHANCE = 1.96
"""Standard errors beyond which a difference of two shares is not chance (p <= 0.05)."""
LEAST_POINTS = 3
ENOUGH = 30
"""Pairs that a point of the figures needs to be judged."""
STRAIGHT = 0.95
"""How well a straight line over the length must fit the logarithm of numbers that grow
exponentially (correlation)."""


def section(bench: Bench) -> Section:
    """Shares in reach, by length and limit, and numbers of derivations."""
    work = MaxForceCells(bench)
    table, (small, large) = reached(work), by_size(work)
    total = dict(zip(table.limits, table.total, strict=True))
    return Section(
        "Table 3, figures 6 and 7: pairs in reach of forced decoding",
        [_table(total[LIMIT], small, large), _by_limit(table)],
        [_reach_figure(table), _derivations_figure(table)],
        _claims(table, small, large, *ways_of_the_same(work)),
        [
            f"Blocks that occur once, in the pair itself, are left out. {work.n_pairs:,} pairs are"
            " searched; the limit bounds the jump alone, as in the paper. Without a limit only"
            f" sources of up to {UNLIMITED_WORDS} words are.",
            "That Spanish is more in reach than Chinese takes two corpora: compare two reports.",
        ],
    )


def _table(total: Counts, small: Counts, large: Counts) -> Table:
    whose = [f"paper {size}" for size in SIZES] + ["here"] + [f"here {size}" for size in SIZES]
    heads = ["", *(f"{what}, {who}" for who in whose for what in ("sent.", "words"))]
    parts = total, small, large
    full: list[Entry] = [_percent(x) for counts in parts for x in (counts.sentences, counts.words)]
    more: list[Entry] = [
        _percent(x)
        for counts in parts
        for x in (counts.sentences_with_prefixes, counts.words_with_prefixes)
    ]
    rows: list[list[Entry]] = [
        [name, *(f"{figure:.1f} %" for figure in PAPER[name]), *ours]
        for name, ours in (("full", full), ("+ prefix", more))
    ]
    caption = (
        f"Table 3: share in reach at distortion limit {LIMIT}. Small and large here are the same"
        f" {small.n_pairs:,} pairs with a model of 1 / {SMALL_SHARE} of the training text and one"
        " of the whole."
    )
    return Table(caption, heads, rows)


def _by_limit(table: Reachability) -> Table:
    rows: list[list[Entry]] = [
        [
            _name(limit),
            counts.n_pairs,
            *(
                _percent(share)
                for share in (
                    counts.sentences,
                    counts.words,
                    counts.sentences_with_prefixes,
                    counts.words_with_prefixes,
                )
            ),
            counts.n_too_large,
        ]
        for limit, counts in zip(table.limits, table.total, strict=True)
    ]
    heads = ["limit", "pairs", "sent.", "words", "+ prefix sent.", "+ prefix words", "too large"]
    return Table("Share in reach by distortion limit.", heads, rows)


def _reach_figure(table: Reachability) -> Figure:
    curves = []
    for series, limit in enumerate(table.limits):
        points = [(row.longest, 100 * counts.sentences) for row, counts in _points(table, limit)]
        if points:
            x, y = zip(*points, strict=True)
            curves.append(Curve(_name(limit), x, y, series))
    caption = "Figure 6: share of the sentences in reach against source length (the longest of 5)."
    return Figure(caption, "source words", "sentences in reach, %", curves)


def _derivations_figure(table: Reachability) -> Figure:
    curves = []
    for series, limit in enumerate(LIMITS):
        points = [
            (row.longest, math.log10(counts.derivations))
            for row, counts in _points(table, limit)
            if counts.n_reachable
        ]
        if points:
            x, y = zip(*points, strict=True)
            curves.append(Curve(_name(limit), x, y, series))
    caption = (
        "Figure 7: logarithm (base 10) of the number of derivations of a gold lattice, on average,"
        " against source length."
    )
    return Figure(caption, "source words", "log10 of derivations", curves)


def _claims(
    table: Reachability, small: Counts, large: Counts, n_same: int, ways: Sequence[float]
) -> list[Claim]:
    total = dict(zip(table.limits, table.total, strict=True))
    at_limit = total[LIMIT]
    times = at_limit.words_with_prefixes / at_limit.words if at_limit.words else math.inf
    lengths = [(row, counts.sentences) for row, counts in _points(table, LIMIT)]
    return [
        Claim(
            "3a", "Prefix pairs roughly triple the words that can be learned from",
            "8.8 % -> 24.6 %, 12.7 % -> 32.8 % of the words", f"at least {TIMES:g} times as many",
            [
                stated(
                    times >= TIMES,
                    f"{_percent(at_limit.words)} -> {_percent(at_limit.words_with_prefixes)}"
                    f" ({times:.2f} times)",
                )
            ],
        ),
        Claim(
            "3b", "More data brings better word links, and more pairs into reach",
            "21.4 % -> 32.1 % of the sentences, 8.8 % -> 12.7 % of the words, of other texts",
            "a larger share of the same sentences, and of their words",
            [
                stated(
                    b > a, f"{what}: {_percent(a)} with a model of 1 / {SMALL_SHARE}, {_percent(b)}"
                    " with one of the whole text",
                )
                for what, a, b in (
                    ("sentences", small.sentences, large.sentences),
                    ("words", small.words, large.words),
                )
            ],
        ),
        Claim(
            "3c", "Fewer of the longer sentences are in reach, and more under a larger limit",
            "figure 6", f"at limit {LIMIT} the shortest sentences more than the longest; of all"
            " sentences more at every larger limit",
            [
                stated(
                    lengths[0][1] > lengths[-1][1],
                    f"{_percent(lengths[0][1])} of up to {lengths[0][0].longest} words,"
                    f" {_percent(lengths[-1][1])} of {_words(lengths[-1][0])}",
                ),
                _rising([total[limit].sentences for limit in LIMITS]),
            ],
        ),
        Claim(
            "figure 6", "Reach falls with length under every limit, and rises with the limit at"
            " every length", "curves", f"no rise with the length (in doubt where it may be chance,"
            f" p > 0.05), no fall with the limit; points of at least {ENOUGH} pairs",
            [
                *(_falling(table, limit) for limit in (*LIMITS, UNLIMITED)),
                *(
                    _rising([counts.sentences for counts in row.counts[: len(LIMITS)]], row)
                    for row in _judged(table)
                ),
            ],
        ),
        Claim(
            "figure 7", "The number of derivations grows exponentially with length and with the"
            " limit", "curves",
            f"correlation of its logarithm with the length of at least {STRAIGHT:g} under every"
            " limit that has three lengths, and more at every larger limit for the same pairs",
            [*_exponential(table), _more_ways(n_same, ways)],
        ),
    ]  # fmt: skip


def _points(table: Reachability, limit: int) -> list[tuple[Row, Counts]]:
    """The counts of a limit by length, where there are enough pairs."""
    at = table.limits.index(limit)
    return [(row, row.counts[at]) for row in table.rows if row.counts[at].n_pairs >= ENOUGH] or [
        (row, row.counts[at]) for row in table.rows[:1]
    ]


def _judged(table: Reachability) -> list[Row]:
    return [row for row, _ in _points(table, LIMITS[0])]


def _falling(table: Reachability, limit: int) -> Evidence:
    """Whether the share never rises; in doubt where a rise may be chance."""
    points = [counts for _, counts in _points(table, limit)]
    rises = [_rise(a, b) for a, b in pairwise(points) if b.sentences > a.sentences]
    verdict = Verdict.HOLDS if not rises else Verdict.OPEN
    if any(rise > CHANCE for rise in rises):
        verdict = Verdict.FAILS
    listed = ", ".join(_percent(counts.sentences) for counts in points)
    return Evidence(verdict, f"{_name(limit)}: {listed}")


def _rise(a: Counts, b: Counts) -> float:
    """How much larger the second share is, in standard errors of such a difference by chance."""
    share = (a.n_reachable + b.n_reachable) / (a.n_pairs + b.n_pairs)
    spread = math.sqrt(share * (1 - share) * (1 / a.n_pairs + 1 / b.n_pairs))
    return (b.sentences - a.sentences) / spread if spread else 0.0


def _rising(shares: Sequence[float], row: Row | None = None) -> Evidence:
    rises = all(b >= a for a, b in pairwise(shares))
    what = "all lengths" if row is None else _words(row)
    limits = ", ".join(map(str, LIMITS))
    return stated(rises, f"{what}: {', '.join(map(_percent, shares))} at limits {limits}")


def _exponential(table: Reachability) -> list[Evidence]:
    """Growth with the length, limit by limit; in doubt where no limit has three lengths."""
    evidence = []
    for limit in LIMITS:
        points = [
            (row.longest, math.log10(counts.derivations))
            for row, counts in _points(table, limit)
            if counts.n_reachable >= ENOUGH
        ]
        if len(points) < LEAST_POINTS:
            continue
        x, y = np.array(points).T
        fit, slope = float(np.corrcoef(x, y)[0, 1]), float(np.polyfit(x, y, 1)[0])
        seen = f"{_name(limit)}: {10**slope:.2f} times per source word (correlation {fit:.3f})"
        evidence.append(stated(slope > 0 and fit >= STRAIGHT, seen))
    few = Evidence(Verdict.OPEN, f"no limit has {LEAST_POINTS} lengths of {ENOUGH} pairs in reach")
    return evidence or [few]


def _more_ways(n_pairs: int, ways: Sequence[float]) -> Evidence:
    listed, limits = ", ".join(f"{n:,.3g}" for n in ways), ", ".join(map(str, LIMITS))
    seen = f"{n_pairs:,} pairs in reach under every limit: {listed} at limits {limits}"
    return stated(all(b > a for a, b in pairwise(ways)), seen)


def _name(limit: int) -> str:
    return "no limit" if limit == UNLIMITED else f"limit {limit}"


def _words(row: Row) -> str:
    return f"{row.shortest} to {row.longest} words"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"

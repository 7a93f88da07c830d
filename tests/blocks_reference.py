"""Slow references for blocks: every definition as a few lines over plain Python values."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from calque.blocks import BlockTable
from calque.text import Sentences, offsets_of

Phrase = tuple[int, ...]
Links = list[tuple[int, int]]
Pair = tuple[list[int], list[int], Links]
Spans = tuple[int, int, int, int]
GAPS = (1, 2)
"""Symbols that stand for no word."""


def to_arrays(
    pairs: Sequence[Pair],
) -> tuple[Sentences, Sentences, NDArray[np.int32], NDArray[np.int64]]:
    """The arguments of `extract` for sentence pairs with links."""
    links = [link for pair in pairs for link in sorted(pair[2])]
    return (
        Sentences.from_lists(pair[0] for pair in pairs),
        Sentences.from_lists(pair[1] for pair in pairs),
        np.array(links, np.int32).reshape(-1, 2),
        offsets_of([len(pair[2]) for pair in pairs]),
    )


@st.composite
def sentence_pairs(draw: st.DrawFn, max_length: int = 6, n_words: int = 4) -> Pair:
    words = st.lists(st.integers(3, 2 + n_words), max_size=max_length)
    source, target = draw(words), draw(words)
    cells = [(s, t) for s in range(len(source)) for t in range(len(target))]
    links = draw(st.sets(st.sampled_from(cells), max_size=8)) if cells else set()
    return source, target, sorted(links)


corpora = st.lists(sentence_pairs(), max_size=6)
few = settings(max_examples=40, deadline=None)


def consistent(pair: Pair, max_words: int) -> Iterator[Spans]:
    """All pairs of spans that hold a link and that no link leaves."""
    source, target, links = pair
    for s0 in range(len(source)):
        for s1 in range(s0 + 1, min(len(source), s0 + max_words) + 1):
            for t0 in range(len(target)):
                for t1 in range(t0 + 1, min(len(target), t0 + max_words) + 1):
                    inside = {(s0 <= s < s1, t0 <= t < t1) for s, t in links}
                    if (True, True) in inside and inside <= {(True, True), (False, False)}:
                        yield s0, s1, t0, t1


def orientation(straight: bool, crossed: bool) -> int:
    return 0 if straight and not crossed else 1 if crossed and not straight else 2


@dataclass
class Counts:
    joint: Counter[tuple[Phrase, Phrase]] = field(default_factory=Counter)
    source: Counter[Phrase] = field(default_factory=Counter)
    target: Counter[Phrase] = field(default_factory=Counter)
    previous: Counter[tuple[Phrase, Phrase, int]] = field(default_factory=Counter)
    next: Counter[tuple[Phrase, Phrase, int]] = field(default_factory=Counter)
    inner: dict[tuple[Phrase, Phrase], Counter[tuple[tuple[int, int], ...]]] = field(
        default_factory=lambda: defaultdict(Counter)
    )


def count(pairs: Sequence[Pair], max_words: int) -> Counts:
    out = Counts()
    for pair in pairs:
        source, target, links = pair
        linked = {*links, (-1, -1), (len(source), len(target))}
        spans = list(consistent(pair, max_words))
        for s0, s1, t0, t1 in spans:
            s, t = tuple(source[s0:s1]), tuple(target[t0:t1])
            out.joint[s, t] += 1
            out.source[s] += 1
            out.target[t] += 1
            before = orientation((s0 - 1, t0 - 1) in linked, (s1, t0 - 1) in linked)
            after = orientation((s1, t1) in linked, (s0 - 1, t1) in linked)
            out.previous[s, t, before] += 1
            out.next[s, t, after] += 1
            inner = tuple((i - s0, j - t0) for i, j in links if s0 <= i < s1 and t0 <= j < t1)
            out.inner[s, t][inner] += 1
    return out


def best_inner(
    counts: Counter[tuple[tuple[int, int], ...]], n_rows: int, row: int
) -> tuple[tuple[int, int], ...]:
    """The most frequent inner alignment; ties go to the greatest list of lists of positions."""

    def lists(links: tuple[tuple[int, int], ...]) -> list[list[int]]:
        return [sorted(link[1 - row] for link in links if link[row] == i) for i in range(n_rows)]

    return max(counts, key=lambda links: (counts[links], lists(links)))


def lexicon(pairs: Sequence[Pair]) -> Counter[tuple[int | None, int | None]]:
    out: Counter[tuple[int | None, int | None]] = Counter()
    for source, target, links in pairs:
        out.update((source[s], target[t]) for s, t in links)
        out.update((w, None) for s, w in enumerate(source) if s not in {a for a, _ in links})
        out.update((None, w) for t, w in enumerate(target) if t not in {b for _, b in links})
    return out


def lexical_weights(
    words: Counter[tuple[int | None, int | None]],
    source: Phrase,
    target: Phrase,
    inner: tuple[tuple[int, int], ...],
) -> tuple[float, float]:
    """p(s|t) and p(t|s) of phrases under one alignment, by a lexicon; gaps count for nothing."""

    def given(side: int, s: int | None, t: int | None) -> float:
        return words[s, t] / sum(n for k, n in words.items() if k[side] == (s, t)[side])

    of_source, of_target = 1.0, 1.0
    for i, word in enumerate(source):
        linked = [given(1, word, target[t]) for s, t in inner if s == i]
        if word not in GAPS:
            of_source *= sum(linked) / len(linked) if linked else given(1, word, None)
    for j, word in enumerate(target):
        linked = [given(0, source[s], word) for s, t in inner if t == j]
        if word not in GAPS:
            of_target *= sum(linked) / len(linked) if linked else given(0, None, word)
    return of_source, of_target


def rows(table: BlockTable) -> dict[tuple[Phrase, Phrase], int]:
    """Block indexes by phrase pair."""
    out = {}
    for source in range(table.n_sources):
        for block in table.blocks(source):
            out[tuple(table.source(source).tolist()), tuple(table.target(block).tolist())] = block
    assert len(out) == len(table)
    return out


def equal(a: BlockTable, b: BlockTable) -> bool:
    """Whether two tables are the same bit for bit."""
    left, right = a.to_arrays(), b.to_arrays()
    return all(left[k].dtype == right[k].dtype and np.array_equal(left[k], right[k]) for k in left)

"""Orientations towards merged blocks equal a count over all pairs of phrase pairs."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from blocks_reference import Pair, Phrase, corpora, equal, few, rows, to_arrays
from blocks_reference import consistent as phrase_pairs
from hypothesis import given
from hypothesis import strategies as st

from calque.align import Alignments
from calque.blocks import BlockTable, extract
from calque.config import BlockOptions
from calque.errors import CalqueError, ModelError
from calque.features import HierarchicalData, learn_hierarchical

ANY_LENGTH = 1000
Ways = Counter[tuple[Phrase, Phrase, str, int]]


def learn(
    pairs: list[Pair], options: BlockOptions, threads: int = 1
) -> tuple[BlockTable, HierarchicalData]:
    source, target, links, offsets = to_arrays(pairs)
    table = extract(source, target, links, offsets, options, threads=1)
    alignments = Alignments(links, offsets)
    data = learn_hierarchical(table, source, target, alignments, options.max_words, threads=threads)
    return table, data


def count(pairs: list[Pair], max_words: int) -> Ways:
    """Every block of every pair against every other phrase pair of any length."""
    ways: Ways = Counter()
    for pair in pairs:
        n, m = len(pair[0]), len(pair[1])
        others = [*phrase_pairs(pair, ANY_LENGTH), (0, 0, 0, 0), (n, n, m, m)]
        for s0, s1, t0, t1 in phrase_pairs(pair, max_words):
            s, t = tuple(pair[0][s0:s1]), tuple(pair[1][t0:t1])
            before = [(begin, end) for begin, end, _, end_t in others if end_t == t0]
            behind = [(begin, end) for begin, end, begin_t, _ in others if begin_t == t1]
            # The empty pair at the end is not before, that at the beginning is not behind.
            before = [span for span in before if span != (n, n)]
            behind = [span for span in behind if span != (0, 0)]
            straight = any(end == s0 for _, end in before)
            crossed = any(begin == s1 for begin, _ in before)
            assert not (straight and crossed)
            ways[s, t, "previous", 0 if straight else 1 if crossed else 2] += 1
            straight = any(begin == s1 for begin, _ in behind)
            crossed = any(end == s0 for _, end in behind)
            assert not (straight and crossed)
            ways[s, t, "next", 0 if straight else 1 if crossed else 2] += 1
    return ways


@few
@given(corpora, st.sampled_from([1, 3, 7]), st.sampled_from([1, None]))
def test_the_shares_are_those_of_a_count_over_all_phrase_pairs(
    pairs: list[Pair], max_words: int, max_targets: int | None
) -> None:
    options = BlockOptions(max_words=max_words, max_targets=max_targets)
    table, data = learn(pairs, options, threads=2)
    ways = count(pairs, max_words)
    for (s, t), block in rows(table).items():
        for i, side in enumerate(("previous", "next")):
            counts = [ways[s, t, side, way] for way in range(3)]
            assert sum(counts) == table.joint_counts[block]
            expected = [math.log((n + 0.5) / (sum(counts) + 1.5)) for n in counts]
            assert data.log_probs[block, 3 * i : 3 * i + 3] == pytest.approx(expected, abs=1e-5)


@few
@given(corpora, corpora)
def test_several_sets_of_links_count_as_if_the_text_were_repeated(
    pairs: list[Pair], others: list[Pair]
) -> None:
    n = min(len(pairs), len(others))
    first = pairs[:n]
    second = [
        (s, t, [link for link in links if link[0] < len(s) and link[1] < len(t)])
        for (s, t, _), (_, _, links) in zip(first, others, strict=False)
    ]
    source, target, links, offsets = to_arrays(first)
    stacked = Alignments.stacked([Alignments(links, offsets), Alignments(*to_arrays(second)[2:])])
    table = extract(source, target, stacked.links, stacked.offsets, threads=1)
    found = learn_hierarchical(table, source, target, stacked, 7, threads=2)
    repeated, expected = learn(first + second, BlockOptions())
    assert equal(table, repeated)
    assert np.array_equal(found.log_probs, expected.log_probs)


def test_a_block_merges_with_what_no_single_link_touches() -> None:
    # a b c -> B A C: no link touches the first corner of c/C, but a b/B A ends there.
    pair: Pair = ([3, 4, 5], [14, 13, 15], [(0, 1), (1, 0), (2, 2)])
    table, data = learn([pair], BlockOptions(max_words=1))
    at = rows(table)
    likely, unlikely = math.log(1.5 / 2.5), math.log(0.5 / 2.5)
    last = at[(5,), (15,)]
    assert table.orientation[last][:3] == pytest.approx([unlikely, unlikely, likely])
    assert data.log_probs[last] == pytest.approx([likely, unlikely, unlikely] * 2)
    swapped = data.log_probs[at[(3,), (13,)]]
    assert swapped[:3] == pytest.approx([unlikely, likely, unlikely])
    # Behind a comes C, which lies to the right of b: nothing touches both corners.
    assert swapped[3:] == pytest.approx([unlikely, unlikely, likely])


def test_a_block_made_for_a_word_has_no_orientation() -> None:
    # Two single occurrences and a threshold of 2: both words get blocks that were made for them.
    pairs: list[Pair] = [([3, 4], [7, 8], [(0, 0), (1, 1)])]
    table, data = learn(pairs, BlockOptions(min_count=2))
    assert len(table) > 0
    assert (table.joint_counts == 0).all()
    assert data.log_probs == pytest.approx(math.log(1 / 3))


def test_the_data_survives_as_arrays() -> None:
    _, data = learn([([3, 4], [7, 8], [(0, 0), (1, 1)])], BlockOptions())
    again = HierarchicalData.from_arrays(data.to_arrays())
    assert np.array_equal(again.log_probs, data.log_probs)
    with pytest.raises(ModelError, match=r"'log_probs' is float32 of shape .* expected"):
        HierarchicalData.from_arrays({"log_probs": data.log_probs[:, :3]})


def test_a_table_of_another_corpus_is_refused() -> None:
    pair: Pair = ([3, 4, 5], [7, 8], [(0, 0), (1, 0), (2, 1)])
    source, target, links, offsets = to_arrays([pair])
    table = extract(*to_arrays([pair, pair]), threads=1)
    with pytest.raises(CalqueError, match="does not come from this aligned corpus"):
        learn_hierarchical(table, source, target, Alignments(links, offsets), 7)

"""Jump tables against a walk along the target words."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from blocks_reference import Pair, corpora, few, to_arrays
from hypothesis import given
from hypothesis import strategies as st

from calque.align import Alignments
from calque.config import JumpOptions
from calque.errors import ModelError
from calque.features import JumpTable
from calque.features.jumps import (
    Jumps,
    find_jumps,
    fitted_distortion_limit,
    inbound_table,
    outbound_table,
    plain_table,
)

N_WORDS = 9
"""The words of the random corpora are 3 to 6."""
Jump = tuple[int, int, int]


def reference(pairs: list[Pair]) -> list[Jump]:
    """(distance, word jumped from or -1, word jumped to) of neighbouring aligned target words."""
    jumps = []
    for source, target, links in pairs:
        stretches = [[s for s, t in links if t == word] for word in range(len(target))]
        before = [-1]
        for here in filter(None, stretches):
            if max(before) < min(here) or max(here) < min(before):
                word = source[max(before)] if max(before) >= 0 else -1
                jumps.append((min(here) - max(before), word, source[min(here)]))
            before = here
    return jumps


def jumps_of(pairs: list[Pair]) -> Jumps:
    source, target, links, offsets = to_arrays(pairs)
    return find_jumps(source, target, Alignments(links, offsets))


@few
@given(corpora)
def test_jumps_are_those_between_neighbouring_aligned_target_words(pairs: list[Pair]) -> None:
    found = jumps_of(pairs)
    assert [tuple(row) for row in np.stack(found, axis=1).tolist()] == reference(pairs)


def test_unaligned_words_are_passed_over_and_shared_words_are_no_jump() -> None:
    #           0  1  2  3 ; the second target word has no link, the last two share source word 1
    pair: Pair = ([3, 4, 5, 6], [7, 7, 7, 7], [(1, 2), (1, 3), (2, 0), (3, 0)])
    found = jumps_of([pair])
    assert found.distances.tolist() == [3, 1 - 3]
    assert found.last_words.tolist() == [-1, 6]
    assert found.first_words.tolist() == [5, 4]


@few
@given(corpora, st.sampled_from([1, 2, 9]), st.sampled_from([0.1, 1.0]))
def test_tables_are_smoothed_relative_frequencies(
    pairs: list[Pair], clip: int, smoothing: float
) -> None:
    options = JumpOptions(clip=clip, smoothing=smoothing)
    jumps = reference(pairs)
    found = jumps_of(pairs)
    outbound = outbound_table(found, N_WORDS, options)
    inbound = inbound_table(found, N_WORDS, options)
    plain = plain_table(found, options)
    assert (outbound.shift, inbound.shift, plain.shift) == (1, 1, 0)
    for table, pool in (
        (outbound, [(d, N_WORDS if word < 0 else word) for d, word, _ in jumps]),
        (inbound, [(d, word) for d, _, word in jumps]),
        (plain, [(d - 1, 0) for d, *_ in jumps]),
    ):
        assert table.log_probs.shape == (1 if table is plain else N_WORDS + 1, 2 * clip + 1)
        for row in range(len(table.log_probs)):
            mine = [d for d, r in pool if r == row] or [d for d, _ in pool]
            counts = Counter(min(max(d, -clip), clip) for d in mine)
            expected = [
                (counts[d] + smoothing) / (len(mine) + smoothing * (2 * clip + 1))
                for d in range(-clip, clip + 1)
            ]
            assert np.exp(table.log_probs[row]) == pytest.approx(expected, rel=1e-5)
            assert np.exp(table.log_probs[row].astype(float)).sum() == pytest.approx(1, 1e-5)


def test_going_straight_on_is_the_likeliest_jump_of_a_monotone_corpus() -> None:
    pair: Pair = ([3, 4, 5], [7, 8, 9], [(0, 0), (1, 1), (2, 2)])
    found = jumps_of([pair] * 20)
    for table, row in (
        (outbound_table(found, N_WORDS), 4),
        (outbound_table(found, N_WORDS), N_WORDS),
        (inbound_table(found, N_WORDS), 5),
        (plain_table(found), 0),
    ):
        begin = 0 if row == N_WORDS else 2  # the beginning of the sentence has its own row
        straight = table.log_prob(row, begin, begin)
        assert straight == table.log_probs[row].max()
        assert all(table.log_prob(row, begin + d, begin) < straight for d in (-20, -1, 1, 20))
        assert table.log_prob(row, begin + 50, begin) == table.log_probs[row, -1]


def test_a_jump_table_survives_as_arrays_and_names_what_misfits() -> None:
    table = inbound_table(jumps_of([([3], [4], [(0, 0)])]), N_WORDS)
    again = JumpTable.from_arrays(table.to_arrays())
    assert np.array_equal(table.log_probs, again.log_probs)
    assert table.shift == again.shift
    even = {**table.to_arrays(), "log_probs": table.log_probs[:, 1:].copy()}
    with pytest.raises(ModelError, match="18 columns, expected an odd number"):
        JumpTable.from_arrays(even)


def test_the_limit_that_fits_a_text_leaves_out_few_of_its_jumps() -> None:
    def limit(*shares: tuple[int, int]) -> int:
        """Of a text with so many jumps of so many words, forwards and backwards in turn."""
        lengths = np.concatenate([np.full(n, words) for words, n in shares])
        lengths[::2] *= -1
        nothing = np.zeros_like(lengths)
        return fitted_distortion_limit(Jumps(lengths + 1, nothing, nothing))

    assert limit((0, 0)) == 6  # no jumps at all
    assert limit((0, 985), (20, 15)) == 6
    assert limit((0, 980), (9, 20)) == 9
    assert limit((0, 980), (10, 20)) == 12
    assert limit((0, 500), (40, 500)) == 15

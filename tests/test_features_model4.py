"""Fertility and lexicon add up to p(S|T), and equal counts over all extracted blocks."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from blocks_reference import Pair, corpora, count, few, rows, to_arrays
from hypothesis import given
from hypothesis import strategies as st

from calque.align import Alignments
from calque.blocks import extract
from calque.config import BlockOptions
from calque.errors import CalqueError
from calque.features import Model4Data, learn_model4

PAIR: Pair = ([3, 4, 5], [7, 8], [(0, 0), (1, 0), (2, 1)])


def learn(pairs: list[Pair], options: BlockOptions, threads: int = 1) -> Model4Data:
    source, target, links, offsets = to_arrays(pairs)
    table = extract(source, target, links, offsets, options, threads=1)
    alignments = Alignments(links, offsets)
    return learn_model4(table, source, target, alignments, options.max_words, threads=threads)


@few
@given(corpora, st.sampled_from([1, 3, 7]), st.sampled_from([1, None]))
def test_fertility_and_lexicon_are_shares_of_extracted_blocks_and_add_up(
    pairs: list[Pair], max_words: int, max_targets: int | None
) -> None:
    options = BlockOptions(max_words=max_words, max_targets=max_targets)
    table = extract(*to_arrays(pairs), options, threads=1)
    data = learn(pairs, options, threads=2)
    together = data.fertility.values + data.lexicon.values
    assert together == pytest.approx(table.scores[:, 0], abs=1e-5)
    counts = count(pairs, max_words)
    lengths: Counter[tuple[tuple[int, ...], int]] = Counter()
    for (s, t), n in counts.joint.items():
        lengths[t, len(s)] += n
    for (s, t), block in rows(table).items():
        if not counts.joint[s, t]:  # made for a word without extracted blocks
            assert data.fertility.values[block] == 0
            continue
        n = lengths[t, len(s)]
        assert data.fertility.values[block] == pytest.approx(math.log(n / counts.target[t]), 1e-5)
        assert data.lexicon.values[block] == pytest.approx(
            math.log(counts.joint[s, t] / n), 1e-5, 1e-6
        )


def test_several_sets_of_links_count_as_if_the_text_were_repeated() -> None:
    other: Pair = (PAIR[0], PAIR[1], [(0, 0), (2, 1)])
    source, target, links, offsets = to_arrays([PAIR])
    stacked = Alignments.stacked([Alignments(links, offsets), Alignments(*to_arrays([other])[2:])])
    table = extract(source, target, stacked.links, stacked.offsets, threads=1)
    found = learn_model4(table, source, target, stacked, 7)
    expected = learn([PAIR, other], BlockOptions())
    assert np.array_equal(found.fertility.values, expected.fertility.values)
    assert np.array_equal(found.lexicon.values, expected.lexicon.values)


def test_the_data_survives_as_arrays() -> None:
    data = learn([PAIR], BlockOptions())
    arrays = data.to_arrays()
    again = Model4Data.from_arrays(arrays)
    assert all(np.array_equal(arrays[name], a) for name, a in again.to_arrays().items())
    assert again.fertility.copied == again.lexicon.copied == pytest.approx(math.log(1e-7))
    assert again.jump.log_probs.shape == (1, 19)


def test_a_table_of_another_corpus_is_refused() -> None:
    source, target, links, offsets = to_arrays([PAIR])
    table = extract(*to_arrays([PAIR, PAIR]), threads=1)
    with pytest.raises(CalqueError, match="does not come from this aligned corpus"):
        learn_model4(table, source, target, Alignments(links, offsets), 7)

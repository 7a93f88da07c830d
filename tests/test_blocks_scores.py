"""Scores and inner alignments follow their formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from blocks_reference import (
    Pair,
    best_inner,
    corpora,
    count,
    few,
    lexical_weights,
    lexicon,
    rows,
    to_arrays,
)
from hypothesis import given

from calque import _core
from calque.blocks import extract
from calque.config.blocks import BlockOptions

ALL = BlockOptions(max_targets=None)
NULL = 2**32 - 1


@few
@given(corpora)
def test_links_are_counted_with_the_null_word(pairs: list[Pair]) -> None:
    source, target, links, offsets = to_arrays(pairs)
    corpus = _core.AlignedCorpus(
        source.ids, source.offsets, target.ids, target.offsets, links, offsets
    )
    counts = _core.LinkCounts(corpus)
    expected = lexicon(pairs)
    for s in (None, *range(3, 7)):
        for t in (None, *range(3, 7)):
            found = counts.count(NULL if s is None else s, NULL if t is None else t)
            assert found == expected[s, t]


@few
@given(corpora)
def test_scores_are_relative_frequencies_and_lexical_weights(pairs: list[Pair]) -> None:
    table = extract(*to_arrays(pairs), ALL, threads=1)
    counts, words = count(pairs, 7), lexicon(pairs)

    for (source, target), block in rows(table).items():
        n = counts.joint[source, target]
        if n == 0:
            continue
        inner = best_inner(counts.inner[source, target], len(target), 1)
        mirrored = best_inner(counts.inner[source, target], len(source), 0)
        assert [tuple(link) for link in table.inner_links(block).tolist()] == list(inner)
        expected = [
            n / counts.target[target],
            lexical_weights(words, source, target, mirrored)[0],
            n / counts.source[source],
            lexical_weights(words, source, target, inner)[1],
        ]
        assert table.scores[block] == pytest.approx(np.log(expected), rel=1e-5, abs=1e-6)


@few
@given(corpora)
def test_blocks_of_a_source_phrase_come_best_first(pairs: list[Pair]) -> None:
    table = extract(*to_arrays(pairs), ALL, threads=1)
    for source in range(table.n_sources):
        keys = [
            (-math.fsum(table.scores[b].tolist()), int(table.target_phrase[b]))
            for b in table.blocks(source)
        ]
        assert keys == sorted(keys)

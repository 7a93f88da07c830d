"""Events against all pairs of all placements, and the worked example of the paper."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from blocks_reference import Pair, corpora, few, rows, to_arrays
from hypothesis import given
from hypothesis import strategies as st

from calque.blocks import BlockTable, extract
from calque.config import BlockOptions, EventOptions, LocalModelOptions, fill
from calque.errors import CalqueError, ModelError, OptionError
from calque.features import BlockEvents, LocalModelData, learn_local_model
from calque.features.events import LEFT, NEUTRAL, RIGHT
from calque.features.local_model import unigram_column

Event = tuple[int, int, int, int, int, int]
Place = tuple[int, int, int, int, int]

FIGURE_1: Pair = ([3, 4, 5, 6], [7, 8, 9, 10], [(0, 1), (1, 0), (2, 2), (3, 3)])
"""Four words, the first two of which swap: b1 = 4-7, b2 = 3-8, b3 = 5-9, b4 = 6-10."""


def occurrences(phrase: tuple[int, ...], words: list[int]) -> list[int]:
    return [i for i in range(len(words)) if tuple(words[i : i + len(phrase)]) == phrase]


def reference(table: BlockTable, pairs: list[Pair], options: EventOptions) -> list[list[Event]]:
    """Per sentence (previous, block, side, sentence, source begin, target begin)."""
    out: list[list[Event]] = []
    for sentence, (source, target, _) in enumerate(pairs):
        if max(len(source), len(target)) > options.max_words:
            out.append([])
            continue
        places: list[Place] = []
        for (s, t), block in rows(table).items():
            found = [
                (i, i + len(s), block, j, j + len(t))
                for i in occurrences(s, source)
                for j in occurrences(t, target)
            ]
            places += found[: options.max_placements]
        places.sort()
        events: list[Event] = []
        for s0, s1, block, t0, _ in places:
            here = (sentence, s0, t0)
            right = [p[2] for p in places if p[4] == t0 and p[1] == s0]
            left = [p[2] for p in places if p[4] == t0 and p[0] == s1]
            events += [(previous, block, RIGHT, *here) for previous in right]
            events += [(previous, block, LEFT, *here) for previous in left]
            if not right + left:
                at_start = options.boundary_block and s0 == t0 == 0
                events.append((-1, block, RIGHT if at_start else NEUTRAL, *here))
        out.append(events)
    return out


def events_of(
    table: BlockTable, pairs: list[Pair], options: EventOptions | None = None, threads: int = 1
) -> BlockEvents:
    return BlockEvents(table, *to_arrays(pairs)[:2], options, threads=threads)


def collected(events: BlockEvents, first: int, last: int) -> list[Event]:
    found = events.collect(first, last)
    columns = (found.previous, found.block, found.side, found.sentence)
    starts = (found.source_begin, found.target_begin)
    return list(zip(*(column.tolist() for column in (*columns, *starts)), strict=True))


event_options = st.builds(
    EventOptions,
    max_words=st.sampled_from([4, 80]),
    max_placements=st.sampled_from([1, 2, 5, 50]),
    boundary_block=st.booleans(),
)


@few
@given(corpora, corpora, st.sampled_from([1, 3]), event_options)
def test_events_are_all_pairs_of_placements_that_touch(
    known: list[Pair], pairs: list[Pair], max_words: int, options: EventOptions
) -> None:
    table = extract(*to_arrays(known), BlockOptions(max_words=max_words), threads=1)
    expected = reference(table, pairs, options)
    events = events_of(table, pairs, options)
    everything = list(itertools.chain(*expected))
    assert collected(events, 0, len(pairs)) == everything
    for sentence in range(len(pairs)):
        assert collected(events, sentence, sentence + 1) == expected[sentence]

    counts = np.zeros((len(table), 3), np.int32)
    for _, block, side, *_ in everything:
        counts[block, side] += 1
    assert np.array_equal(events.count(), counts)
    followed = Counter(event[:2] for event in everything if event[0] >= 0)
    for threshold in (0, 1, 3):
        frequent = sorted(pair for pair, n in followed.items() if n > threshold)
        found = events.frequent_bigrams(threshold, sum(followed.values()))
        assert [tuple(row) for row in found.tolist()] == frequent


def test_the_worked_example_of_the_paper_has_its_four_events() -> None:
    table = extract(*to_arrays([FIGURE_1]), BlockOptions(max_words=1), threads=1)
    found = rows(table)
    b1, b2, b3, b4 = (found[(s,), (t,)] for s, t in ((4, 7), (3, 8), (5, 9), (6, 10)))
    expected = {(-1, NEUTRAL, b1), (b1, LEFT, b2), (-1, NEUTRAL, b3), (b3, RIGHT, b4)}
    events = collected(events_of(table, [FIGURE_1]), 0, 1)
    assert len(events) == 4
    assert {(previous, side, block) for previous, block, side, *_ in events} == expected


def test_events_depend_neither_on_threads_nor_on_memory_nor_on_batches() -> None:
    random = np.random.default_rng(1)
    pairs: list[Pair] = []
    for _ in range(1500):
        words = random.integers(3, 9, int(random.integers(1, 9))).tolist()
        pairs.append((words, [word + 6 for word in words], [(i, i) for i in range(len(words))]))
    table = extract(*to_arrays(pairs), BlockOptions(max_words=3), threads=1)
    one, four = (events_of(table, pairs, threads=threads) for threads in (1, 4))
    assert collected(one, 0, 1500) == collected(four, 0, 1500)
    assert [len(batch) for batch in one.batches(700)] == [
        len(four.collect(*stretch)) for stretch in ((0, 700), (700, 1400), (1400, 1500))
    ]
    assert np.array_equal(one.count(), four.count())
    all_at_once = one.frequent_bigrams(3, 0)
    assert len(all_at_once) > 100
    little = EventOptions(memory_mb=1)
    in_passes = events_of(table, pairs, little, threads=4).frequent_bigrams(3, 300_000)
    assert np.array_equal(all_at_once, in_passes)


@few
@given(corpora)
def test_the_columns_of_the_local_model_are_shares_of_events(pairs: list[Pair]) -> None:
    table = extract(*to_arrays(pairs), threads=1)
    options = LocalModelOptions(unigram_per_word="none", bigram_threshold=0)
    data = learn_local_model(table, *to_arrays(pairs)[:2], options, threads=1)
    events = [event for row in reference(table, pairs, EventOptions()) for event in row]
    for block in range(len(table)):
        mine = [side for _, b, side, *_ in events if b == block]
        n_left, n_right = mine.count(LEFT), mine.count(RIGHT)
        share = [n / (n_left + n_right + 1) for n in (n_right + 0.5, n_left + 0.5)]
        assert data.unigram.values[block] == pytest.approx(math.log(len(mine) / len(events)), 1e-5)
        assert np.exp(data.orientation.values[block]) == pytest.approx([*share, 1], 1e-5)
    if events:
        assert np.exp(data.unigram.values.astype(float)).sum() == pytest.approx(1, 1e-5)
        assert math.exp(data.unigram.copied) == pytest.approx(0.5 / len(events))
    per_word = unigram_column(table, data.counts, per_word=True).values
    for source in range(table.n_sources):
        for block in table.blocks(source):
            whole = float(data.unigram.values[block])
            assert per_word[block] == pytest.approx(whole / len(table.source(source)), 1e-5)


def test_a_block_without_events_counts_half_of_one() -> None:
    table = extract(*to_arrays([FIGURE_1]), BlockOptions(max_words=1), threads=1)
    seen: list[Pair] = [([4, 4], [7], [])]
    data = learn_local_model(
        table, *to_arrays(seen)[:2], LocalModelOptions(unigram_per_word="none"), threads=1
    )
    block = rows(table)[(4,), (7,)]
    assert data.counts[block].tolist() == [0, 0, 2]
    assert math.exp(data.unigram.values[block]) == pytest.approx(1)
    assert math.exp(data.unigram.values[rows(table)[(5,), (9,)]]) == pytest.approx(0.25)
    assert np.exp(data.orientation.values[block]) == pytest.approx([0.5, 0.5, 1])


def test_the_data_of_the_local_model_survives_as_arrays_and_names_what_misfits() -> None:
    table = extract(*to_arrays([FIGURE_1]), threads=1)
    data = learn_local_model(table, *to_arrays([FIGURE_1])[:2], threads=1)
    arrays = data.to_arrays()
    again = LocalModelData.from_arrays(arrays).to_arrays()
    assert arrays.keys() == again.keys()
    assert all(np.array_equal(arrays[name], again[name]) for name in arrays)
    with pytest.raises(ModelError, match="features: 'bigrams' is int32 of shape"):
        LocalModelData.from_arrays({**arrays, "bigrams": arrays["counts"]})
    del arrays["unigram/values"]
    with pytest.raises(ModelError, match="the features lack the array 'values'"):
        LocalModelData.from_arrays(arrays)


def test_sides_of_different_sizes_and_ranges_outside_the_corpus_are_refused() -> None:
    source, target = to_arrays([FIGURE_1, FIGURE_1])[:2]
    table = extract(*to_arrays([FIGURE_1]), threads=1)
    with pytest.raises(CalqueError, match="2 source sentences and 1 target sentences"):
        BlockEvents(table, source, to_arrays([FIGURE_1])[1])
    with pytest.raises(CalqueError, match="range lies outside the corpus"):
        BlockEvents(table, source, target).collect(0, 3)


def test_a_way_to_divide_that_nothing_implements_is_refused() -> None:
    with pytest.raises(OptionError, match="unigram_per_word.*expected one of decoder, both, none"):
        fill(LocalModelOptions(), {"unigram_per_word": "training"}, "features")

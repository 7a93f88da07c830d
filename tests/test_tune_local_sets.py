"""Candidate sets of events against their definition, set by set."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import numpy as np
import pytest
from blocks_reference import Pair, corpora, few, rows, to_arrays
from hypothesis import given
from hypothesis import strategies as st
from test_features_events import FIGURE_1, Event, events_of, reference

from calque.blocks import BlockTable, extract
from calque.config import BlockOptions, EventOptions
from calque.errors import CalqueError
from calque.features.events import LEFT, NEUTRAL, RIGHT
from calque.lm import LanguageModel, estimate
from calque.text import Sentences, Vocabulary
from calque.tune.local.sets import SIDES, EventSets, SetBuilder

Choice = tuple[int, int]
VOCABULARY = Vocabulary.from_text("".join(f"w{i}\n" for i in range(3, 12)))
TEXT = Sentences.from_lists([[3, 4, 5, 6, 3, 4], [5, 3, 4], [7, 8, 9, 10]])


def language_model() -> LanguageModel:
    return estimate(TEXT, VOCABULARY)


def alternatives(
    table: BlockTable, counts: np.ndarray, block: int, n: int, allowed: set[int] | None
) -> set[int]:
    [all_of_phrase] = [
        list(table.blocks(s)) for s in range(table.n_sources) if block in table.blocks(s)
    ]
    most = sorted(all_of_phrase, key=lambda b: (-counts[b].sum(), b))[:n]
    if block not in most:
        most[-1] = block
    return {b for b in most if allowed is None or b in allowed or b == block}


def expected_sets(
    table: BlockTable,
    events: list[Event],
    counts: np.ndarray,
    n: int,
    allowed: list[set[int]] | None = None,
) -> list[list[Choice]]:
    """The candidates (block, side) of every event, sorted."""
    successors: dict[tuple[int, int], set[Choice]] = defaultdict(set)
    for previous, block, side, sentence, *_ in events:
        if side != NEUTRAL:
            successors[sentence, previous].add((block, side))
    sets = []
    for previous, block, side, sentence, *_ in events:
        own = {(block, side)} if side == NEUTRAL else successors[sentence, previous]
        among = None if allowed is None else allowed[sentence]
        found = {(b, o) for true, o in own for b in alternatives(table, counts, true, n, among)}
        sets.append(sorted(found))
    return sets


def word_scores(lm: LanguageModel, history: list[int], words: list[int]) -> tuple[float, float]:
    scored = lm.score_words(Sentences.from_lists([[*history, *words]])).log_probs
    own = scored[len(history) : len(history) + len(words)].astype(float)
    return float(own[0]), float(own[1:].sum())


def check(
    made: EventSets,
    expected: list[list[Choice]],
    events: list[Event],
    table: BlockTable,
    texts: list[list[int]],
    pairs: list[list[int]],
    lm: LanguageModel,
) -> None:
    assert len(made) == len(events)
    for i, (previous, block, side, sentence, _, begin) in enumerate(events):
        first, last = made.offsets[made.sets[i] : made.sets[i] + 2]
        found = [(choice // SIDES, choice % SIDES) for choice in made.choices[first:last].tolist()]
        assert found == expected[i]
        assert found[made.truths[i]] == (block, side)
        for at, (b, o) in zip(range(first, last), found, strict=True):
            scores = word_scores(lm, texts[sentence][:begin], table.target(b).tolist())
            assert (made.first[at], made.rest[at]) == pytest.approx(scores, abs=1e-4)
            frequent = o != NEUTRAL and [previous, b] in pairs
            assert made.pairs[at] == (pairs.index([previous, b]) if frequent else -1)


@few
@given(corpora, corpora, st.sampled_from([1, 2, 9]), st.booleans(), st.randoms())
def test_candidates_are_the_alternatives_of_all_that_follow_the_same_block(
    known: list[Pair], text: list[Pair], n: int, boundary: bool, random: Random
) -> None:
    table = extract(*to_arrays([*known, *text]), BlockOptions(max_words=3), threads=1)
    options = EventOptions(boundary_block=boundary)
    collected = events_of(table, text, options)
    events = [event for row in reference(table, text, options) for event in row]
    counts, lm = collected.count(), language_model()
    pairs = collected.frequent_bigrams(0, 1000)[::2]
    builder = SetBuilder(table, counts, pairs, lm, VOCABULARY, n)
    target = to_arrays(text)[1]
    arguments = (events, table, [pair[1] for pair in text], pairs.tolist(), lm)
    made = builder.build(collected.collect(0, len(text)), target, 1)
    check(made, expected_sets(table, events, counts, n), *arguments)

    some = [{b for b in range(len(table)) if random.random() < 0.5} for _ in text]
    allowed = Sentences.from_lists(sorted(blocks) for blocks in some)
    made = builder.build(collected.collect(0, len(text)), target, 1, allowed)
    check(made, expected_sets(table, events, counts, n, some), *arguments)


def test_the_worked_example_has_the_sets_of_the_paper() -> None:
    """Figure 1 with an alternative for the third word: only its event has a choice."""
    other: Pair = ([5], [11], [(0, 0)])
    table = extract(*to_arrays([FIGURE_1, other]), BlockOptions(max_words=1), threads=1)
    found = rows(table)
    b1, b2, b3, b4 = (found[(s,), (t,)] for s, t in ((4, 7), (3, 8), (5, 9), (6, 10)))
    wrong = found[(5,), (11,)]
    collected = events_of(table, [FIGURE_1])
    events = collected.collect(0, 1)
    builder = SetBuilder(
        table, collected.count(), np.empty((0, 2), np.int32), language_model(), VOCABULARY, 9
    )
    made = builder.build(events, to_arrays([FIGURE_1])[1], 1)
    sets = {
        (int(previous), int(block)): made.choices[made.offsets[i] : made.offsets[i + 1]].tolist()
        for previous, block, i in zip(events.previous, events.block, made.sets, strict=True)
    }
    assert sets == {
        (-1, b1): [SIDES * b1 + NEUTRAL],
        (b1, b2): [SIDES * b2 + LEFT],
        (-1, b3): sorted([SIDES * b3 + NEUTRAL, SIDES * wrong + NEUTRAL]),
        (b3, b4): [SIDES * b4 + RIGHT],
    }


def test_alike_events_share_a_set_and_threads_change_nothing() -> None:
    rng = np.random.default_rng(1)
    pairs: list[Pair] = []
    for _ in range(300):
        words = rng.integers(3, 7, int(rng.integers(1, 9))).tolist()
        pairs.append((words, [w + 4 for w in words], [(i, i) for i in range(len(words))]))
    table = extract(*to_arrays(pairs), BlockOptions(max_words=3), threads=1)
    collected = events_of(table, pairs)
    builder = SetBuilder(
        table,
        collected.count(),
        collected.frequent_bigrams(3, 100_000),
        language_model(),
        VOCABULARY,
        9,
    )
    events, target = collected.collect(0, 300), to_arrays(pairs)[1]
    one, four = (builder.build(events, target, threads) for threads in (1, 4))
    for name, array in one.to_arrays().items():
        assert np.array_equal(array, four.to_arrays()[name]), name
    assert len(one.offsets) - 1 < len(one)
    assert len(one) > 5000


def test_events_that_do_not_fit_are_refused() -> None:
    table = extract(*to_arrays([FIGURE_1]), BlockOptions(max_words=1), threads=1)
    collected = events_of(table, [FIGURE_1])
    nothing = np.empty((0, 2), np.int32)
    builder = SetBuilder(table, collected.count(), nothing, language_model(), VOCABULARY, 9)
    events = collected.collect(0, 1)
    with pytest.raises(CalqueError, match="target positions lie outside their sentences"):
        builder.build(events, Sentences.from_lists([[7, 8]]), 1)
    with pytest.raises(CalqueError, match="no place in the language model"):
        builder.build(events, Sentences.from_lists([[7, 8, 9, 99]]), 1)
    with pytest.raises(CalqueError, match="pairs of blocks are not sorted"):
        unsorted = np.array([[1, 0], [0, 1]], np.int32)
        SetBuilder(table, collected.count(), unsorted, language_model(), VOCABULARY, 9)

"""Extraction with gaps finds exactly the rules of the definition, counts and scores them right."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from blocks_reference import (
    Pair,
    best_inner,
    corpora,
    equal,
    few,
    lexical_weights,
    lexicon,
    rows,
    sentence_pairs,
    to_arrays,
)
from hypothesis import given
from hypothesis import strategies as st
from rules_reference import count_rules

from calque import _core
from calque.align import Alignments
from calque.blocks import BlockTable, extract, rule_limits
from calque.blocks.table import PREFIXES
from calque.config.blocks import BlockOptions, RuleOptions
from calque.errors import CalqueError, ModelError

LOOSE = BlockOptions(rules=RuleOptions(boundaries="loose"))
NONE = RuleOptions(max_gaps=0)

limits = st.builds(
    RuleOptions,
    max_gaps=st.integers(0, 2),
    max_span=st.integers(2, 6),
    max_symbols=st.integers(2, 6),
    max_target_symbols=st.integers(1, 6),
    min_gap=st.integers(1, 3),
    adjacent_gaps=st.booleans(),
    gap_needs_words=st.booleans(),
    boundaries=st.sampled_from(["tight", "loose"]),
)
small = st.lists(sentence_pairs(max_length=5), max_size=4)


def extracted(table: BlockTable) -> dict[tuple[tuple[int, ...], tuple[int, ...]], int]:
    return {pair: block for pair, block in rows(table).items() if table.joint_counts[block] > 0}


@few
@given(small, limits, st.integers(1, 6))
def test_rules_are_those_of_the_definition_with_their_counts(
    pairs: list[Pair], rules: RuleOptions, max_words: int
) -> None:
    options = BlockOptions(max_words=max_words, rules=rules)
    table = extract(*to_arrays(pairs), options, with_gaps=True, threads=1)
    expected = count_rules(pairs, options)
    found = extracted(table)
    assert {pair: int(table.joint_counts[block]) for pair, block in found.items()} == expected.joint
    for (source, target), block in found.items():
        assert table.source_counts[table.find(list(source))] == expected.source[source]
        assert table.target_counts[table.target_phrase[block]] == expected.target[target]


@few
@given(small, limits)
def test_every_source_word_beside_a_target_word_has_a_block_without_gaps(
    pairs: list[Pair], rules: RuleOptions
) -> None:
    table = extract(*to_arrays(pairs), BlockOptions(rules=rules), with_gaps=True, threads=1)
    for word in {word for source, target, _ in pairs if target for word in source}:
        assert table.find([word]) >= 0


@few
@given(small)
def test_blocks_without_gaps_are_those_of_a_table_of_blocks(pairs: list[Pair]) -> None:
    flat = extract(*to_arrays(pairs), threads=1)
    rules = extract(*to_arrays(pairs), LOOSE, with_gaps=True, threads=1)
    without = {pair for pair in extracted(rules) if not {1, 2} & set(pair[0])}
    assert without == set(extracted(flat))


@few
@given(small)
def test_scores_of_rules_skip_gaps(pairs: list[Pair]) -> None:
    table = extract(*to_arrays(pairs), LOOSE, with_gaps=True, threads=1)
    counts, words = count_rules(pairs, LOOSE), lexicon(pairs)
    assert len(table.orientation) == 0
    for (source, target), block in extracted(table).items():
        n = counts.joint[source, target]
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


def test_the_example_of_a_verb_that_moves_behind_its_object() -> None:
    """`ne X pas` and a rule that swaps its gaps, by hand."""
    # 3 4 5 6: "ne va pas ici"; 7 8 9 10: "does not go here"
    pair: Pair = ([3, 4, 5, 6], [7, 8, 9, 10], [(0, 1), (2, 1), (1, 2), (3, 3)])
    table = extract(*to_arrays([pair]), LOOSE, with_gaps=True, threads=1)
    found = rows(table)
    assert ((3, 1, 5), (8, 1)) in found
    assert ((3, 1, 5), (7, 8, 1)) in found  # an unlinked word at the edge: loose
    assert table.inner_links(found[(3, 1, 5), (7, 8, 1)]).tolist() == [[0, 1], [2, 1]]
    assert ((3, 1, 5, 2), (8, 1, 2)) in found
    tight = rows(extract(*to_arrays([pair]), with_gaps=True, threads=1))
    assert ((3, 1, 5), (8, 1)) in tight
    assert ((3, 1, 5), (7, 8, 1)) not in tight
    swapped: Pair = ([3, 4, 5], [6, 7, 8], [(0, 2), (1, 1), (2, 0)])
    found = rows(extract(*to_arrays([swapped]), with_gaps=True, threads=1))
    assert ((1, 4, 2), (2, 7, 1)) in found


@pytest.fixture(scope="module")
def corpus() -> list[Pair]:
    random = np.random.default_rng(5)
    pairs: list[Pair] = []
    for _ in range(300):
        n_source, n_target = random.integers(0, 12, 2)
        diagonal = {(int(i), int(i)) for i in range(min(n_source, n_target))}
        cells = random.integers(0, 12, (3, 2)).tolist()
        extra = {(s, t) for s, t in cells if s < n_source and t < n_target}
        links = sorted(link for link in diagonal | extra if random.random() < 0.8)
        words = [(random.zipf(1.5, n) % 50 + 3).tolist() for n in (n_source, n_target)]
        pairs.append((words[0], words[1], links))
    return pairs


@pytest.mark.parametrize("threads", [2, 8])
def test_the_number_of_threads_does_not_change_the_rules(corpus: list[Pair], threads: int) -> None:
    with_one = extract(*to_arrays(corpus), LOOSE, with_gaps=True, threads=1)
    assert equal(with_one, extract(*to_arrays(corpus), LOOSE, with_gaps=True, threads=threads))


@pytest.mark.parametrize("least_records", [1, 300])
def test_spilling_to_disk_does_not_change_the_rules(
    corpus: list[Pair], least_records: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_memory = extract(*to_arrays(corpus), LOOSE, with_gaps=True, threads=2)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for module in "text.scratch", "blocks.scoring":
        monkeypatch.setattr(f"calque.{module}.MEGABYTE", 16)
    for module in "counting", "scoring":
        monkeypatch.setattr(f"calque.blocks.{module}.LEAST_RECORDS", least_records)
    options = replace(LOOSE, memory_mb=1)
    spilled = extract(*to_arrays(corpus), options, with_gaps=True, threads=2)
    assert isinstance(spilled.scores, np.memmap)
    assert not list(tmp_path.iterdir()), "temporary files are gone"
    assert equal(in_memory, spilled)


@few
@given(st.lists(st.tuples(sentence_pairs(), sentence_pairs()), min_size=1, max_size=4))
def test_rules_of_several_sets_of_links_are_those_of_a_text_repeated_with_each(
    drawn: list[tuple[Pair, Pair]],
) -> None:
    """Links of the second set: those of another pair, as far as they lie in this one."""
    first = [pair for pair, _ in drawn]
    second = [
        (source, target, [(s, t) for s, t in other[2] if s < len(source) and t < len(target)])
        for (source, target, _), other in drawn
    ]
    source, target, links, offsets = to_arrays(first)
    stacked = Alignments.stacked([Alignments(links, offsets), Alignments(*to_arrays(second)[2:])])
    pooled = extract(source, target, stacked.links, stacked.offsets, with_gaps=True, threads=2)
    repeated = extract(*to_arrays(first + second), with_gaps=True, threads=1)
    assert equal(pooled, repeated)


@few
@given(corpora, st.integers(2, 3))
def test_no_rule_is_rarer_than_asked(pairs: list[Pair], min_count: int) -> None:
    options = replace(LOOSE, min_count=min_count)
    table = extract(*to_arrays(pairs), options, with_gaps=True, threads=1)
    counts = extract(*to_arrays(pairs), LOOSE, with_gaps=True, threads=1)
    frequent = {
        pair for pair, block in rows(counts).items() if counts.joint_counts[block] >= min_count
    }
    assert set(extracted(table)) == frequent


def test_sides_are_sorted_and_distinct_whatever_runs_they_come_from() -> None:
    runs = [[(3,), (5,), (1, 3)], [(4,), (5,), (1, 4), (1, 3, 2)], []]

    def arrays(phrases: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
        symbols = np.array([symbol for phrase in phrases for symbol in phrase], np.int32)
        return symbols, np.cumsum([0, *map(len, phrases)], dtype=np.int64)

    given_runs = [arrays(run) for run in runs]
    expected = sorted({phrase for run in runs for phrase in run}, key=lambda p: (len(p), p))
    n_sides, n_symbols = _core.merged_size(given_runs)
    symbols, offsets = np.empty(n_symbols, np.int32), np.empty(n_sides + 1, np.int64)
    _core.merge_sides(given_runs, symbols, offsets)
    merged = [tuple(symbols[a:b]) for a, b in pairwise(offsets)]
    assert merged == expected
    assert len(_core.Phrases(symbols, offsets)) == len(expected)
    with pytest.raises(CalqueError, match="out of order"):
        _core.Phrases(symbols[::-1].copy(), offsets)
    with pytest.raises(CalqueError, match="offsets of the sides"):
        _core.merge_sides(given_runs, symbols, np.empty(n_sides, np.int64))


def test_an_empty_corpus_gives_an_empty_table() -> None:
    table = extract(*to_arrays([]), with_gaps=True)
    assert len(table) == 0
    assert table.find([3]) == -1
    assert [array.tolist() for array in table.prefixes] == [[-1], [1, 1], [-1]]


def test_a_table_of_rules_has_the_index_of_prefixes_and_one_of_blocks_can_be_given_it(
    corpus: list[Pair],
) -> None:
    rules = extract(*to_arrays(corpus), with_gaps=True, threads=1)
    fresh = _core.index_prefixes(rules.source_words, rules.source_offsets)
    arrays = rules.to_arrays()
    for name, array in zip(PREFIXES, fresh, strict=True):
        assert np.array_equal(arrays[name], array)
    blocks = extract(*to_arrays(corpus), threads=1)
    assert not set(PREFIXES) & set(blocks.to_arrays())
    assert len(blocks.prefixes[0]) > blocks.n_sources
    for name in PREFIXES:
        with pytest.raises(ModelError, match=f"lacks the array '{name}'"):
            BlockTable.from_arrays({key: array for key, array in arrays.items() if key != name})
    with pytest.raises(ModelError, match="'prefix_phrases' has"):
        BlockTable.from_arrays({**arrays, "prefix_phrases": arrays["prefix_phrases"][1:]})
    damaged = arrays["prefix_phrases"].copy()
    damaged[-1] = rules.n_sources
    with pytest.raises(ModelError, match="'prefix_phrases'"):
        BlockTable.from_arrays({**arrays, "prefix_phrases": damaged}).check(60, 60)


def test_words_with_the_ids_of_gaps_are_refused() -> None:
    with pytest.raises(CalqueError, match="words 1 and 2 stand for gaps"):
        extract(*to_arrays([([3, 2], [4], [(0, 0)])]), with_gaps=True)


@few
@given(st.lists(sentence_pairs(max_length=5), min_size=1, max_size=4), limits, st.booleans())
def test_the_share_of_a_pair_in_all_counts_is_that_of_a_text_of_this_pair(
    pairs: list[Pair], rules: RuleOptions, with_gaps: bool
) -> None:
    options = BlockOptions(max_words=3, rules=rules)
    source, target, links, offsets = to_arrays(pairs)
    table = extract(source, target, links, offsets, options, with_gaps=with_gaps, threads=1)
    corpus = _core.AlignedCorpus(
        source.ids, source.offsets, target.ids, target.offsets, links, offsets
    )
    training = _core.TrainingCorpus(
        corpus, table.core, rule_limits(3, rules if with_gaps else None)
    )
    for i, pair in enumerate(pairs):
        expected = count_rules([pair], options if with_gaps else replace(options, rules=NONE))
        sources, targets, blocks = training.counts_of(i)
        for (source_side, target_side), block in rows(table).items():
            assert blocks[block] == expected.joint[source_side, target_side]
            assert sources[table.find(list(source_side))] == expected.source[source_side]
            assert targets[table.target_phrase[block]] == expected.target[target_side]
    with pytest.raises(CalqueError, match="outside the training corpus"):
        training.counts_of(len(pairs))

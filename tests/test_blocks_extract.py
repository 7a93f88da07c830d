"""Extraction finds exactly the consistent phrase pairs and counts them right."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from blocks_reference import (
    Pair,
    corpora,
    count,
    equal,
    few,
    lexicon,
    rows,
    sentence_pairs,
    to_arrays,
)
from hypothesis import given
from hypothesis import strategies as st

from calque import _core
from calque.align import Alignments
from calque.blocks import BlockTable, extract
from calque.config.blocks import BlockOptions
from calque.errors import CalqueError

ALL = BlockOptions(max_targets=None)


def extracted(table: BlockTable) -> dict[tuple[tuple[int, ...], tuple[int, ...]], int]:
    return {pair: block for pair, block in rows(table).items() if table.joint_counts[block] > 0}


@few
@given(corpora, st.integers(1, 8))
def test_blocks_are_all_consistent_pairs_with_their_counts(
    pairs: list[Pair], max_words: int
) -> None:
    options = BlockOptions(max_words=max_words, max_targets=None)
    table = extract(*to_arrays(pairs), options, threads=1)
    expected = count(pairs, max_words)
    found = extracted(table)
    assert {pair: int(table.joint_counts[block]) for pair, block in found.items()} == expected.joint
    for (source, target), block in found.items():
        assert table.source_counts[table.find(list(source))] == expected.source[source]
        assert table.target_counts[table.target_phrase[block]] == expected.target[target]


@few
@given(corpora)
def test_orientations_are_those_of_the_words_at_the_corners(pairs: list[Pair]) -> None:
    table = extract(*to_arrays(pairs), ALL, threads=1)
    expected = count(pairs, 7)
    for (source, target), block in extracted(table).items():
        previous = [expected.previous[source, target, o] for o in range(3)]
        following = [expected.next[source, target, o] for o in range(3)]
        n = expected.joint[source, target]
        smoothed = [(k + 0.5) / (n + 1.5) for k in previous + following]
        assert np.exp(table.orientation[block]) == pytest.approx(smoothed, rel=1e-5)


@few
@given(corpora)
def test_phrase_ids_rise_with_length_and_words(pairs: list[Pair]) -> None:
    source = to_arrays(pairs)[0]
    ids = np.zeros((3, len(source.ids)), np.uint32)
    phrases = _core.Phrases(source.ids, source.offsets, 3, ids)
    found: dict[tuple[int, ...], int] = {}
    for sentence, begin in zip(source, source.offsets, strict=False):
        for n in (1, 2, 3):
            for at in range(len(sentence) - n + 1):
                phrase = (n, *sentence[at : at + n].tolist())
                assert (
                    found.setdefault(phrase, int(ids[n - 1, begin + at])) == ids[n - 1, begin + at]
                )
    assert [found[phrase] for phrase in sorted(found)] == list(range(len(phrases)))
    assert np.count_nonzero(ids != 0xFFFFFFFF) == sum(
        max(0, len(sentence) - n + 1) for sentence in source for n in (1, 2, 3)
    )


@pytest.fixture(scope="module")
def corpus() -> list[Pair]:
    random = np.random.default_rng(7)
    pairs: list[Pair] = []
    for _ in range(400):
        n_source, n_target = random.integers(0, 12, 2)
        diagonal = {(int(i), int(i)) for i in range(min(n_source, n_target))}
        cells = random.integers(0, 12, (4, 2)).tolist()
        extra = {(s, t) for s, t in cells if s < n_source and t < n_target}
        links = sorted(link for link in diagonal | extra if random.random() < 0.8)
        words = [(random.zipf(1.5, n) % 50 + 3).tolist() for n in (n_source, n_target)]
        pairs.append((words[0], words[1], links))
    return pairs


@pytest.mark.parametrize("threads", [2, 8])
def test_the_number_of_threads_does_not_change_the_table(corpus: list[Pair], threads: int) -> None:
    one = extract(*to_arrays(corpus), threads=1)
    assert equal(one, extract(*to_arrays(corpus), threads=threads))


@pytest.mark.parametrize("least_records", [1, 300])
def test_spilling_to_disk_does_not_change_the_table(
    corpus: list[Pair], least_records: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    in_memory = extract(*to_arrays(corpus), ALL, threads=2)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("calque.text.scratch.MEGABYTE", 16)
    monkeypatch.setattr("calque.blocks.scoring.MEGABYTE", 16)
    for module in "counting", "scoring":
        monkeypatch.setattr(f"calque.blocks.{module}.LEAST_RECORDS", least_records)
    spilled = extract(*to_arrays(corpus), BlockOptions(max_targets=None, memory_mb=1), threads=2)
    assert isinstance(spilled.scores, np.memmap)
    assert not list(tmp_path.iterdir()), "temporary files are gone"
    assert equal(in_memory, spilled)


@few
@given(corpora)
def test_every_source_word_beside_a_target_word_has_a_block(pairs: list[Pair]) -> None:
    options = BlockOptions(max_targets=1, min_count=3)
    table = extract(*to_arrays(pairs), options, threads=1)
    for word in {word for source, target, _ in pairs if target for word in source}:
        assert table.find([word]) >= 0


def test_a_word_without_extracted_blocks_gets_its_most_frequent_link() -> None:
    # Both source words share both target words: no block of one word is consistent.
    tangle: Pair = ([3, 4], [5, 6], [(0, 0), (0, 1), (1, 0), (1, 1)])
    table = extract(
        *to_arrays([tangle, tangle, ([3, 4], [6, 7], [(0, 0), (1, 0)])]), ALL, threads=1
    )
    (block,) = table.blocks(table.find([3]))
    assert table.target(block).tolist() == [6]
    assert table.joint_counts[block] == 0
    assert table.inner_links(block).tolist() == [[0, 0]]
    assert np.exp(table.scores[block]) == pytest.approx([3 / 6, 3 / 6, 3 / 5, 3 / 5])


def test_a_word_without_links_gets_the_word_most_associated_with_it() -> None:
    pairs: list[Pair] = [
        ([3, 9], [4, 8], [(0, 0)]),
        ([3, 9], [4, 8], [(0, 0)]),
        ([3], [4], [(0, 0)]),
    ]
    table = extract(*to_arrays(pairs), ALL, threads=1)
    (block,) = table.blocks(table.find([9]))
    assert table.target(block).tolist() == [8]
    assert table.joint_counts[block] == 0
    assert len(table.inner_links(block)) == 0


def test_pruning_keeps_the_best_blocks_and_all_marginals(corpus: list[Pair]) -> None:
    full = extract(*to_arrays(corpus), ALL, threads=1)
    pruned = extract(*to_arrays(corpus), BlockOptions(max_targets=2, min_count=2), threads=1)
    for index in range(pruned.n_sources):
        source = full.find(pruned.source(index))
        kept = [b for b in full.blocks(source) if full.joint_counts[b] >= 2][:2]
        if not kept:  # of a word: a block was made for it
            assert len(pruned.source(index)) == 1
            assert [pruned.joint_counts[b] for b in pruned.blocks(index)] == [0]
            continue
        assert [pruned.target(b).tolist() for b in pruned.blocks(index)] == [
            full.target(b).tolist() for b in kept
        ]
        assert pruned.source_counts[index] == full.source_counts[source]


@few
@given(corpora, st.sampled_from([0.2, 0.5, 1.0]))
def test_no_block_is_less_likely_than_asked_and_words_keep_their_best(
    pairs: list[Pair], least: float
) -> None:
    full = extract(*to_arrays(pairs), ALL, threads=1)
    expected = set()
    for source in range(full.n_sources):
        blocks = list(full.blocks(source))
        likely = [
            b
            for b in blocks
            if full.joint_counts[b] == 0
            or np.exp(full.scores[b, [0, 2]].astype(float)).min() > least - 1e-6
        ]
        if not likely and len(full.source(source)) == 1:
            likely = blocks[:1]
        expected |= {
            (tuple(full.source(source).tolist()), tuple(full.target(b).tolist())) for b in likely
        }
    options = BlockOptions(max_targets=None, min_prob=least * (1 - 1e-6))
    assert set(rows(extract(*to_arrays(pairs), options, threads=1))) == expected


@few
@given(corpora, st.integers(2, 3))
def test_no_block_is_rarer_than_asked_and_words_get_one_made(
    pairs: list[Pair], min_count: int
) -> None:
    options = BlockOptions(max_targets=None, min_count=min_count)
    table = extract(*to_arrays(pairs), options, threads=1)
    counts, linked = count(pairs, 7), lexicon(pairs)
    found = rows(table)
    frequent = {pair for pair, n in counts.joint.items() if n >= min_count}
    assert {pair for pair, b in found.items() if table.joint_counts[b] > 0} == frequent
    made = {pair: b for pair, b in found.items() if table.joint_counts[b] == 0}
    for (source, target), block in made.items():
        assert len(source) == len(target) == 1
        assert not any(phrase == source for phrase, _ in frequent)
        partners = {t: n for (s, t), n in linked.items() if s == source[0] and t is not None}
        if partners:
            assert linked[source[0], target[0]] == max(partners.values())
        assert np.exp(table.orientation[block]) == pytest.approx([1 / 3] * 6)
        assert table.scores[block, 0] == table.scores[block, 1]
        assert table.scores[block, 2] == table.scores[block, 3]
    for words, beside, _ in pairs:
        assert not beside or all(table.find([word]) >= 0 for word in words)


def test_an_empty_corpus_gives_an_empty_table() -> None:
    table = extract(*to_arrays([]))
    assert len(table) == 0
    assert table.find([3]) == -1


@pytest.mark.parametrize(
    ("links", "problem"),
    [
        ([(0, 2)], "sentence 1: link 0-2 lies outside its 1 source and 2 target words"),
        ([(-1, 0)], "sentence 1: link -1-0 lies outside"),
        ([(0, 1), (0, 0)], "sentence 1: link 0-0 is out of order"),
        ([(0, 1), (0, 1)], "sentence 1: link 0-1 is out of order"),
    ],
)
def test_links_that_misfit_are_one_clear_line(links: list[tuple[int, int]], problem: str) -> None:
    source, target, _, _ = to_arrays([([3], [4, 5], [])])
    with pytest.raises(CalqueError, match=problem):
        extract(source, target, np.array(links, np.int32), np.array([0, len(links)]))


def test_sides_of_different_size_are_one_clear_line() -> None:
    source, target, links, offsets = to_arrays([([3], [4], []), ([3], [4], [])])
    with pytest.raises(CalqueError, match="1 source sentences, 2 target sentences"):
        extract(source.select(np.array([True, False])), target, links, offsets)


@few
@given(st.lists(st.tuples(sentence_pairs(), sentence_pairs()), min_size=1, max_size=5))
def test_blocks_of_several_sets_of_links_are_those_of_a_text_repeated_with_each(
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
    pooled = extract(source, target, stacked.links, stacked.offsets, ALL, threads=2).to_arrays()
    repeated = extract(*to_arrays(first + second), ALL, threads=1).to_arrays()
    for name, array in repeated.items():
        assert np.array_equal(pooled[name], array), name
    sets = stacked.unstacked(len(source))
    assert [each.links.tolist() for each in sets] == [
        [list(link) for pair in pairs for link in sorted(pair[2])] for pairs in (first, second)
    ]


def test_links_that_fit_no_number_of_sets_are_refused() -> None:
    pairs: list[Pair] = [([3], [4], [(0, 0)]), ([3, 4], [5], [])]
    source, target, links, offsets = to_arrays(pairs)
    for wrong in (offsets[:-1], np.append(offsets, offsets[-1])):
        with pytest.raises(CalqueError, match="expected equal numbers"):
            extract(source, target, links, wrong, ALL)

"""What crosses the border to the core is checked there: types, sizes, offsets, ids."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from border_calls import (
    LINKS,
    Arguments,
    bundled_rows,
    calls,
    count_ngrams,
    int32,
    int64,
    local_problem,
    online_lists,
    phrases,
    uint32,
)
from decode_reference import as_source, tiny_model

import calque
from calque import _core
from calque.config import OracleOptions
from calque.decode import Decoder, SourceText
from calque.errors import CalqueError
from calque.lm import estimate
from calque.text import Sentences

CHANGED = [(name, array) for name, call in calls().items() for array in call.changed]


@pytest.mark.parametrize("name", calls())
def test_what_the_other_tests_break_works(name: str) -> None:
    call = calls()[name]
    call.function(**call.arguments)


@pytest.mark.parametrize(("name", "array"), CHANGED)
def test_an_array_that_is_changed_is_never_a_converted_copy(name: str, array: str) -> None:
    call = calls()[name]
    right = call.arguments[array]
    other = np.int64 if right.dtype != np.int64 else np.int32
    backwards = right[::-1] if right.ndim == 1 else right[:, ::-1]
    read_only = right.copy()
    read_only.flags.writeable = False
    swapped = right.astype(right.dtype.newbyteorder() if right.itemsize > 1 else other)
    for wrong in (right.astype(other), swapped, read_only):
        with pytest.raises(TypeError):
            call.function(**{**call.arguments, array: wrong})
    with pytest.raises(TypeError):
        call.function(**{**call.arguments, array: backwards})


OF_ANY_SIZE = {
    ("count_ngrams", "counts_below"),
    ("extract_run", "target_counts"),
    ("mark_endings", "backoffs"),
}
"""As long as the ids in other arrays demand, which are the caller's own."""


@pytest.mark.parametrize(
    ("name", "array"), [changed for changed in CHANGED if changed not in OF_ANY_SIZE]
)
def test_an_array_that_is_changed_must_have_the_right_size(name: str, array: str) -> None:
    call = calls()[name]
    for size in (0, 1) if len(call.arguments[array]) > 1 else (0,):
        with pytest.raises(CalqueError):
            call.function(**{**call.arguments, array: call.arguments[array][:size]})


def test_more_ngrams_than_there_is_room_for_are_refused_while_they_are_counted() -> None:
    """The room is at most 2^31 - 1, so this is also how a number that overflows is prevented."""
    for passes in (1, 2):
        call = count_ngrams()
        room = {name: call.arguments[name][:2] for name in ("ngrams", "suffixes", "counts")}
        renumbering = np.zeros(2 if passes > 1 else 0, np.int32)
        with pytest.raises(CalqueError, match="more than 2 distinct n-grams of order 2"):
            call.function(
                **{**call.arguments, **room, "passes": passes, "renumbering": renumbering}
            )


def test_every_array_that_the_core_changes_is_tested_here() -> None:
    """The stub marks arrays that are only read."""
    stub = ast.parse((Path(calque.__file__).parent / "_core.pyi").read_text())
    found = []
    for node in stub.body:
        functions = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}." if isinstance(node, ast.ClassDef) else ""
        for function in functions:
            if isinstance(function, ast.FunctionDef):
                for argument in function.args.args:
                    written = ast.unparse(argument.annotation) if argument.annotation else ""
                    if "device='cpu'" in written and "writable=False" not in written:
                        found.append((prefix + function.name, argument.arg))
    assert set(found) == set(CHANGED)  # those of overloads come several times


OFFSETS = {
    "past the end": int64(0, 1_000_000_000),
    "short of the end": int64(0, 1),
    "below zero": int64(-1, 2),
    "falling": int64(0, 2, 1, 2),
    "none": int64(),
    "not from zero": int64(1, 2),
}


def takers_of_offsets() -> dict[str, Callable[[Any], Any]]:
    """Functions of offsets over two words (or links, or candidates)."""
    two = int32(3, 4)
    parts = tiny_model(1)
    levels = np.zeros((2, 1), np.uint64)
    none = int32()
    lm = estimate(Sentences.from_lists([[3, 4]]), parts.vocabulary)
    options: Arguments = {
        "null_prob": 0.1, "alpha": 0.0, "tension": 0.0, "jump_smoothing": 0.0, "jump_width": 5,
        "max_words": 9, "threads": 1,
    }  # fmt: skip
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    good = int64(0, 2)
    return {
        "Source": lambda at: _core.Source(two, at, two, levels),
        "references": lambda at: decoder.oracle(
            as_source([[3, 4]]), [SourceText(Sentences(two, at), two)], OracleOptions()
        ),
        "Aligner, source": lambda at: _core.Aligner(two, at, two, good, **options),
        "Aligner, target": lambda at: _core.Aligner(two, good, two, at, **options),
        "WordPairs, source": lambda at: _core.WordPairs(two, at, two, good, max_words=9, threads=1),
        "WordPairs, target": lambda at: _core.WordPairs(two, good, two, at, max_words=9, threads=1),
        "symmetrize, forward": lambda at: _core.symmetrize(
            LINKS, at, LINKS, good, good, good, "union"
        ),
        "symmetrize, reverse": lambda at: _core.symmetrize(
            LINKS, good, LINKS, at, good, good, "union"
        ),
        "format_pharaoh": lambda at: _core.format_pharaoh(LINKS, at),
        "AlignedCorpus": lambda at: _core.AlignedCorpus(two, at, two, good, LINKS, good),
        "Phrases": lambda at: _core.Phrases(two, at, 1, np.zeros((1, 2), np.uint32)),
        "Phrases, in order": lambda at: _core.Phrases(two, at),
        "Phrases of others": lambda at: _core.Phrases(two, np.zeros(2, np.uint32), at),
        "merged_size": lambda at: _core.merged_size([(two, at)]),
        "index_sources": lambda at: _core.index_sources(
            two, at, np.zeros(2 * _core.n_slots(max(len(at) - 1, 0)), np.int32)
        ),
        "mark_sentences": lambda at: _core.mark_sentences(
            two, at, 9, np.zeros(2 + 2 * max(len(at) - 1, 0), np.int32)
        ),
        "score_sentences": lambda at: lm.core.score_sentences(two, at, False, 1),
        "ClassExchange": lambda at: _core.ClassExchange(two, at, 9, 2),
        "class_tree": lambda at: _core.class_tree(two, at, np.zeros(9, np.int32), 1),
        "find_overlap": lambda at: _core.find_overlap(two, at, two, good, 2, 0),
        "find_overlap, test": lambda at: _core.find_overlap(two, good, two, at, 2, 0),
        "lexical_weights": lambda at: _core.lexical_weights(
            parts.blocks.core, at, two, np.ones(2, np.float32), 1e-9, 1
        ),
        "meteor_statistics": lambda at: _core.meteor_statistics(
            two, at, int64(0), two, good, 1, none, int64(), none, 1
        ),
        "meteor_statistics, references": lambda at: _core.meteor_statistics(
            two, good, int64(0), two, at, 1, none, int64(), none, 1
        ),
        "sparse_scores": lambda at: _core.sparse_scores(at, int32(0, 1), np.ones(2), np.ones(2)),
        "differences, candidates": lambda at: _core.differences(
            at, int64(0, 1, 2), int32(0, 1), np.ones(2), 0, 1, np.ones(2, np.uint8), False, False, 1
        ),
        "differences, entries": lambda at: _core.differences(
            int64(0, max(len(at) - 1, 0)), at, int32(0, 1), np.ones(2), 0, 1,
            np.ones(2, np.uint8), False, False, 1,
        ),
        "DifferenceLists, candidates": lambda at: online_lists(
            offsets=2 * at, feature_offsets=int64(0, 2)
        ),
        "DifferenceLists, features": lambda at: online_lists(
            offsets=int64(0, 4), feature_offsets=at
        ),
        "BundledLists": lambda at: _core.BundledLists(2).append(
            **{**bundled_rows(), "offsets": 2 * at, "last": 1}
        ),
        "LocalProblem": local_problem,
        "best_candidates": lambda at: _core.best_candidates(at, np.ones(2)),
        "LineSearch": lambda at: _core.LineSearch(at, np.ones((2, 1)), np.ones((2, 1)), 1),
        "RowSet": lambda at: _core.RowSet().add(
            int64(*range(max(len(at) - 1, 0))), ["a"] * max(len(at) - 1, 0),
            np.ones((max(len(at) - 1, 0), 1)), at, np.array([3, 4], np.uint64), np.ones(2),
        ),
    }  # fmt: skip


@pytest.mark.parametrize("taker", takers_of_offsets())
def test_offsets_must_delimit_what_they_divide(taker: str) -> None:
    take = takers_of_offsets()[taker]
    take(int64(0, 2))
    for offsets in OFFSETS.values():
        with pytest.raises(CalqueError, match="delimit|expected|entry|differ|agree"):
            take(offsets)


def test_source_words_have_ids_from_zero() -> None:
    with pytest.raises(CalqueError, match="source words: -1 is outside the range"):
        _core.Source(int32(3, -1), int64(0, 2), int32(3, 4), np.zeros((2, 1), np.uint64))


def test_phrases_that_do_not_exist_are_refused() -> None:
    with pytest.raises(CalqueError, match="no phrase has the id 3"):
        phrases().lengths(uint32(0, 3))
    with pytest.raises(CalqueError, match="no phrase has the id 7"):
        phrases().gather(uint32(7), np.zeros(1, np.int32))


def test_phrases_of_others_lie_in_their_words() -> None:
    words, examples = np.array([3, 4], np.int32), np.array([0, 1], np.uint32)
    assert len(_core.Phrases(words, examples, np.array([0, 2]))) == 2
    with pytest.raises(CalqueError, match="a phrase lies outside its corpus"):
        _core.Phrases(words, examples, np.array([0, 1, 2]))


def test_counts_of_links_are_positive() -> None:
    words, counts = np.array([3, 2**32 - 1], np.uint32), np.array([2, 1], np.int64)
    links = _core.LinkCounts(words, words, counts)
    assert [links.count(3, 3), links.count(3, 4), links.count(2**32 - 1, 2**32 - 1)] == [2, 0, 1]
    with pytest.raises(CalqueError, match="a count of links is not positive"):
        _core.LinkCounts(words, words, counts - 1)


def test_links_lie_inside_their_sentence_pair() -> None:
    at, far = int64(0, 2), np.array([[0, 0], [1, 900]], np.int32)
    for forward, reverse in ((LINKS, far), (far, LINKS)):
        with pytest.raises(CalqueError, match="link 1-900 is outside its sentence pair"):
            _core.symmetrize(forward, at, reverse, at, at, at, "grow-diag")


def test_words_of_a_bitext_have_ids_from_zero() -> None:
    with pytest.raises(CalqueError, match="target words: -7 is outside the range"):
        _core.Aligner(
            int32(3), int64(0, 1), int32(-7), int64(0, 1), null_prob=0.1, alpha=0, tension=0,
            jump_smoothing=0, jump_width=5, max_words=9, threads=1,
        )  # fmt: skip


def test_what_parts_of_an_aligner_exchange_is_checked() -> None:
    words, at = int32(3, 4), int64(0, 1, 2)
    aligner: Any = _core.Aligner(
        words, at, words, at, null_prob=0.1, alpha=0, tension=0, jump_smoothing=0, jump_width=5,
        max_words=9, threads=1,
    )  # fmt: skip
    rows, targets, _ = _core.pair_arrays(words, at, words, at, max_words=9, threads=1)
    pairs = aligner.numbers_of(rows, targets)
    parameters, counts = aligner.parameters(pairs), aligner.count_hmm(False, 1)
    aligner.set_parameters(parameters)
    aligner.add_counts(pairs, counts)
    for others in ((rows + 1, targets), (rows, targets[::-1].copy())):
        with pytest.raises(CalqueError, match="pairs of words"):
            aligner.numbers_of(*others)
    with pytest.raises(CalqueError, match="pairs of words"):
        aligner.parameters(int64(2))
    with pytest.raises(CalqueError, match="pairs of words"):
        aligner.add_counts(int64(0, 2), counts)
    for at_fault in range(5):
        short, long = list(parameters), list(counts)
        short[at_fault] = short[at_fault][:-1]
        long[at_fault] = np.concatenate([long[at_fault]] * 2)
        with pytest.raises(CalqueError):
            aligner.set_parameters(tuple(short))
        with pytest.raises(CalqueError):
            aligner.add_counts(pairs, tuple(long))


def test_a_table_of_word_pairs_is_that_of_its_sentences() -> None:
    words, at = int32(3, 4, 4), int64(0, 1, 3)
    options: Arguments = {
        "null_prob": 0.1, "alpha": 0, "tension": 0, "jump_smoothing": 0, "jump_width": 5,
        "max_words": 9, "threads": 1,
    }  # fmt: skip
    rows, targets, cells = _core.pair_arrays(words, at, words, at, max_words=9, threads=1)
    assert _core.Aligner(words, at, words, at, **options, pairs=(rows, targets, cells)).n_pairs == 2
    for wrong in (
        (rows[:-1].copy(), targets, cells),
        (rows + 1, targets, cells),
        (rows, targets + 1, cells),
        (rows, targets, cells[:-1].copy()),
        (rows, targets, cells + np.uint32(1)),
    ):
        with pytest.raises(CalqueError):
            _core.Aligner(words, at, words, at, **options, pairs=wrong)


@pytest.mark.parametrize(
    ("option", "value"),
    [("null_prob", 1.0), ("jump_prior", 0.0), ("jump_width", 0), ("chains", 0), ("batch", -1)],
)
def test_options_of_a_sampler_lie_in_their_range(option: str, value: float) -> None:
    words, at = int32(3, 4), int64(0, 2)
    pairs = _core.WordPairs(words, at, words, at, max_words=9, threads=1)
    options: Arguments = {
        "reverse": False, "null_prob": 0.1, "lexical_prior": 0.1, "null_prior": 0.1,
        "jump_prior": 0.1, "fertility_prior": 0.1, "jump_width": 5, "chains": 2, "batch": 0,
        "seed": 1,
    }  # fmt: skip
    sampler = _core.LinkSampler(pairs, **options)
    assert sampler.links(1).shape == (2,)
    with pytest.raises(CalqueError, match="no such chain"):
        sampler.links(2)
    with pytest.raises(CalqueError, match=f"{option}|priors"):
        _core.LinkSampler(pairs, **options | {option: value})

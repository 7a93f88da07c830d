"""What crosses the border to the core is checked there: types, sizes, offsets, ids, lifetimes."""

from __future__ import annotations

import ast
import gc
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from decode_reference import as_source, tiny_model

import calque
from calque import _core
from calque.blocks import BlockTable
from calque.config import DecodeOptions, OracleOptions
from calque.decode import Decoder, SourceText
from calque.errors import CalqueError
from calque.features import DenseData, FeatureSet, Weights, WordData, chosen_templates
from calque.lm import LanguageModel, estimate
from calque.text import Sentences

Arguments = dict[str, Any]
LINKS = np.array([[0, 0], [1, 1]], np.int32)


class Call(NamedTuple):
    """A function of the core with arguments that it takes, and the arrays that it changes."""

    function: Callable[..., Any]
    arguments: Arguments
    changed: tuple[str, ...]


def int32(*values: int) -> np.ndarray[Any, np.dtype[np.int32]]:
    return np.array(values, np.int32)


def int64(*values: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(values, np.int64)


def uint32(*values: int) -> np.ndarray[Any, np.dtype[np.uint32]]:
    return np.array(values, np.uint32)


def corpus() -> _core.AlignedCorpus:
    return _core.AlignedCorpus(
        int32(3, 4), int64(0, 2), int32(3, 4), int64(0, 2), LINKS, int64(0, 2)
    )


def phrases(ids: Any = None) -> _core.Phrases:
    ids = np.zeros((2, 2), np.uint32) if ids is None else ids
    return _core.Phrases(int32(3, 4), int64(0, 2), max_words=2, ids=ids)


def count_ngrams() -> Call:
    arguments: Arguments = {
        "n": 2,
        "highest": True,
        "tokens": int32(1, 3, 4, 2),
        "below": int32(1, 3, 4, 2),
        "nodes": np.zeros(4, np.int32),
        "counts_below": np.zeros(5, np.uint32),
        "ngrams": np.zeros((3, 2), np.int32),
        "suffixes": np.zeros(3, np.int32),
        "counts": np.zeros(3, np.uint32),
        "passes": 2,
        "renumbering": np.zeros(3, np.int32),
    }
    changed = ("nodes", "counts_below", "ngrams", "suffixes", "counts", "renumbering")
    return Call(_core.count_ngrams, arguments, changed)


def kneser_ney() -> Call:
    arguments: Arguments = {
        "ngrams": int32(1, 3, 3, 4, 4, 2).reshape(3, 2),
        "suffixes": int32(3, 4, 2),
        "counts": uint32(1, 1, 1),
        "discounts": (0.0, 0.5, 0.5, 0.5),
        "probs_below": np.ones(5, np.float32),
        "masses": np.zeros((5, 2)),
        "probs": np.zeros(3, np.float32),
        "backoffs_below": np.zeros(5, np.float32),
    }
    return Call(_core.kneser_ney, arguments, ("masses", "probs", "backoffs_below"))


def bundled_rows() -> Arguments:
    return {
        "offsets": int64(0, 2, 4),
        "row_offsets": int64(0, 1, 1, 1, 2),
        "columns": int32(0, 1),
        "values": np.ones(2),
        "first": 0,
        "last": 2,
        "threads": 1,
    }


def mira_pass() -> Call:
    lists = _core.BundledLists(2)
    lists.append(**bundled_rows())
    arguments: Arguments = {
        "lists": lists,
        "dense": np.arange(4.0).reshape(4, 1),
        "order": int64(1, 0),
        "gains": np.array([0.1, 0.2, 0.4, 0.3]),
        "frozen": np.zeros(3, np.uint8),
        "step": 0.1,
        "n_seen": 0,
        "weights": np.zeros(3),
        "lag": np.zeros(3),
    }
    return Call(_core.mira_pass, arguments, ("weights", "lag"))


def local_problem(offsets: Any = None) -> _core.LocalProblem:
    return _core.LocalProblem(
        offsets=int64(0, 2) if offsets is None else offsets,
        choices=int32(0, 4),
        first=np.zeros(2, np.float32),
        rest=np.zeros(2, np.float32),
        pairs=int32(-1, 0),
        sets=int32(0),
        truths=int32(1),
        values=np.zeros((2, 4), np.float32),
        n_pairs=2,
    )


def local_learn() -> Call:
    arguments: Arguments = {
        "order": int64(0),
        "rule": "sgd",
        "dense_rates": np.full(10, 0.1),
        "pair_rate": 0.1,
        "fixed_pairs": np.zeros(2, np.uint8),
        "dense": np.zeros(10),
        "pairs": np.zeros(2),
    }
    return Call(local_problem().learn, arguments, ("dense", "pairs"))


def online_lists(**changed: Any) -> _core.DifferenceLists:
    """Two sentences of two candidates, with a dense feature and a sparse one in each sentence."""
    arguments: Arguments = {
        "offsets": int64(0, 2, 4),
        "base": np.zeros(4),
        "dense": np.arange(4.0).reshape(4, 1),
        "feature_offsets": int64(0, 1, 2),
        "features": int32(0, 1),
        "row_offsets": int64(0, 1, 1, 1, 2),
        "places": int32(0, 0),
        "values": np.ones(2),
        "n_sparse": 2,
    }
    return _core.DifferenceLists(**{**arguments, **changed})


def learn() -> Call:
    arguments: Arguments = {
        "order": int64(1, 0),
        "gains": np.array([0.1, 0.2, 0.4, 0.3]),
        "n_truths": int64(0, 1),
        "loss": _core.PerceptronLoss(False, 0),
        "update": _core.AdaGradUpdate(0.1, 0.1),
        "dense_shrink": 1.0,
        "sparse_shrink": 1.0,
        "weights": np.zeros(3),
        "times": np.zeros(2),
        "lag": np.zeros(3),
        "squares": np.zeros(3),
    }
    return Call(online_lists().learn, arguments, ("weights", "times", "lag", "squares"))


def add_directions() -> Call:
    arguments: Arguments = {
        **{name: learn().arguments[name] for name in ("gains", "n_truths", "loss")},
        "weights": np.zeros(3),
        "sum": np.zeros(3),
    }
    return Call(online_lists().add_directions, arguments, ("sum",))


def expected_worth() -> Call:
    arguments: Arguments = {
        "lists": online_lists(),
        "worths": np.array([0.1, 0.2, 0.4, 0.3]),
        "scale": 1.0,
        "weights": np.ones(3),
        "threads": 2,
        "gradient": np.zeros(3),
    }
    return Call(_core.expected_worth, arguments, ("gradient",))


def small_steps() -> Call:
    arguments: Arguments = {
        "lists": online_lists(),
        "worths": np.array([0.1, 0.2, 0.4, 0.3]),
        "scale": 1.0,
        "order": int64(1, 0),
        "batch": 1,
        "factor": 1.0,
        "l2": 0.0,
        "moving": np.ones(3, np.uint8),
        "penalised": np.zeros(3, np.uint8),
        "update": _core.AdaGradStep(0.1, 0.1, 0.0),
        "weights": np.zeros(3),
        "squares": np.zeros(3),
    }
    return Call(_core.small_steps, arguments, ("weights", "squares"))


def gradient_step() -> Call:
    arguments: Arguments = {
        "update": _core.AdaGradStep(0.1, 0.1, 0.0),
        "gradient": np.ones(3),
        "n_dense": 1,
        "weights": np.zeros(3),
        "threads": 2,
        "squares": np.zeros(3),
    }
    return Call(_core.gradient_step, arguments, ("weights", "squares"))


def move_columns() -> Call:
    arguments: Arguments = {
        "update": _core.AdaGradUpdate(0.1, 0.1),
        "columns": int32(2, 0),
        "values": np.ones(2),
        "n_steps": 1,
        "weights": np.zeros(3),
        "lag": np.zeros(3),
        "squares": np.zeros(3),
        "threads": 2,
    }
    return Call(_core.move_columns, arguments, ("weights", "lag", "squares"))


def rprop_step() -> Call:
    arguments: Arguments = {
        "rule": _core.RpropStep(1.2, 0.5, 1e-9, 1.0, False),
        "gradient": np.ones(3),
        "weights": np.zeros(3),
        "before": np.ones(3),
        "steps": np.ones(3, np.float32),
        "signs": np.zeros(3, np.int8),
        "threads": 2,
    }
    return Call(_core.rprop_step, arguments, ("weights", "before", "steps", "signs"))


def test_what_goes_uphill_is_checked() -> None:
    """Wrong numbers of weights, sentences that there are not, and the like."""
    short = np.zeros(2)
    wrong: list[tuple[Call, Arguments]] = [
        (add_directions(), {"weights": short}),
        (add_directions(), {"sum": short}),
        (add_directions(), {"gains": short}),
        (expected_worth(), {"worths": short}),
        (expected_worth(), {"weights": short}),
        (expected_worth(), {"gradient": short}),
        (small_steps(), {"order": int64(2)}),
        (small_steps(), {"batch": 0}),
        (small_steps(), {"worths": short}),
        (small_steps(), {"moving": np.ones(2, np.uint8)}),
        (small_steps(), {"penalised": np.ones(2, np.uint8)}),
        (small_steps(), {"squares": None}),
        (small_steps(), {"weights": short}),
        (gradient_step(), {"gradient": short}),
        (gradient_step(), {"squares": short}),
        (gradient_step(), {"n_dense": -1}),
        (move_columns(), {"columns": int32(3, 0)}),
        (move_columns(), {"values": np.ones(3)}),
        (move_columns(), {"lag": short}),
        (move_columns(), {"squares": None}),
        (rprop_step(), {"gradient": short}),
        (rprop_step(), {"before": short}),
        (rprop_step(), {"steps": np.ones(2, np.float32)}),
        (rprop_step(), {"signs": np.zeros(2, np.int8)}),
    ]
    for call, changed in wrong:
        call.function(**call.arguments)
        with pytest.raises(CalqueError):
            call.function(**{**call.arguments, **changed})


def test_lists_to_learn_from_are_checked() -> None:
    wrong: Arguments
    for wrong in (
        {"places": int32(0, 1)},
        {"features": int32(0, 2)},
        {"features": int32(-1, 1)},
        {"base": np.zeros(3)},
        {"places": int32(0)},
        {"row_offsets": int64(0, 1, 2)},
        {"feature_offsets": int64(0, 2)},
        {"feature_offsets": int64(0, 0, 2)},
        {"n_sparse": -1},
    ):
        with pytest.raises(CalqueError):
            online_lists(**wrong)
    call = learn()
    for wrong in (
        {"order": int64(2)},
        {"gains": np.zeros(3)},
        {"n_truths": int64(3, 0)},
        {"n_truths": int64(-1, 0)},
        {"n_truths": int64(0)},
        {"sparse_shrink": 0.0},
        {"dense_shrink": 1.1},
        {"squares": None},
    ):
        with pytest.raises(CalqueError):
            call.function(**{**call.arguments, **wrong})
    for first, last in ((-1, 1), (2, 1), (0, 3)):
        with pytest.raises(CalqueError, match="sentences that there are not"):
            _core.differences(
                int64(0, 1, 2), int64(0, 1, 2), int32(0, 1), np.ones(2), first, last,
                np.ones(2, np.uint8), False, 1,
            )  # fmt: skip
    with pytest.raises(CalqueError):
        _core.column_counts(int32(0, 2), 2)


def extract_rules_run() -> Call:
    """The rules of a corpus, of which every phrase is a side."""
    limits = _core.RuleLimits(
        max_words=2,
        max_gaps=0,
        max_span=2,
        max_symbols=2,
        max_target_symbols=2,
        min_gap=1,
        adjacent_gaps=False,
        gap_needs_words=True,
        tight=True,
    )
    sources, targets, _ = _core.collect_sides(corpus(), limits, 0, 1, 100)
    slots = []
    for symbols, offsets in (sources, targets):
        slots.append(np.zeros(2 * _core.n_slots(len(offsets) - 1), np.int32))
        _core.index_sources(symbols, offsets, slots[-1])
    return Call(
        _core.extract_rules_run,
        {
            "corpus": corpus(),
            "limits": limits,
            "sources": sources,
            "source_slots": slots[0],
            "targets": targets,
            "target_slots": slots[1],
            "first": 0,
            "last": 1,
            "max_records": 100,
            "target_counts": np.zeros(len(targets[1]) - 1, np.uint32),
        },
        ("target_counts",),
    )


def calls() -> dict[str, Call]:
    """Every function of the core that changes arrays of its caller."""
    parts = tiny_model(1)
    events = _core.BlockEvents(
        parts.blocks.core, corpus(), max_words=5, max_placements=100, boundary_block=False
    )
    n_blocks = len(parts.blocks)
    return {
        "mark_sentences": Call(
            _core.mark_sentences,
            {
                "ids": int32(3, 4),
                "offsets": int64(0, 2),
                "n_words": 5,
                "tokens": np.zeros(4, np.int32),
            },
            ("tokens",),
        ),
        "count_ngrams": count_ngrams(),
        "kneser_ney_unigrams": Call(
            _core.kneser_ney_unigrams,
            {
                "counts": uint32(0, 0, 1, 1, 1),
                "discounts": (0.0, 0.5, 0.5, 0.5),
                "probs": np.zeros(5, np.float32),
            },
            ("probs",),
        ),
        "kneser_ney": kneser_ney(),
        "mark_endings": Call(
            _core.mark_endings,
            {"above": int32(3, 4).reshape(1, 2), "backoffs": np.zeros(5, np.float32)},
            ("backoffs",),
        ),
        "fill_table": Call(
            _core.fill_table,
            {
                "ngrams": [int32(3, 4).reshape(1, 2)],
                "log_probs": np.zeros(1, np.float32),
                "backoffs": np.zeros(1, np.float32),
                "slots": np.zeros((4, 2), np.uint64),
            },
            ("slots",),
        ),
        "mira_pass": mira_pass(),
        "DifferenceLists.learn": learn(),
        "DifferenceLists.add_directions": add_directions(),
        "expected_worth": expected_worth(),
        "small_steps": small_steps(),
        "gradient_step": gradient_step(),
        "move_columns": move_columns(),
        "rprop_step": rprop_step(),
        "LocalProblem.learn": local_learn(),
        "scatter_rows": Call(
            _core.scatter_rows,
            {
                "offsets": int64(0, 1, 2),
                "data": int32(3, 4),
                "destinations": int64(1, 0),
                "out": np.zeros(2, np.int32),
            },
            ("out",),
        ),
        "Phrases.__init__": Call(phrases, {"ids": np.zeros((2, 2), np.uint32)}, ("ids",)),
        "Phrases.gather": Call(
            phrases().gather, {"ids": uint32(1, 0), "words": np.zeros(2, np.int32)}, ("words",)
        ),
        "extract_run": Call(
            _core.extract_run,
            {
                "corpus": corpus(),
                "source_ids": np.arange(4, dtype=np.uint32).reshape(2, 2),
                "target_ids": np.arange(4, dtype=np.uint32).reshape(2, 2),
                "first": 0,
                "last": 1,
                "max_records": 100,
                "target_counts": np.zeros(4, np.uint32),
            },
            ("target_counts",),
        ),
        "index_sources": Call(
            _core.index_sources,
            {
                "words": int32(3, 4),
                "offsets": int64(0, 2),
                "slots": np.zeros(2 * _core.n_slots(1), np.int32),
            },
            ("slots",),
        ),
        "merge_sides": Call(
            _core.merge_sides,
            {
                "runs": [(int32(3, 1, 4), int64(0, 1, 3))],
                "symbols": np.zeros(3, np.int32),
                "offsets": np.zeros(3, np.int64),
            },
            ("symbols", "offsets"),
        ),
        "extract_rules_run": extract_rules_run(),
        "BlockEvents.count": Call(
            events.count,
            {"first": 0, "last": 1, "counts": np.zeros((n_blocks, 3), np.int32), "threads": 1},
            ("counts",),
        ),
    }


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


@pytest.mark.parametrize(("name", "array"), [one for one in CHANGED if one not in OF_ANY_SIZE])
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
            at, int64(0, 1, 2), int32(0, 1), np.ones(2), 0, 1, np.ones(2, np.uint8), False, 1
        ),
        "differences, entries": lambda at: _core.differences(
            int64(0, max(len(at) - 1, 0)), at, int32(0, 1), np.ones(2), 0, 1,
            np.ones(2, np.uint8), False, 1,
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


@pytest.mark.parametrize("wrong", [-1, 99])
def test_every_target_word_needs_a_word_of_the_language_model(wrong: int) -> None:
    parts = tiny_model(1)
    features = FeatureSet.standard(parts.blocks)
    words = np.arange(len(parts.vocabulary), dtype=np.int32)
    _core.Decoder(parts.blocks.core, parts.lm.core, words, features.core)
    words[-1] = wrong
    with pytest.raises(CalqueError, match=f"language-model ids of target words: {wrong} is"):
        _core.Decoder(parts.blocks.core, parts.lm.core, words, features.core)
    with pytest.raises(CalqueError, match="a block has a target word"):
        _core.Decoder(parts.blocks.core, parts.lm.core, words[:3], features.core)


def test_a_state_of_a_longer_language_model_is_refused() -> None:
    sentences = Sentences.from_lists([[3, 4, 3, 5, 3, 4, 3]])
    vocabulary = tiny_model(1).vocabulary
    models = [estimate(sentences, vocabulary, calque.config.LmOptions(order=n)) for n in (4, 2)]
    long, short = (model.core for model in models)
    state = long.begin()
    for word in (3, 4, 3):
        _, state = long.score(state, word)
    assert len(state.words) > 1
    with pytest.raises(CalqueError, match="one of a longer model"):
        short.score(state, 3)


def sparse_decoder(seed: int, n_pairs: int, n_words: int = 4) -> tuple[Decoder, Weights]:
    parts = tiny_model(seed, n_pairs=n_pairs, n_words=n_words)
    words = WordData(parts.vocabulary, parts.vocabulary)
    templates = chosen_templates("P1")
    features = FeatureSet.compile("standard", DenseData(parts.blocks), templates, words)
    return Decoder(parts.blocks, parts.vocabulary, parts.lm, features), Weights.default()


def test_a_derivation_of_another_model_is_refused_wherever_one_is_taken() -> None:
    """One model with many blocks and words, one with few: rows, then words, are out of range."""
    (large, weights), (small, _) = sparse_decoder(1, 40, n_words=9), sparse_decoder(2, 2)
    source = as_source([[3, 4, 5, 6]])
    batch = large.decode_batch(source, weights, DecodeOptions())
    derivation = batch[0].derivations[0]
    assert max(step.block for step in derivation.steps) >= small_blocks()
    expected = large.dense_features(derivation, source)
    assert expected == derivation.features
    for take in (
        lambda: small.dense_features(derivation, source),
        lambda: small.sparse_features(derivation, source),
        lambda: small.sparse_batch(batch, source),
        lambda: small.explain(derivation, source, weights),
        lambda: small.sparse_names(derivation, source),
    ):
        with pytest.raises(CalqueError, match="of another model or of another sentence"):
            take()


def small_blocks() -> int:
    return len(tiny_model(2, n_pairs=2).blocks)


def test_a_derivation_of_another_sentence_is_refused() -> None:
    decoder, weights = sparse_decoder(1, 40)
    derivation = decoder.decode(as_source([[3, 4, 5]]), weights, DecodeOptions())[0].derivations[0]
    with pytest.raises(CalqueError, match="the derivation is of a longer sentence"):
        decoder.dense_features(derivation, as_source([[3]]))
    with pytest.raises(CalqueError, match="of another model or of another sentence"):
        decoder.dense_features(derivation, as_source([[5, 5, 3]]))


def copies(arrays: Mapping[str, Any]) -> dict[str, Any]:
    return {name: array.copy() for name, array in arrays.items()}


def reuse_memory() -> None:
    """Collect what is free and write over it."""
    gc.collect()
    for n_bytes in range(8, 8000, 8):
        np.full(n_bytes, 0x7F, np.uint8)


def test_a_block_table_keeps_its_arrays_when_the_caller_drops_them() -> None:
    blocks = tiny_model(1, n_pairs=40).blocks
    phrase = blocks.source_words[blocks.source_offsets[-2] :].copy()
    arrays = copies(blocks.to_arrays())
    core = _core.BlockTable(arrays)
    arrays.clear()
    reuse_memory()
    assert core.find(phrase) == blocks.n_sources - 1


def test_a_decoder_keeps_alive_what_it_looks_at() -> None:
    parts = tiny_model(1, n_pairs=40)
    source = as_source([[3, 4, 5, 6]])

    def best(decoder: Decoder) -> _core.Derivation:
        return decoder.decode(source, Weights.default(), DecodeOptions())[0].derivations[0]

    expected = best(Decoder(parts.blocks, parts.vocabulary, parts.lm))
    blocks = BlockTable.from_arrays(copies(parts.blocks.to_arrays()))
    lm = LanguageModel.from_arrays(copies(parts.lm.to_arrays()), parts.vocabulary)
    decoder = Decoder(blocks, parts.vocabulary, lm)
    del blocks, lm
    reuse_memory()
    derivation = best(decoder)
    assert derivation.features == expected.features
    step = derivation.steps[0]
    del decoder, derivation
    reuse_memory()
    assert step.target == expected.steps[0].target  # a part of a result lives alone


def test_arrays_of_a_batch_outlive_it() -> None:
    decoder, weights = sparse_decoder(1, 40)
    batch = decoder.decode_batch(as_source([[3, 4], [5]]), weights, DecodeOptions(), n_best=5)
    words, before = batch.words, batch.words.tolist()
    del batch
    gc.collect()
    assert words.tolist() == before

"""Calls of the core with arguments that it takes, for tests of what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from decode_reference import tiny_model

from calque import _core

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


def merge_ngrams() -> Call:
    arguments: Arguments = {
        "n": 2,
        "part_ngrams": int32(1, 3, 3, 4, 1, 3).reshape(3, 2),
        "part_suffixes": int32(3, 4, 3),
        "part_counts": uint32(1, 1, 1),
        "nodes": np.zeros(3, np.int32),
        "counts_below": np.zeros(5, np.uint32),
        "ngrams": np.zeros((2, 2), np.int32),
        "suffixes": np.zeros(2, np.int32),
        "counts": np.zeros(2, np.uint32),
        "passes": 2,
        "renumbering": np.zeros(2, np.int32),
    }
    changed = ("nodes", "counts_below", "ngrams", "suffixes", "counts", "renumbering")
    return Call(_core.merge_ngrams, arguments, changed)


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


def add_derivatives() -> Call:
    arguments: Arguments = {
        "dense": np.ones(2),
        "sparse": np.ones(3),
        "offsets": int64(0, 2, 3),
        "features": int32(0, 1, 0),
        "n_dense": 1,
        "gradient": np.zeros(3),
        "threads": 2,
    }
    return Call(_core.add_derivatives, arguments, ("gradient",))


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


def finish_gradient() -> Call:
    arguments: Arguments = {
        "gradient": np.ones(3),
        "factor": 0.5,
        "l2": 0.1,
        "weights": np.ones(3),
        "moving": np.ones(3, np.uint8),
        "penalised": np.ones(3, np.uint8),
        "threads": 2,
    }
    return Call(_core.finish_gradient, arguments, ("gradient",))


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
        "merge_ngrams": merge_ngrams(),
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
        "add_derivatives": add_derivatives(),
        "small_steps": small_steps(),
        "finish_gradient": finish_gradient(),
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

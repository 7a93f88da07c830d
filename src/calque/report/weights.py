"""The weights of runs, before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from calque.features import SparseWeights
from calque.features.weights import key_name
from calque.report.page import SERIES, Cell, Html, bar, element, section, table
from calque.report.record import RunRecord

SPARSE_SHOWN = 50
"""Of the weights of sparse features the largest: there may be millions."""


def weight_tables(runs: Sequence[RunRecord]) -> Html | None:
    """A section with all dense weights of every run, and the largest of the sparse ones."""
    tables: list[Html] = []
    for index, run in enumerate(runs):
        if not run.end_weights and not len(run.end_weights.sparse):
            continue
        tables.append(element("h3", named(run, index)))
        tables.append(_weight_table(dict(run.start_weights), dict(run.end_weights), index))
        if n_sparse := len(run.end_weights.sparse):
            end = _largest(run.end_weights.sparse)
            start = _of_keys(run.start_weights.sparse, list(end))
            shown = "all" if len(end) == n_sparse else f"the {len(end):,} largest"
            tables.append(element("p", f"Weights of sparse features: {n_sparse:,}, {shown} here."))
            tables.append(_weight_table(_by_name(start), _by_name(end), index))
    return section("Weights", *tables) if tables else None


def _weight_table(start: Mapping[str, float], end: Mapping[str, float], index: int) -> Html:
    names = list(dict.fromkeys([*end, *start]))
    moved = [name for name in names if start.get(name) != end.get(name)]
    # A weight that nothing moves may be far larger than those that matter.
    sizes = [abs(end.get(name, 0.0)) for name in moved or names]
    unit = max(sizes, default=0.0) or 1.0
    rows: list[list[Cell]] = [
        [
            name,
            _rounded(start.get(name)),
            _rounded(end.get(name)),
            bar(end.get(name, 0.0) / unit, index),
        ]
        for name in names
    ]
    return table(["feature", "start", "end", ""], rows)


def _largest(weights: SparseWeights) -> dict[int, float]:
    """The `SPARSE_SHOWN` weights of largest absolute value by key, these first; ties by key."""
    arrays = weights.to_arrays()
    keys, values = arrays["keys"], arrays["values"]
    sizes = np.abs(values)
    if len(keys) > SPARSE_SHOWN:
        # The least size that is shown, first: sorting millions would take long.
        least = np.partition(sizes, -SPARSE_SHOWN)[-SPARSE_SHOWN]
        candidates = np.flatnonzero(sizes >= least)
    else:
        candidates = np.arange(len(keys))
    order = candidates[np.lexsort((keys[candidates], -sizes[candidates]))][:SPARSE_SHOWN]
    return dict(zip(keys[order].tolist(), values[order].tolist(), strict=True))


def _by_name(weights: Mapping[int, float]) -> dict[str, float]:
    return {key_name(key): value for key, value in weights.items()}


def _of_keys(weights: SparseWeights, keys: Sequence[int]) -> dict[int, float]:
    values = weights.lookup(np.array(keys, np.uint64))
    return dict(zip(keys, values.tolist(), strict=True))


def named(run: RunRecord, index: int) -> Html:
    """The name of a run behind a patch of its colour."""
    style = f"background:var(--series-{index % SERIES})"
    patch = element("span", "", "swatch", style=style)
    return Html(patch + element("span", run.name))


def _rounded(value: float | None) -> Cell:
    return None if value is None else float(f"{value:.4g}")

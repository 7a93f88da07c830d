"""The working copy of lists: only that in which the candidates of a sentence differ."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque._core import OnlineLists, column_counts, differences
from calque.hyps import Lists
from calque.tune.problem import Vector

AT_ONCE = 1024
"""Sentences that are compared together."""


def seen_often(lists: Lists, least: int) -> NDArray[np.bool_]:
    """Which sparse features at least so many candidates have (at most 255 are told apart)."""
    if least <= 1:
        return np.ones(len(lists.keys), bool)
    return np.asarray(column_counts(lists.columns, len(lists.keys)) >= least)


@contextmanager
def online_lists(
    lists: Lists,
    moving: NDArray[np.bool_],
    start: Vector,
    units: Vector,
    *,
    clip: bool = False,
    on_disk: bool = False,
    threads: int = 1,
) -> Iterator[OnlineLists]:
    """Lists to learn the `moving` weights from; what the others add to scores is added up here.

    What all candidates of a sentence share cancels in every comparison and is left out, and what
    most of them share is left out of these. (The pool keeps whole candidates: later ones may lack
    what all share today.) Dense features are divided by `units`. With `on_disk` the copy is in
    files, mapped into memory.
    """
    dense = moving[: lists.n_dense]
    base = _scores_of_others(lists, moving, start)
    scaled = np.ascontiguousarray(lists.dense[:, dense] / units[dense])
    kept = moving[lists.n_dense :].astype(np.uint8)
    with _joiner(on_disk) as join:
        found = join(_differences(lists, kept, clip, threads))
        n_features, features, n_entries, places, values = found
        yield OnlineLists(
            lists.offsets,
            base,
            scaled,
            _offsets(n_features),
            features,
            _offsets(n_entries),
            places,
            values,
            len(lists.keys),
        )


def _scores_of_others(lists: Lists, moving: NDArray[np.bool_], start: Vector) -> Vector:
    rest = np.where(moving, 0.0, start)
    return lists.scores(rest) if rest.any() else np.zeros(len(lists))


Arrays = tuple[NDArray[Any], ...]


def _differences(
    lists: Lists, kept: NDArray[np.uint8], clip: bool, threads: int
) -> Iterator[Arrays]:
    rows = lists.offsets, lists.row_offsets, lists.columns, lists.values
    for first in range(0, lists.n_sentences, AT_ONCE):
        last = min(first + AT_ONCE, lists.n_sentences)
        yield differences(*rows, first, last, kept, clip, threads)


@contextmanager
def _joiner(on_disk: bool) -> Iterator[Callable[[Iterator[Arrays]], list[NDArray[Any]]]]:
    """What makes arrays of their parts, in memory or in files that are gone afterwards."""
    if not on_disk:
        yield lambda parts: [np.concatenate(some) for some in zip(*parts, strict=True)]
        return
    with tempfile.TemporaryDirectory(prefix="calque-") as folder:
        yield lambda parts: _mapped(parts, Path(folder))


def _mapped(parts: Iterator[Arrays], folder: Path) -> list[NDArray[Any]]:
    kinds: list[np.dtype[Any]] = []
    paths = [folder / str(at) for at in range(5)]
    files = [path.open("wb") for path in paths]
    try:
        for part in parts:
            kinds = [array.dtype for array in part]
            for array, file in zip(part, files, strict=True):
                array.tofile(file)
    finally:
        for file in files:
            file.close()
    return [
        np.memmap(path, kind, "r") if path.stat().st_size else np.empty(0, kind)
        for path, kind in zip(paths, kinds, strict=True)
    ]


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

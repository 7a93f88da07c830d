"""Parts in order of arrival made into lists by sentence, in memory or in mapped files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque._core import scatter_rows
from calque.hyps.lists import Lists, PackedTexts
from calque.hyps.part import Part
from calque.text.mapped import forget

Allocate: TypeAlias = Callable[[str, tuple[int, ...], Any], NDArray[Any]]
"""An array for the lists: by its name, its shape and its type."""


@dataclass(frozen=True, eq=False)
class Outline:
    """How many candidates a part has of which sentences, and how large they are."""

    sentences: NDArray[np.int32]
    n_entries: NDArray[np.int32]
    """Sparse features of every candidate."""
    n_characters: NDArray[np.int32]
    """Bytes of every text."""
    is_counts: bool
    """Whether the values are small counts."""
    n_bytes: int

    @classmethod
    def of(cls, part: Part) -> Outline:
        """What there is to know of a part before it is read."""
        return cls(
            sentences=part.sentences.astype(np.int32),
            n_entries=np.diff(part.row_offsets).astype(np.int32),
            n_characters=np.diff(part.text_offsets).astype(np.int32),
            is_counts=part.values.dtype == np.uint8,
            n_bytes=part.n_bytes,
        )

    def rows(self, first: int, last: int) -> slice:
        """The candidates of the sentences from `first` up to `last`."""
        begin, end = np.searchsorted(self.sentences, [first, last]).tolist()
        return slice(begin, end)


def in_memory(name: str, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
    """An array in memory."""
    return np.empty(shape, kind)


def mapped(folder: Path) -> Allocate:
    """Arrays in files of a folder, of which the system keeps in memory what it has room for."""

    def allocate(name: str, shape: tuple[int, ...], kind: Any) -> NDArray[Any]:
        path = folder / f"{name}.npy"
        if 0 in shape:  # nothing cannot be mapped
            return np.empty(shape, kind)
        return np.asarray(
            np.lib.format.open_memmap(path, mode="w+", dtype=np.dtype(kind), shape=shape)
        )

    return allocate


def merged(
    outlines: Sequence[Outline],
    parts: Iterable[Part],
    first: int,
    last: int,
    *,
    dense_names: tuple[str, ...],
    keys: NDArray[np.uint64],
    n_statistics: int,
    allocate: Allocate = in_memory,
) -> Lists:
    """The candidates of the sentences from `first` up to `last`, by sentence, then as they came.

    `parts` are read one after the other: only one of them need be in memory.
    """
    chosen = [outline.rows(first, last) for outline in outlines]
    pairs = list(zip(outlines, chosen, strict=True))
    sentences = _joined([outline.sentences[rows] for outline, rows in pairs])
    order = np.argsort(sentences, kind="stable")
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    row_offsets = _offsets(_joined([outline.n_entries[rows] for outline, rows in pairs])[order])
    texts = _offsets(_joined([outline.n_characters[rows] for outline, rows in pairs])[order])
    is_counts = all(o.is_counts for o, rows in pairs if o.n_entries[rows].any())
    n = len(order)
    lists = Lists(
        dense_names=dense_names,
        keys=keys,
        offsets=np.searchsorted(sentences[order], np.arange(first, last + 1)),
        dense=allocate("dense", (n, len(dense_names)), np.float64),
        row_offsets=row_offsets,
        columns=allocate("columns", (int(row_offsets[-1]),), np.int32),
        values=allocate("values", (int(row_offsets[-1]),), np.uint8 if is_counts else np.float64),
        statistics=allocate("statistics", (n, n_statistics), np.float64),
        n_words=allocate("n_words", (n,), np.int32),
        texts=PackedTexts(allocate("texts", (int(texts[-1]),), np.uint8), texts),
    )
    begin = 0
    for part, rows in zip(parts, chosen, strict=True):
        to = place[begin : begin + rows.stop - rows.start]
        begin += len(to)
        _fill(lists, part, rows, to)
        forget(lists.columns, lists.values, lists.texts.data)
    return lists


def _fill(lists: Lists, part: Part, rows: slice, to: NDArray[np.int64]) -> None:
    """Copy some candidates of a part to their places."""
    lists.dense[to] = part.dense[rows]
    lists.statistics[to] = part.statistics[rows]
    lists.n_words[to] = part.n_words[rows]
    bounds = slice(rows.start, rows.stop + 1)
    entries, characters = part.row_offsets[bounds], part.text_offsets[bounds]
    values = part.values.astype(lists.values.dtype, copy=False)
    scatter_rows(entries, part.columns, lists.row_offsets[to], lists.columns)
    scatter_rows(entries, values, lists.row_offsets[to], lists.values)
    scatter_rows(characters, part.text_data, lists.texts.offsets[to], lists.texts.data)


def _joined(arrays: Sequence[NDArray[np.int32]]) -> NDArray[np.int32]:
    return np.concatenate([np.empty(0, np.int32), *arrays])


def _offsets(lengths: NDArray[np.int32]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])

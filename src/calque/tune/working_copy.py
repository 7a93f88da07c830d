"""The working copy of lists: only that in which the candidates of a sentence differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque._core import DifferenceLists, MaskedValues, column_counts, differences
from calque.hyps import Lists
from calque.text.working import WorkingFolder
from calque.tune.problem import Vector

WORKING_COPIES = 4
"""Parts, lists by sentence, and what a working copy takes at most while it is made."""
AT_ONCE = 1024
"""Sentences that are compared together."""

Arrays: TypeAlias = Mapping[str, NDArray[Any]]


def seen_often(lists: Lists, least: int) -> NDArray[np.bool_]:
    """Which sparse features at least so many candidates have (at most 255 are told apart)."""
    if least <= 1:
        return np.ones(len(lists.keys), bool)
    return np.asarray(column_counts(lists.columns, len(lists.keys)) >= least)


class WorkingCopy:
    """What learns the `moving` weights from lists; what the others add to scores is added up here.

    What all candidates of a sentence share cancels in every comparison and is left out, and what
    most of them share is left out of these. (The pool keeps whole candidates: later ones may lack
    what all share today.) Weights are those of the moving dense features, which are divided by
    `units`, then those of all sparse ones.
    """

    lists: DifferenceLists
    """The core's view of the arrays that follow."""
    offsets: NDArray[np.int64]
    """Candidates of sentence s are `offsets[s]:offsets[s + 1]`."""
    base: Vector
    """What weights that stay add to the score of each candidate."""
    dense: NDArray[np.float64]
    """A row per candidate."""
    feature_offsets: NDArray[np.int64]
    features: NDArray[np.int32]
    """The sparse features in which candidates differ, sentence after sentence."""
    row_offsets: NDArray[np.int64]
    """Entries of candidate i are `row_offsets[i]:row_offsets[i + 1]`."""
    places: NDArray[np.int32]
    """Of each entry, among the features of its sentence."""
    values: NDArray[Any]
    """Of each entry: how much more the candidate has than the usual one."""
    kept: Arrays
    """What was kept of every candidate beside its features."""
    n_bytes: int
    """The size of everything."""
    n_entries: int
    """Of all candidates, masked ones included."""

    def __init__(
        self,
        parts: Iterable[Lists],
        moving: NDArray[np.bool_],
        start: Vector,
        units: Vector,
        *,
        keep: Callable[[int, Lists], Arrays] = lambda first, lists: {},
        counts: bool | None = None,
        clip: bool = False,
        masks: bool = False,
        on_disk: bool = False,
        threads: int = 1,
    ) -> None:
        """Go through lists of consecutive sentences, part by part.

        `keep` is given the first sentence of a part and its lists: it gives arrays with an entry or
        a row per candidate that are wanted beside them. `counts` tells whether all values of all
        parts are small counts, where there are several parts. With `masks`, counts that many
        candidates of a sentence have are masked, a bit per candidate, and are no entries: smaller
        and faster, for who knows masks. With `on_disk` the copy is in files, mapped into memory.
        """
        self._folder = WorkingFolder("copy") if on_disk else None
        n_dense, n_sparse = len(units), len(moving) - len(units)
        is_dense, is_sparse = moving[:n_dense], moving[n_dense:].astype(np.uint8)
        rest = np.where(moving, 0.0, start)
        others = rest if rest.any() else None
        self.n_entries = 0
        stack, n_sentences = _Stack(None if self._folder is None else self._folder.path), 0
        for part in parts:
            values = part.values if counts is None or counts else part.values.astype(np.float64)
            rows = part.offsets, part.row_offsets, part.columns, values
            for first in range(0, part.n_sentences, AT_ONCE):
                last = min(first + AT_ONCE, part.n_sentences)
                differing = differences(*rows, first, last, is_sparse, clip, masks, threads)
                some: Arrays = dict(zip(_DIFFERENCES, differing[:-1], strict=True))
                stack.append(some)
                self.n_entries += len(some["places"]) + differing[-1]
            dense = np.ascontiguousarray(part.dense[:, is_dense] / units[is_dense])
            base = np.zeros(len(part)) if others is None else part.scores(others)
            lengths = np.diff(part.offsets)
            stack.append({"lengths": lengths, "base": base, "dense": dense})
            stack.append(keep(n_sentences, part))
            n_sentences += part.n_sentences
        arrays = stack.joined()
        self.n_bytes = sum(array.nbytes for array in arrays.values())
        self.on_disk = on_disk
        self.offsets = _offsets(arrays.pop("lengths"))
        self.base, self.dense = arrays.pop("base"), arrays.pop("dense")
        self.feature_offsets = _offsets(arrays.pop("n_features"))
        self.features = arrays.pop("features")
        self.row_offsets = _offsets(arrays.pop("n_entries"))
        self.places, self.values = arrays.pop("places"), arrays.pop("values")
        self._masked = (
            _offsets(arrays.pop("n_masks")),
            arrays.pop("mask_values"),
            _offsets(arrays.pop("n_members")),
            arrays.pop("members"),
            arrays.pop("bits"),
        )
        self.lists = DifferenceLists(
            self.offsets,
            self.base,
            self.dense,
            self.feature_offsets,
            self.features,
            self.row_offsets,
            self.places,
            self.values,
            n_sparse,
            MaskedValues(*self._masked) if self.has_masks else None,
        )
        self.kept = arrays

    @property
    def has_masks(self) -> bool:
        """Whether some values are masked."""
        return len(self._masked[-1]) > 0

    def masked_of(self, first: int, last: int) -> tuple[NDArray[Any], ...] | None:
        """The masked values of the sentences from `first` up to `last`, for the core."""
        if not self.has_masks:
            return None
        offsets, values, member_offsets, members, bits = self._masked
        masks = slice(int(offsets[first]), int(offsets[last]))
        begin, end = member_offsets[[masks.start, masks.stop]].tolist()
        n_bytes = -(-np.diff(self.offsets) // 8) * np.diff(offsets)
        first_byte, size = int(n_bytes[:first].sum()), int(n_bytes[first:last].sum())
        return (
            offsets[first : last + 1] - masks.start,
            np.array(values[masks]),
            member_offsets[masks.start : masks.stop + 1] - begin,
            np.array(members[begin:end]),
            np.array(bits[first_byte : first_byte + size]),
        )

    @property
    def n_sentences(self) -> int:
        """The number of lists."""
        return len(self.offsets) - 1


_DIFFERENCES = (
    "n_features",
    "features",
    "n_entries",
    "places",
    "values",
    "n_masks",
    "mask_values",
    "n_members",
    "members",
    "bits",
)


class _Stack:
    """Arrays that grow part by part, in memory or in files of a folder."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._parts: dict[str, list[NDArray[Any]]] = {}
        self._kinds: dict[str, np.dtype[Any]] = {}
        self._shapes: dict[str, tuple[int, ...]] = {}

    def append(self, arrays: Arrays) -> None:
        """Add to every array, along its first axis."""
        for name, array in arrays.items():
            if self._folder is None:
                self._parts.setdefault(name, []).append(array)
                continue
            n_before = self._shapes[name][0] if name in self._shapes else 0
            self._shapes[name] = n_before + len(array), *array.shape[1:]
            self._kinds[name] = array.dtype
            with (self._folder / name).open("ab") as file:
                array.tofile(file)

    def joined(self) -> dict[str, NDArray[Any]]:
        """All arrays, whole; what is in files is mapped."""
        if self._folder is None:
            return {name: np.concatenate(self._parts.pop(name)) for name in list(self._parts)}
        return {name: self._mapped(self._folder / name) for name in self._shapes}

    def _mapped(self, path: Path) -> NDArray[Any]:
        shape, kind = self._shapes[path.name], self._kinds[path.name]
        if 0 in shape:  # nothing cannot be mapped
            return np.empty(shape, kind)
        return np.asarray(np.memmap(path, kind, "r", shape=shape))


def _offsets(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)

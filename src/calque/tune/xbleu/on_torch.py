"""The pass over all lists on a GPU: expected worth and derivatives. Nothing else needs torch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from calque.errors import CalqueError
from calque.tune.problem import Vector
from calque.tune.working_copy import WorkingCopy

DUST = 1e-13
"""A sum that is smaller than this share of its terms is what rounding left of nothing."""
MOST_ENTRIES = 1 << 25
"""Of candidates that are gone through at a time; each takes some 60 bytes meanwhile."""
GPU_BYTES_PER_ENTRY = 512
"""A GPU takes one entry at a time for so many bytes of all its memory: the fewer parts, the less it
waits. Memory that is free at the moment must not matter: other parts round in another way."""
MOST_GPU_ENTRIES = 1 << 28
LONGEST_STRETCH = 64
"""Of slots of a feature that a thread of a GPU adds up alone."""
KEPT_SHARE = 0.6
"""Of the free memory of a GPU that lists may take; the rest is for work."""
NO_LIMIT = 1 << 62


def device_of(name: str) -> torch.device:
    """The device that an option names; `CalqueError` where this machine has none."""
    if name == "cuda" and not torch.cuda.is_available():
        raise CalqueError(
            "device=cuda: torch finds no GPU here; expected one, or device=core without"
        )
    return torch.device("cuda" if name == "cuda" else "cpu")


class TorchPass:
    """The sum over sentences of the expected worth of a candidate, as the core gives it.

    Sums are in double precision and in a fixed order: the same device gives the same bits again.
    What has room in the memory of the device stays there; the rest is read from the working copy
    at every pass.
    """

    def __init__(
        self,
        copy: WorkingCopy,
        worths: Vector,
        scale: float,
        device: torch.device,
        *,
        most_entries: int | None = None,
        room: int | None = None,
    ) -> None:
        """Take lists and what each candidate is worth; `room` is in bytes, by default what is free.

        `most_entries` are gone through at a time, or those of one sentence; by default as many as
        suit the device. The values of the lists are all entries.
        """
        if copy.has_masks:
            raise CalqueError("lists with masks: expected lists whose values are all entries")
        self._copy = copy
        self._worths = worths
        self._scale = scale
        self._device = device
        self._cuts = _cuts(copy, _at_a_time(device) if most_entries is None else most_entries)
        self._kept: dict[int, _Part] = {}
        self._room = _room_of(device, copy) if room is None else room

    def __call__(self, weights: Vector, gradient: Vector | None = None) -> float:
        """The sum; its derivatives by the weights are added to `gradient`."""
        total, sums = self.on_device(
            torch.tensor(weights, device=self._device), with_derivatives=gradient is not None
        )
        if gradient is not None and sums is not None:
            torch.from_numpy(gradient).add_(sums.cpu())
        return float(total)

    def on_device(
        self, weights: torch.Tensor, *, with_derivatives: bool
    ) -> tuple[torch.Tensor, torch.Tensor | None]:
        """The sum and its derivatives, if wanted, where the weights are."""
        n_dense = self._copy.dense.shape[1]
        dense, sparse = weights[:n_dense], weights[n_dense:]
        sums = torch.zeros_like(weights) if with_derivatives else None
        total = torch.zeros((), dtype=torch.float64, device=self._device)
        for part in self._parts():
            means, factors = part.expectation(dense, sparse, self._scale)
            total += means.sum()
            if sums is not None:
                sums[:n_dense] += part.dense_derivatives(factors)
                derivatives = part.derivatives(factors)
                sums[n_dense:][part.features] += derivatives  # no feature comes twice
        return total, sums

    @property
    def n_bytes(self) -> int:
        """Of the lists that stayed on the device."""
        return sum(part.n_bytes for part in self._kept.values())

    def _parts(self) -> Iterator[_Part]:
        for at, (first, last) in enumerate(zip(self._cuts[:-1], self._cuts[1:], strict=True)):
            if at in self._kept:
                yield self._kept[at]
                continue
            part = _Part.of(self._copy, self._worths, int(first), int(last), self._device)
            if part.n_bytes <= self._room:
                self._room -= part.n_bytes
                self._kept[at] = part
            yield part


@dataclass(frozen=True, eq=False)
class _Part:
    """The lists of some sentences on a device.

    A slot is a sentence and one of the sparse features in which its candidates differ. Every sum is
    over stretches of an array, so that it has an order: that of rows for scores, that of slots and
    then of features for derivatives.
    """

    sentences: torch.Tensor
    """Where the candidates of each begin."""
    sentence_of_row: torch.Tensor
    has_choice: torch.Tensor
    """Of each sentence: whether its candidates differ in worth."""
    worths: torch.Tensor
    base: torch.Tensor
    dense: torch.Tensor
    rows: torch.Tensor
    """Where the entries of each candidate begin."""
    slots: torch.Tensor
    """Of each entry."""
    values: torch.Tensor
    slot_features: torch.Tensor
    sentence_of_slot: torch.Tensor
    by_slot: torch.Tensor
    """Where the entries of each slot begin in the next two."""
    rows_by_slot: torch.Tensor
    values_by_slot: torch.Tensor
    features: torch.Tensor
    """Those of all slots, each once."""
    stretches: torch.Tensor
    """Where stretches of slots of one feature begin in the last one: short ones, since some
    features are in every sentence."""
    by_feature: torch.Tensor
    """Where the stretches of each feature begin."""
    slots_by_feature: torch.Tensor

    @classmethod
    def of(
        cls, copy: WorkingCopy, worths: Vector, first: int, last: int, device: torch.device
    ) -> _Part:
        """Those of the sentences from `first` up to `last`."""

        def take(array: NDArray[Any], begin: int, end: int) -> torch.Tensor:
            return torch.from_numpy(np.array(array[begin:end])).to(device)

        def begins(offsets: NDArray[np.int64], begin: int, end: int) -> torch.Tensor:
            return take(offsets, begin, end + 1) - int(offsets[begin])

        def owners(offsets: torch.Tensor) -> torch.Tensor:
            numbers = torch.arange(len(offsets) - 1, dtype=torch.int32, device=device)
            return torch.repeat_interleave(numbers, offsets.diff())

        from_row, to_row = int(copy.offsets[first]), int(copy.offsets[last])
        from_entry, to_entry = int(copy.row_offsets[from_row]), int(copy.row_offsets[to_row])
        from_slot, to_slot = int(copy.feature_offsets[first]), int(copy.feature_offsets[last])
        sentences = begins(copy.offsets, first, last)
        sentence_of_row = owners(sentences)
        rows = begins(copy.row_offsets, from_row, to_row)
        row_of_entry = owners(rows)
        slot_offsets = begins(copy.feature_offsets, first, last)
        sentence_of_entry = sentence_of_row[row_of_entry]
        slots = take(copy.places, from_entry, to_entry)
        slots += slot_offsets[sentence_of_entry].int()
        values = take(copy.values, from_entry, to_entry)
        slot_features = take(copy.features, from_slot, to_slot)
        order = torch.sort(slots, stable=True).indices
        ordered = torch.sort(slot_features, stable=True)
        features, n_slots = torch.unique_consecutive(ordered.values, return_counts=True)
        of_feature = _offsets(n_slots)
        regular = torch.arange(0, len(slot_features), LONGEST_STRETCH, device=device)
        stretches = torch.unique(torch.cat([of_feature, regular]))
        worth = take(worths, from_row, to_row)
        lowest, highest = (_reduced(worth, way, sentences) for way in ("min", "max"))
        return cls(
            sentences=sentences,
            sentence_of_row=sentence_of_row,
            has_choice=lowest != highest,
            worths=worth,
            base=take(copy.base, from_row, to_row),
            dense=take(copy.dense, from_row, to_row),
            rows=rows,
            slots=slots,
            values=values,
            slot_features=slot_features,
            sentence_of_slot=owners(slot_offsets),
            by_slot=_offsets(torch.bincount(slots, minlength=to_slot - from_slot)),
            rows_by_slot=row_of_entry[order],
            values_by_slot=values[order],
            features=features,
            stretches=stretches,
            by_feature=torch.searchsorted(stretches, of_feature),
            slots_by_feature=ordered.indices.int(),
        )

    @property
    def n_bytes(self) -> int:
        """What it takes on its device."""
        return sum(tensor.nbytes for tensor in vars(self).values())

    def expectation(
        self, dense: torch.Tensor, sparse: torch.Tensor, scale: float
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The expected worth of every sentence, and what each candidate has in derivatives."""
        local = sparse[self.slot_features]
        scores = self.base + self.dense @ dense
        scores += _summed_many(local[self.slots] * self.values, self.rows)
        highest = _reduced(scores, "max", self.sentences)[self.sentence_of_row]
        posterior = torch.exp(scale * (scores - highest))
        posterior /= _summed(posterior, self.sentences)[self.sentence_of_row]
        means = _summed(posterior * self.worths, self.sentences)
        means = torch.where(self.has_choice, means, self.worths[self.sentences[:-1]])
        factors = posterior * scale * (self.worths - means[self.sentence_of_row])
        return means, factors * self.has_choice[self.sentence_of_row]

    def derivatives(self, factors: torch.Tensor) -> torch.Tensor:
        """By the weights of `features`."""
        terms = factors[self.rows_by_slot] * self.values_by_slot
        sums = _summed_many(terms, self.by_slot)
        if self.values.is_floating_point():
            sizes = _summed_many(terms.abs(), self.by_slot)
        else:  # counts are of the size of 1
            sizes = _summed(factors.abs(), self.sentences)[self.sentence_of_slot]
        sums[sums.abs() <= DUST * sizes] = 0
        of_stretches = _summed_many(sums[self.slots_by_feature], self.stretches)
        return _summed_many(of_stretches, self.by_feature)

    def dense_derivatives(self, factors: torch.Tensor) -> torch.Tensor:
        """By the weights of dense features."""
        if not self.dense.shape[1]:
            return self.dense.new_zeros(0)
        terms = factors[:, None] * self.dense
        sums, sizes = (_summed(values, self.sentences) for values in (terms, terms.abs()))
        sums[sums.abs() <= DUST * sizes] = 0
        return sums.sum(dim=0)


def _cuts(copy: WorkingCopy, most_entries: int) -> list[int]:
    """Sentences at which the lists are cut into parts of so many entries, or of one sentence."""
    ends = copy.row_offsets[copy.offsets]
    cuts = [0]
    while cuts[-1] < copy.n_sentences:
        until = int(np.searchsorted(ends, ends[cuts[-1]] + most_entries, side="right")) - 1
        cuts.append(min(max(until, cuts[-1] + 1), copy.n_sentences))
    return cuts


def _at_a_time(device: torch.device) -> int:
    """Entries that suit the memory of a device."""
    if device.type != "cuda":
        return MOST_ENTRIES
    memory: int = torch.cuda.get_device_properties(device).total_memory
    return min(MOST_GPU_ENTRIES, memory // GPU_BYTES_PER_ENTRY)


def _room_of(device: torch.device, copy: WorkingCopy) -> int:
    """Bytes of lists that may stay on a device."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return int(KEPT_SHARE * free)
    return 0 if copy.on_disk else NO_LIMIT


def _offsets(lengths: torch.Tensor) -> torch.Tensor:
    start = torch.zeros(1, dtype=torch.int64, device=lengths.device)
    return torch.cat([start, torch.cumsum(lengths, 0)])


def _summed(values: torch.Tensor, begins: torch.Tensor) -> torch.Tensor:
    """The sum of every stretch; 0 where it is empty."""
    return torch.segment_reduce(values, "sum", offsets=begins, axis=0, initial=0.0, unsafe=True)


def _summed_many(values: torch.Tensor, begins: torch.Tensor) -> torch.Tensor:
    """The same where stretches are many and short: on a GPU torch gives each a thread, not 256.

    A product with a sparse matrix takes a third of the time there, and other bits every time.
    """
    return _summed(values[:, None], begins)[:, 0]


def _reduced(values: torch.Tensor, way: str, begins: torch.Tensor) -> torch.Tensor:
    """The least or the most of every stretch; none is empty."""
    return torch.segment_reduce(values, way, offsets=begins, axis=0, unsafe=True)

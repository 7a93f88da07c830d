"""Finds gold lattices of training pairs, wherever an engine runs its tasks."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from calque import _core
from calque.config import ForceOptions, LeaveOneOutOptions
from calque.decode import Decoder, GoldLattices, SourceText, TrainingText
from calque.decode.gold import Prefixes
from calque.model import Model
from calque.parallel import Shared


class GoldFinder:
    """Forced decoding of the pairs that a model keeps: it can be pickled, and keeps no state."""

    def __init__(
        self,
        model: Model,
        options: ForceOptions,
        prefixes: Prefixes,
        leave_one_out: LeaveOneOutOptions | None,
    ) -> None:
        """Take a model that keeps its training text, of which the weights do not matter."""
        self._given = model, options, prefixes, leave_one_out

    def __reduce__(self) -> tuple[Any, ...]:
        return GoldFinder, self._given

    @cached_property
    def training(self) -> TrainingText:
        """The pairs; `ModelError` where the model does not keep them."""
        model, _, _, leave_one_out = self._given
        return TrainingText(model, leave_one_out)

    @cached_property
    def _decoder(self) -> Decoder:
        return Decoder.of(self._given[0])

    def part(self, pairs: range) -> tuple[SourceText, SourceText, _core.LeaveOneOut | None]:
        """Source and target sentences of some pairs, and what to leave out for each."""
        leaves_out = self._given[3] is not None
        left_out = self.training.left_out(pairs) if leaves_out else None
        return self.training.source(pairs), self.training.references(pairs), left_out

    def find(self, pairs: range, threads: int) -> GoldLattices:
        """The lattices of some pairs."""
        source, references, left_out = self.part(pairs)
        _, options, prefixes, _ = self._given
        return GoldLattices.find(
            self._decoder,
            source,
            references,
            options,
            prefixes=prefixes,
            leave_one_out=left_out,
            threads=threads,
        )


def found_lattices(finder: Shared[GoldFinder], threads: int, pairs: range) -> GoldLattices:
    """The task of an engine: the lattices of some pairs."""
    return finder.get().find(pairs, threads)

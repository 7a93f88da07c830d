from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from calque.decode import Decoder, GoldLattices, GoldText
from calque.model import Model
from calque.tune.force.gold_finder import GoldFinder


class GoldTexts:
    """Makes texts of lattices and the pairs that a model keeps; it can be pickled."""

    def __init__(
        self, finder: GoldFinder, models: Sequence[Model], n_pairs: int, size: int
    ) -> None:
        """Take who finds the lattices, and the models that score parts of so many pairs in turn."""
        self._given = finder, models, n_pairs, size

    def __reduce__(self) -> tuple[Any, ...]:
        return GoldTexts, self._given

    @cached_property
    def _decoders(self) -> list[Decoder]:
        return [Decoder.of(model) for model in self._given[1]]

    def pairs(self, at: int) -> range:
        """The sentence pairs of a part."""
        _, _, n_pairs, size = self._given
        return range(at * size, min((at + 1) * size, n_pairs))

    def text(self, at: int, lattices: GoldLattices) -> GoldText:
        """A part with its lattices, ready to be scored."""
        source, references, left_out = self._given[0].part(self.pairs(at))
        decoder = self._decoders[at % len(self._decoders)]
        return GoldText(decoder, source, references, lattices, leave_one_out=left_out)

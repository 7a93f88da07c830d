"""Gold lattices: all derivations that give a reference, found once and scored again and again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.config import DecodeOptions, ForceOptions, ReorderingOptions
from calque.decode.decoder import MEGABYTE, Decoder
from calque.decode.derivation_features import SparseRows
from calque.decode.source import SourceText
from calque.errors import CalqueError
from calque.features import Weights
from calque.parallel import n_workers

Prefixes = Literal["longest", "all", "none"]
"""Which prefix pairs stand for a sentence pair that is out of reach."""
Selection = Literal["maxviolation", "early", "standard", "localupdate"]
"""Which two derivations an update compares."""
Good = Literal["lattice", "all_prefixes"]
"""What may give the reference: states of its lattice, or whatever begins like it."""
STATES = ("later", "first", "last_end", "n_words")


@dataclass(frozen=True, eq=False)
class GoldLattices:
    """Lattices of sentence pairs, or of prefix pairs where a pair is out of reach.

    A lattice is a set of states without scores, all of which lead to the end of the reference; its
    steps are all blocks of the model that lead from one state to another (Yu et al. 2013, section
    3). So it holds under any weights, and takes some 5 bytes per state on disk. Lattices of rules
    have no states: their derivations are found anew when they are scored.
    """

    pairs: NDArray[np.int64]
    """Of each lattice, ascending; a pair has several where all its prefix pairs were asked for."""
    n_source: NDArray[np.int32]
    """Source words of the pair or of the prefix pair."""
    n_target: NDArray[np.int32]
    is_whole: NDArray[np.uint8]
    """0: of a prefix pair, in which no sentence ends."""
    offsets: NDArray[np.int64]
    """Where the states of each lattice begin."""
    later: NDArray[np.uint64]
    """Of a state, which words beyond the first free one are covered."""
    first: NDArray[np.uint16]
    """Of a state, the first source word that is not covered."""
    last_end: NDArray[np.uint16]
    """Of a state, the end of the last block."""
    n_words: NDArray[np.uint16]
    """Of a state, how many words of the reference were given."""
    n_pairs: int
    """How many pairs were searched."""
    n_too_large: int
    """How many of them were given up, being too long or too large."""

    @classmethod
    def find(
        cls,
        decoder: Decoder,
        source: SourceText,
        references: SourceText,
        options: ForceOptions,
        *,
        prefixes: Prefixes = "longest",
        leave_one_out: _core.LeaveOneOut | None = None,
        threads: int | None = None,
    ) -> GoldLattices:
        """The lattices of all pairs that forced decoding reaches, or reaches a prefix pair of."""
        shortest = options.min_prefix if prefixes != "none" else len(source.sentences.ids) + 1
        *arrays, n_too_large = decoder.any_core.find_gold(
            decoder.core_source(source),
            references.copies,
            references.sentences.offsets,
            decoder.space(options),
            leave_one_out,
            max_bytes=options.memory_mb * MEGABYTE,
            max_words=options.max_words,
            min_prefix=shortest,
            all_prefixes=prefixes == "all",
            threads=n_workers(threads),
        )
        given = [*arrays, len(source.sentences), n_too_large]
        values: dict[str, Any] = dict(
            zip((field.name for field in fields(cls)), given, strict=True)
        )
        return cls(**values)

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def n_states(self) -> int:
        """States of all lattices."""
        return len(self.later)

    @property
    def n_bytes(self) -> int:
        """The size in memory."""
        return sum(values.nbytes for values in vars(self).values() if hasattr(values, "nbytes"))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The form on disk: states as small as their largest number allows."""
        arrays = {field.name: np.asarray(getattr(self, field.name)) for field in fields(self)}
        for name in STATES:
            arrays[name] = arrays[name].astype(np.min_scalar_type(arrays[name].max(initial=0)))
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> GoldLattices:
        """What `to_arrays` gave; raises `CalqueError` where something is missing."""
        try:
            values: dict[str, Any] = {field.name: arrays[field.name] for field in fields(cls)}
        except KeyError as error:
            raise CalqueError(f"gold lattices: {error.args[0]} is missing") from None
        for name in STATES:
            values[name] = values[name].astype(np.uint64 if name == "later" else np.uint16)
        for name in ("n_pairs", "n_too_large"):
            values[name] = int(values[name])
        return cls(**values)

    @property
    def core(self) -> _core.GoldLattices:
        """The lattices as the core takes them."""
        return _core.GoldLattices(
            self.pairs,
            self.n_source,
            self.n_target,
            self.is_whole,
            self.offsets,
            self.later,
            self.first,
            self.last_end,
            self.n_words,
        )


class Violations(NamedTuple):
    """What is to be learned from some lattices: features that should have more or less weight."""

    bins: NDArray[np.int32]
    """Source words that the two derivations of each update cover, or of rules the number of the
    span in the order of the search; -1: there is no update."""
    margins: NDArray[np.float64]
    """Score of the one that should win minus that of the other; an update is valid at most at 0."""
    is_won: NDArray[np.bool_]
    """Whether the best of the beam gives the reference."""
    dense: NDArray[np.float64]
    """Features of the one that should win minus those of the other: a row per lattice, or one."""
    sparse: SparseRows

    @property
    def n_updates(self) -> int:
        """How many lattices there is something to learn from."""
        return int((self.bins >= 0).sum())

    @property
    def n_invalid(self) -> int:
        """Updates where the one that should win does so already."""
        return int((self.margins[self.bins >= 0] > 0).sum())


class GoldText:
    """Sentence pairs with their lattices, ready to be scored under any weights."""

    def __init__(
        self,
        decoder: Decoder,
        source: SourceText,
        references: SourceText,
        lattices: GoldLattices,
        *,
        leave_one_out: _core.LeaveOneOut | None = None,
    ) -> None:
        """Take the texts in which the lattices were found, and what was left out."""
        self.lattices = lattices
        self._decoder = decoder
        self._source = decoder.core_source(source)
        self._references = references.copies, references.sentences.offsets
        self._core = lattices.core
        self._leave_one_out = leave_one_out

    def __len__(self) -> int:
        return len(self.lattices)

    def scores(
        self, weights: Weights, rules: ReorderingOptions, *, threads: int | None = None
    ) -> list[NDArray[np.float64]]:
        """The score of the best derivation of each lattice in every bin.

        Bin i has the derivations that cover i source words; minus infinity where there are none.
        Of blocks only. `rules` are those under which the lattices were found.
        """
        scored = self._decoder.core.gold_scores(
            self._source,
            *self._references,
            self._core,
            self._decoder.core_weights(weights),
            self._decoder.core_search(DecodeOptions(**rules.rules())),
            self._leave_one_out,
            threads=n_workers(threads),
        )
        return np.split(scored, np.cumsum(self.lattices.n_source + 1)[:-1])

    def violations(
        self,
        chosen: NDArray[np.int64],
        weights: Weights,
        options: DecodeOptions,
        selection: Selection,
        *,
        good: Good = "lattice",
        future_in_margin: bool = False,
        total: bool = False,
        threads: int | None = None,
    ) -> Violations:
        """Where the beam search goes wrong on the pairs of some lattices (Yu et al. 2013).

        `options` have the rules under which the lattices were found. With `future_in_margin`,
        derivations are compared by their scores and what is still to come, as the beam ranks them.
        With `total`, differences are summed up over the lattices.
        """
        decoder = self._decoder
        bins, margins, is_won, dense, offsets, keys, counts = decoder.any_core.violations(
            self._source,
            *self._references,
            self._core,
            chosen,
            decoder.core_weights(weights),
            decoder.learning_search(options),
            decoder.limits(options),
            self._leave_one_out,
            selection=selection,
            future_in_margin=future_in_margin,
            all_prefixes=good == "all_prefixes",
            total=total,
            threads=n_workers(threads),
        )
        return Violations(
            bins,
            margins,
            is_won.astype(bool),
            dense.reshape(-1, len(decoder.feature_names)),
            SparseRows(offsets, keys, counts),
        )

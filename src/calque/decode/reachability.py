from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from calque import _core
from calque.decode.forcing import Found


@dataclass(frozen=True)
class Counts:
    """Sums over sentence pairs that were decoded under one distortion limit."""

    n_pairs: int = 0
    n_words: int = 0
    """Source words of all pairs."""
    n_reachable: int = 0
    """Pairs with a derivation of the whole reference."""
    n_reachable_words: int = 0
    n_prefix: int = 0
    """Pairs that are out of reach but have a prefix pair of use."""
    n_prefix_words: int = 0
    """Source words of those prefixes."""
    n_too_large: int = 0
    """Pairs that were not searched to the end: too long, or too many states."""
    log_derivations: float = 0.0
    """Sum of the logs of the number of derivations of each reachable pair."""

    def __add__(self, other: Counts) -> Counts:
        pairs = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return Counts(*(mine + theirs for mine, theirs in pairs))

    @property
    def sentences(self) -> float:
        """Share of sentence pairs that are reachable."""
        return _share(self.n_reachable, self.n_pairs)

    @property
    def words(self) -> float:
        """Share of source words in reachable pairs."""
        return _share(self.n_reachable_words, self.n_words)

    @property
    def sentences_with_prefixes(self) -> float:
        """Share of sentence pairs that are reachable or have a prefix pair of use."""
        return _share(self.n_reachable + self.n_prefix, self.n_pairs)

    @property
    def words_with_prefixes(self) -> float:
        """Share of source words in reachable pairs or in prefix pairs."""
        return _share(self.n_reachable_words + self.n_prefix_words, self.n_words)

    @property
    def derivations(self) -> float:
        """Geometric mean of the number of derivations of a reachable pair; 0 without any."""
        return math.exp(self.log_derivations / self.n_reachable) if self.n_reachable else 0.0


@dataclass(frozen=True)
class Row:
    """Sentence pairs of similar source length."""

    shortest: int
    longest: int
    """Source words, both ends included."""
    counts: tuple[Counts, ...]
    """One per distortion limit."""


@dataclass(frozen=True)
class Reachability:
    """How many sentence pairs can be derived, by distortion limit and by source length.

    The data of figures 6 and 7 of Yu et al. 2013.
    """

    limits: tuple[int, ...]
    rows: tuple[Row, ...]
    """By source length; lengths without pairs are left out."""
    total: tuple[Counts, ...]
    """One per distortion limit."""


def count(forced: Found | _core.Forced, n_words: int, min_prefix: int) -> Counts:
    """What one sentence pair of `n_words` source words adds to the sums."""
    reachable = forced.reachable
    prefix = 0 if reachable or forced.prefix_source < min_prefix else forced.prefix_source
    return Counts(
        n_pairs=1,
        n_words=n_words,
        n_reachable=int(reachable),
        n_reachable_words=n_words if reachable else 0,
        n_prefix=int(prefix > 0),
        n_prefix_words=prefix,
        n_too_large=int(forced.truncated),
        log_derivations=math.log(forced.n_derivations) if reachable else 0.0,
    )


def tabulate(
    counts: Mapping[tuple[int, int], Counts], limits: Sequence[int], width: int
) -> Reachability:
    """The table of counts by (limit, source length), `width` lengths to a row."""
    sums: dict[tuple[int, int], Counts] = {}
    for (limit, n_words), some in counts.items():
        key = limit, (n_words - 1) // width
        sums[key] = sums.get(key, Counts()) + some
    rows = tuple(
        Row(
            bucket * width + 1,
            (bucket + 1) * width,
            tuple(sums.get((limit, bucket), Counts()) for limit in limits),
        )
        for bucket in sorted({bucket for _, bucket in sums})
    )
    total = tuple(sum((row.counts[i] for row in rows), Counts()) for i in range(len(limits)))
    return Reachability(tuple(limits), rows, total)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0

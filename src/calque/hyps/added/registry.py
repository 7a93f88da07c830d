"""The features that can be added to lists, by name, and what each is computed from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError, OptionError
from calque.hyps.added.consensus import SCALE, consensus
from calque.hyps.added.language_model import language_model
from calque.hyps.added.lexical import lexical
from calque.hyps.added.material import ORDER, Material
from calque.hyps.added.support import support
from calque.hyps.added.surface import copies, length, repetition
from calque.hyps.added.words import bigrams, pairs, words
from calque.hyps.nbest import SPARSE_PREFIX, NBest, SparseColumns

PREFIX = "calque."
"""What the name of every added dense feature begins with: no decoder's own is taken for one."""
Compute = Callable[[Material], dict[str, NDArray[np.float64]]]
ComputeSparse = Callable[[Material], SparseColumns]


@dataclass(frozen=True)
class Family:
    """A function of lists that gives one or several features, or very many sparse ones."""

    compute: Compute | None = None
    columns: tuple[str, ...] = ()
    """The features, without the prefix; of sparse ones, which are named after words, none."""
    sparse: ComputeSparse | None = None
    source: bool = False
    """Whether it needs the source text."""
    model: bool = False
    """Whether it needs a model."""


FAMILIES: dict[str, Family] = {
    "language_model": Family(language_model, ("language_model", "lm_unknown"), model=True),
    "lexical": Family(
        lexical,
        ("source_given_target", "target_given_source", "unexplained_source", "unexplained_target"),
        source=True,
        model=True,
    ),
    "support": Family(
        support, tuple(f"support_{n}" for n in range(1, ORDER + 1)), source=True, model=True
    ),
    "length": Family(length, ("words", "length_ratio"), source=True),
    "repetition": Family(repetition, ("doubled_words", "repeated_bigrams")),
    "copies": Family(copies, ("copies",), source=True),
    "consensus": Family(consensus, ("consensus",)),
    "words": Family(sparse=words),
    "bigrams": Family(sparse=bigrams),
    "pairs": Family(sparse=pairs, source=True, model=True),
}
DEFAULT = ("language_model", "lexical")
"""What a model adds where nothing else is asked for."""


@dataclass(frozen=True)
class Addition:
    """One family to add; consensus may have a scale: `consensus:10`."""

    name: str
    scale: float | None = None

    @property
    def family(self) -> Family:
        """What the addition is made by."""
        return FAMILIES[self.name]

    @property
    def features(self) -> tuple[str, ...]:
        """The names of its dense features in lists and weights."""
        scaled = "" if self.scale is None else f":{self.scale:g}"
        return tuple(f"{PREFIX}{column}{scaled}" for column in self.family.columns)

    def given_to(self, nbest: NBest, material: Material) -> NBest:
        """The lists with the features, computed from what the lists were made into."""
        family = self.family
        if family.sparse is not None:
            return nbest.with_sparse(family.sparse(material))
        make = family.compute if self.scale is None else partial(consensus, scale=self.scale)
        assert make is not None
        values = make(material)
        for name, column in zip(self.features, family.columns, strict=True):
            nbest = nbest.with_feature(name, values[column])
        return nbest

    def is_in(self, names: Iterable[str]) -> bool:
        """Whether some of these features are of the addition."""
        begins = (f"{SPARSE_PREFIX}{self.name}:",) if self.family.sparse else ()
        return any(name in self.features or name.startswith(begins) for name in names)


def parse_additions(names: str) -> tuple[Addition, ...]:
    """The additions that `a,b,c` names; raises `OptionError` at what is none."""
    parsed: dict[Addition, None] = {}
    for name in names.split(","):
        addition = _parse(name.strip())
        if addition in parsed:
            raise OptionError(f"--add {names}: '{name.strip()}' is given twice")
        parsed[addition] = None
    return tuple(parsed)


def additions_in(features: Iterable[str]) -> tuple[Addition, ...]:
    """The additions that give the features whose names begin with one of the prefixes."""
    family_of = {column: name for name, family in FAMILIES.items() for column in family.columns}
    additions: dict[Addition, None] = {}
    sparse = [name for name, family in FAMILIES.items() if family.sparse]
    for feature in features:
        if feature.startswith(SPARSE_PREFIX):
            name = feature.removeprefix(SPARSE_PREFIX).partition(":")[0]
            if name not in sparse:
                raise CalqueError(f"'{feature}' is no feature that Calque can add to lists")
            additions[Addition(name)] = None
            continue
        if not feature.startswith(PREFIX):
            continue
        column, colon, scale = feature.removeprefix(PREFIX).partition(":")
        if column not in family_of:
            raise CalqueError(f"'{feature}' is no feature that Calque can add to lists")
        additions[_parse(family_of[column] + colon + scale)] = None
    return tuple(additions)


def _parse(text: str) -> Addition:
    name, colon, number = text.partition(":")
    if name not in FAMILIES:
        raise OptionError(f"--add {text}: expected some of {', '.join(FAMILIES)}")
    if not colon:
        return Addition(name)
    if name != "consensus":
        raise OptionError(f"--add {text}: only consensus takes a number")
    try:
        scale = float(number)
    except ValueError:
        scale = math.nan
    if not 0 <= scale < math.inf:
        raise OptionError(f"--add {text}: expected a number of at least 0, such as consensus:10")
    return Addition(name, None if scale == SCALE else scale)


def described(additions: Sequence[Addition]) -> str:
    """The additions as `--add` takes them."""
    return ",".join(
        addition.name if addition.scale is None else f"{addition.name}:{addition.scale:g}"
        for addition in additions
    )

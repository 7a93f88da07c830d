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

PREFIX = "calque."
"""What the name of every added feature begins with: no decoder's own is taken for one."""
Compute = Callable[[Material], dict[str, NDArray[np.float64]]]


@dataclass(frozen=True)
class Family:
    """A function of lists that gives one or several features."""

    compute: Compute
    columns: tuple[str, ...]
    """The features, without the prefix."""
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
        """The names of its features in lists and weights."""
        scaled = "" if self.scale is None else f":{self.scale:g}"
        return tuple(f"{PREFIX}{column}{scaled}" for column in self.family.columns)

    def compute(self, material: Material) -> NDArray[np.float64]:
        """A row per feature, a column per candidate."""
        family = self.family
        make = family.compute if self.scale is None else partial(consensus, scale=self.scale)
        found = make(material)
        return np.stack([found[column] for column in family.columns])


def parse_additions(names: str) -> tuple[Addition, ...]:
    """The additions that `a,b,c` names; raises `OptionError` at what is none."""
    found: dict[str, Addition] = {}
    for name in names.split(","):
        addition = _parse(name.strip())
        if addition.features[0] in found:
            raise OptionError(f"--add {names}: '{name.strip()}' is given twice")
        found[addition.features[0]] = addition
    return tuple(found.values())


def additions_in(features: Iterable[str]) -> tuple[Addition, ...]:
    """The additions that give the features whose names begin with the prefix."""
    family_of = {column: name for name, one in FAMILIES.items() for column in one.columns}
    found: dict[Addition, None] = {}
    for feature in features:
        if not feature.startswith(PREFIX):
            continue
        column, colon, scale = feature.removeprefix(PREFIX).partition(":")
        if column not in family_of:
            raise CalqueError(f"'{feature}' is no feature that Calque can add to lists")
        found[_parse(family_of[column] + colon + scale)] = None
    return tuple(found)


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
        one.name if one.scale is None else f"{one.name}:{one.scale:g}" for one in additions
    )

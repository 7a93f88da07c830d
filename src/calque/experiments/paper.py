"""What a recipe of a paper consists of, and what it gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from calque.experiments.claim import Claim
from calque.report.curves import Curve

if TYPE_CHECKING:
    from calque.experiments.bench import Bench

Entry: TypeAlias = "str | int | float | None"
"""What a table shows; `None` is a dash."""


@dataclass(frozen=True)
class Table:
    """A table with the figures of the paper beside ours."""

    caption: str
    heads: Sequence[str]
    rows: Sequence[Sequence[Entry]]


@dataclass(frozen=True)
class Figure:
    """Curves on the same axes."""

    caption: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]


@dataclass(frozen=True)
class Section:
    """One table of a paper, with the figures and claims that go with it."""

    title: str
    tables: Sequence[Table] = ()
    figures: Sequence[Figure] = ()
    claims: Sequence[Claim] = ()
    remarks: Sequence[str] = ()


Recipe: TypeAlias = "Callable[[Bench], Section]"


@dataclass(frozen=True)
class Paper:
    """A paper, and how each of its tables is made."""

    name: str
    citation: str
    about: str
    """What it is about, in a line."""
    pair: str
    """The generated corpus that it runs on where the user names none."""
    sizes: Mapping[str, int]
    """How many sentences that has, by split."""
    scale: float
    """The default of `--scale`."""
    rounds: str
    """What its rounds are, in full: `200 evaluations per descent`."""
    default_rounds: float | None = None
    """The default of `--rounds`, if not that of `--scale`."""
    sentences: str | None = None
    """What sentences are a matter of scale, if any: `training pairs that ..`."""
    sections: Mapping[str, Recipe] = field(default_factory=dict)
    """By the name of the table, as `--tables` takes them."""

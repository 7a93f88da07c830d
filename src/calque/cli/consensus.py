"""What `--consensus` and several systems mean, the same in every verb that has them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from calque.cli.common import Flags
from calque.config import ConsensusOptions
from calque.errors import OptionError

if TYPE_CHECKING:
    from calque.decode import Translator

ByConsensus = Annotated[
    bool,
    typer.Option(
        "--consensus",
        help="Take the candidate that agrees most with all others (minimum Bayes risk).",
    ),
]
Shares = Annotated[
    str | None,
    typer.Option(
        metavar="A,B", help="How much each system counts in the consensus; equally by default."
    ),
]


class Agreement(NamedTuple):
    """How a consensus is found."""

    options: ConsensusOptions
    shares: list[float] | None


def agreement(consensus: bool, shares: str | None, flags: Flags) -> Agreement | None:
    """What `--consensus` and the flags that go with it ask for."""
    if not consensus:
        if flags or shares is not None:
            raise OptionError("--consensus-length, -scale and -shares require --consensus")
        return None
    options = flags.applied_to(ConsensusOptions())
    if shares is None:
        return Agreement(options, None)
    try:
        return Agreement(options, [float(share) for share in shares.split(",")])
    except ValueError:
        raise OptionError(f"--consensus-shares {shares}: expected numbers, like 2,1") from None


def load_systems(models: Sequence[Path], weights: Sequence[str]) -> list[Translator]:
    """A translator of every model and weights.

    Several weights of one model are several systems, and so are several models, each with its
    active weights, with those of one name, or with those of its own name.
    """
    from calque.decode import load

    n_systems = max(len(models), len(weights), 1)
    if len(models) not in (1, n_systems) or len(weights) not in (0, 1, n_systems):
        raise OptionError(
            f"--model is given {len(models)} times and --weights {len(weights)} times: expected"
            " one model with several weights, or for every model its weights"
        )
    folders = list(models) * (n_systems // len(models))
    names = list(weights) * (n_systems // len(weights)) if weights else [None] * n_systems
    return [load(folder, name) for folder, name in zip(folders, names, strict=True)]

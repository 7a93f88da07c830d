"""`calque import` and `calque export`: models of other programs, in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calque.cli.common import ModelFolderOption, Quiet
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.errors import OptionError

FORMATS = ("moses",)
Format = Annotated[str, typer.Option(metavar="NAME", help=f"One of: {', '.join(FORMATS)}.")]


def import_(
    input: Annotated[Path, typer.Option(metavar="DIR", help="Folder with moses.ini."), READS],
    model: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the new model."), WRITES],
    format: Format = "moses",
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Import a complete model: phrase table, reordering table, ARPA and weights.

    Example: [bold]calque import --format moses --input moses-model --model model[/]
    """
    _check(format)
    from calque.model import ModelWriter
    from calque.model.moses import read_moses

    console = Console(quiet, log)
    ModelWriter(model).check()
    read_moses(input, console).save(model, {"imported": format})
    console.note(f"Next: calque translate --model {model} < TEXT")


def export(
    model: ModelFolderOption,
    output: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the other program."), WRITES
    ],
    format: Format = "moses",
    lossy: Annotated[
        bool,
        typer.Option("--lossy", help="Leave out what the other program does not have."),
    ] = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Export a model for another program.

    Example: [bold]calque export --format moses --model model --output moses-model[/]

    A class language model becomes one of a second factor of the target words. What Moses does not
    have, sparse features above all, is refused by name unless --lossy leaves it out.
    """
    _check(format)
    from calque.model import Model
    from calque.model.moses import write_moses

    console = Console(quiet, log)
    write_moses(Model.load(model), output, console, lossy=lossy)
    console.note(f"{output}: moses.ini, phrase and reordering tables, lm.arpa.gz")


def _check(format: str) -> None:
    if format not in FORMATS:
        raise OptionError(f"--format {format}: expected one of {', '.join(FORMATS)}")

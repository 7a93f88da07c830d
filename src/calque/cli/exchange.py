"""`calque import` and `calque export`: models of other programs, in and out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calque.cli.common import Flags, ModelFolderOption, Quiet, with_flags
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.config import GrammarOptions
from calque.errors import OptionError

IMPORTED, EXPORTED = ("moses", "hiero"), ("moses",)
"""Formats that are read, and that are written."""
Format = Annotated[str, typer.Option(metavar="NAME", help=f"One of: {', '.join(EXPORTED)}.")]


@with_flags(GrammarOptions)
def import_(
    flags: Flags,
    input: Annotated[
        Path,
        typer.Option(metavar="F", help="Folder with moses.ini, or the file of a grammar (hiero)."),
        READS,
    ],
    model: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the new model."), WRITES],
    format: Annotated[
        str, typer.Option(metavar="NAME", help=f"One of: {', '.join(IMPORTED)}.")
    ] = "moses",
    arpa: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Language model that goes with a grammar (hiero)."),
        READS,
    ] = None,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Import a complete model of Moses, or a grammar of Hiero, cdec or Joshua.

    From Moses: phrase and reordering tables, or a rule table and a glue grammar, together with the
    language model (ARPA) and the weights:

    [bold]calque import --input moses-model --model model[/]

    From Hiero, cdec or Joshua: a grammar and, in a file of its own, a language model. The weights
    still have to be tuned:

    [bold]calque import --format hiero --input grammar.gz --arpa lm.arpa --model model
      --scores -,MaxLexFgivenE,EgivenFCoherent,MaxLexEgivenF[/]
    """
    _check(format, IMPORTED)
    from calque.model import ModelWriter
    from calque.model.hiero import read_hiero
    from calque.model.moses import read_moses

    console = Console(quiet, log)
    if format == "moses":
        if arpa is not None or flags:
            raise OptionError("--arpa, --scores and --score-values are for --format hiero")
        ModelWriter(model).check()
        imported = read_moses(input, console)
    else:
        if arpa is None:
            raise OptionError("--format hiero needs a language model: give --arpa F, too")
        options = flags.applied_to(GrammarOptions())
        ModelWriter(model).check()
        imported = read_hiero(input, arpa, options, console)
    imported.save(model, {"imported": format})
    if format == "moses":
        console.note(f"Next: calque translate --model {model} < TEXT")
    else:
        console.note(f"Next: calque tune --model {model} --source F --reference F --method mira")


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

    [bold]calque export --format moses --model model --output moses-model[/]

    A class language model becomes a language model of a second factor of the target words. Rules
    with gaps become a table and a glue grammar for Moses's chart decoder. Whatever Moses lacks is
    named and refused, unless --lossy leaves it out: above all sparse features and, with rules, a
    class language model.
    """
    _check(format, EXPORTED)
    from calque.model import Model
    from calque.model.moses import write_moses

    console = Console(quiet, log)
    loaded = Model.load(model)
    write_moses(loaded, output, console, lossy=lossy)
    is_of_rules = loaded.decode_options.engine == "chart"
    tables = "rules and glue grammar" if is_of_rules else "phrase and reordering tables"
    console.note(f"{output}: moses.ini, {tables}, lm.arpa.gz")


def _check(format: str, formats: tuple[str, ...]) -> None:
    if format not in formats:
        raise OptionError(f"--format {format}: expected one of {', '.join(formats)}")

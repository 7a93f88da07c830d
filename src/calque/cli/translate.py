from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from calque.cli.common import (
    Flags,
    LeaveOneOut,
    ModelFolderOption,
    PassThrough,
    Quiet,
    Terminology,
    Threads,
    WeightsName,
    left_out,
    with_flags,
)
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.stream import is_seen, is_typed, lines_as_they_come
from calque.config import DecodeOptions, LeaveOneOutOptions
from calque.errors import OptionError
from calque.progress import SILENT, Progress
from calque.text import open_output, read_lines


@with_flags(LeaveOneOutOptions, leave_out=("what",), argument="unseen")
@with_flags(DecodeOptions)
def translate(
    model: ModelFolderOption,
    flags: Flags,
    unseen: Flags,
    input: Annotated[
        Path, typer.Option(metavar="F", help="Sentences, one per line; - is standard input."), READS
    ] = Path("-"),
    output: Annotated[
        Path, typer.Option(metavar="F", help="Translations; - is standard output."), WRITES
    ] = Path("-"),
    nbest: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Length of n-best lists.")
    ] = None,
    nbest_output: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write the n-best lists here (Moses format)."),
        WRITES,
    ] = None,
    derivations: Annotated[
        bool,
        typer.Option("--derivations", help="List every derivation, also those of equal words."),
    ] = False,
    terminology: Terminology = None,
    pass_through: PassThrough = None,
    graph: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write the translation graphs here: JSON lines, or .dot."),
        WRITES,
    ] = None,
    leave_one_out: LeaveOneOut = None,
    weights: WeightsName = None,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """Translate text, line by line, as plain or tokenised as the model was trained.

    [bold]calque translate --model model < test.de > out.en[/]

    At a terminal, and between two programs, every line is answered at once:

      [bold]calque translate --model model[/]

    [bold]calque translate --model model --input test.de --output out.en
    --nbest 100 --nbest-output out.nbest --distortion-limit 8[/]

    [bold]calque translate --model model --input test.de --output out.en
    --terminology terms.tsv --pass-through '<[^>]+>'[/]

    [bold]calque translate --model model --input train.de --output train.out
    --nbest 100 --nbest-output train.nbest --leave-one-out counts[/]
    """
    if (nbest is None) != (nbest_output is None):
        raise OptionError("--nbest N and --nbest-output F go together")
    if derivations and nbest is None:
        raise OptionError("--derivations is about n-best lists: give --nbest N too")
    if graph is not None and (terminology is not None or pass_through is not None):
        raise OptionError(
            "--graph knows no constraints: no --terminology or --pass-through with it"
        )
    forgotten = left_out(leave_one_out, unseen)
    if forgotten is not None and (graph or terminology or pass_through):
        raise OptionError("--leave-one-out goes without --graph, --terminology and --pass-through")
    from calque.decode import load
    from calque.hyps import list_of_translations, nbest_lines

    translator = load(model, weights)
    translator.options = flags.applied_to(translator.options)
    terms = None if terminology is None else translator.terminology(terminology)
    console = Console(quiet)
    with ExitStack() as stack:
        out = stack.enter_context(open_output(output))
        lists = stack.enter_context(open_output(nbest_output)) if nbest_output else None
        graphs = stack.enter_context(open_output(graph)) if graph else None
        shows_bar = not is_typed(input) and not is_seen(output)
        progress: Progress = console if shows_bar else SILENT
        stage = stack.enter_context(progress.stage("translate", _n_lines(input)))

        def groups() -> Iterator[list[str]]:
            for lines in lines_as_they_come(input, console, out):
                if graphs is not None:
                    dot = _is_dot(graph)
                    graphs.writelines(translator.graph(line).to_text(dot=dot) for line in lines)
                yield lines

        translations = translator.n_best_of_groups(
            groups(),
            nbest or 1,
            distinct=not derivations,
            with_sparse=lists is not None,
            terminology=terms,
            pass_through=pass_through,
            leave_one_out=forgotten,
            threads=threads,
        )
        for index, found in enumerate(translations):
            out.write(found[0].text + "\n")
            if lists is not None:
                lists.writelines(nbest_lines(list_of_translations(index, found)))
            stage.advance()


def _n_lines(path: Path) -> int | None:
    """How many lines there are, for the progress bar; unknown for a stream."""
    return sum(1 for _ in read_lines(path)) if path.is_file() else None


def _is_dot(path: Path | None) -> bool:
    return path is not None and path.suffix in (".dot", ".gv")

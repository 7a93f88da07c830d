from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calque.cli.common import Quiet
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.errors import OptionError


def rerank(
    nbest: Annotated[
        Path, typer.Option(metavar="F", help="N-best lists: Moses, Joshua, JSON."), READS
    ],
    weights: Annotated[
        Path, typer.Option(metavar="W", help="Weights by name, as tune wrote them."), READS
    ],
    output: Annotated[
        Path,
        typer.Option(metavar="F", help="The best of every list; - is standard output."),
        WRITES,
    ] = Path("-"),
    nbest_output: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write the lists here, sorted, with the new totals."),
        WRITES,
    ] = None,
    format: Annotated[
        str, typer.Option(help="Format of these lists: moses, joshua or json.")
    ] = "moses",
    source: Annotated[
        Path | None,
        typer.Option(
            metavar="F", help="The source sentences, if tuning added features that need them."
        ),
        READS,
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The model, if tuning added features that need it."),
        READS,
    ] = None,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Re-rank the n-best lists of any decoder with tuned weights.

    [bold]calque rerank --nbest test.nbest.gz --weights w.txt --output out.en[/]

    [bold]calque rerank --nbest test.nbest.gz --weights w.txt --model model --source test.de
    --output out.en[/]

    Features that calque tune --add computed are computed again; the names in the weights say which.
    """
    from calque.hyps import FORMATS, read_nbest, rescored, write_nbest
    from calque.hyps.added import Additions, additions_in
    from calque.hyps.weights import read_weights
    from calque.text import write_lines

    if format not in FORMATS:
        raise OptionError(f"--format {format}: expected one of {', '.join(FORMATS)}")
    console = Console(quiet, log)
    by_name = read_weights(weights)
    found = read_nbest(nbest)
    for line in found.missing():
        console.warn(line)
    lacking = additions_in(name for name in by_name if name not in found.names)
    enriched = Additions(lacking, source, model).to(found, nbest, console)
    ranked = rescored(enriched, by_name, nbest)
    write_lines(output, [ranked.texts[at] for at in ranked.offsets[:-1]])
    if nbest_output is not None:
        write_nbest(nbest_output, ranked, format)  # type: ignore[arg-type]  # checked above

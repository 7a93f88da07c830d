from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from calque.cli.common import Flags, Quiet, with_flags
from calque.cli.consensus import ByConsensus, Shares, agreement
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.config import ConsensusOptions
from calque.errors import OptionError

if TYPE_CHECKING:
    from calque.hyps import NBest


@with_flags(ConsensusOptions, argument="consent", prefix="consensus_")
def rerank(
    nbest: Annotated[
        list[Path],
        typer.Option(
            metavar="F", help="N-best lists: Moses, Joshua, JSON; several with --consensus."
        ),
        READS,
    ],
    consent: Flags,
    weights: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="W",
            help="Weights by name, as tune wrote them. With --consensus one file for all lists, one"
            " for each, or none: then the totals in the lists count.",
        ),
        READS,
    ] = None,
    consensus: ByConsensus = False,
    consensus_shares: Shares = None,
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
        str, typer.Option(metavar="NAME", help="Format of these lists: moses, joshua or json.")
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

    One translation from the lists of several systems, the one that agrees most with all of them:

    [bold]calque rerank --nbest a.nbest.gz --nbest b.nbest.gz --consensus --output out.en[/]
    """
    from calque.hyps import FORMATS, by_consensus, write_nbest
    from calque.text import write_lines

    if format not in FORMATS:
        raise OptionError(f"--format {format}: expected one of {', '.join(FORMATS)}")
    agreed = agreement(consensus, consensus_shares, consent)
    files: list[Path | None] = [*(weights or ())] or [None]
    if agreed is None and (len(nbest) > 1 or len(files) > 1):
        raise OptionError("several --nbest or --weights require --consensus")
    if agreed is None and files == [None]:
        raise OptionError("--weights W is missing; only --consensus can do without")
    if len(files) not in (1, len(nbest)):
        raise OptionError(
            f"{len(files)} files of --weights for {len(nbest)} of --nbest: expected one for all, or"
            " one for each"
        )
    console = Console(quiet, log)
    each = files * (len(nbest) // len(files))
    systems = [
        _ranked(path, file, source, model, console) for path, file in zip(nbest, each, strict=True)
    ]
    ranked = systems[0] if agreed is None else by_consensus(systems, agreed.shares, agreed.options)
    write_lines(output, [ranked.texts[at] for at in ranked.offsets[:-1]])
    if nbest_output is not None:
        write_nbest(nbest_output, ranked, format)  # type: ignore[arg-type]  # checked above


def _ranked(
    nbest: Path, weights: Path | None, source: Path | None, model: Path | None, console: Console
) -> NBest:
    """The lists of a file, sorted by the weights where there are any."""
    from calque.hyps import read_nbest, rescored
    from calque.hyps.added import Additions, additions_in
    from calque.hyps.weights import read_weights

    lists = read_nbest(nbest)
    if weights is None:
        return lists
    by_name = read_weights(weights)
    for line in lists.missing():
        console.warn(line)
    there = set(lists.names)
    lacking = tuple(
        addition
        for addition in additions_in(name for name in by_name if name not in there)
        if not addition.is_in(there)  # of sparse ones, lists have some and weights have others
    )
    enriched = Additions(lacking, source, model).to(lists, nbest, console)
    return rescored(enriched, by_name, nbest)

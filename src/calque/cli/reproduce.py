from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from calque.cli.common import Json, Quiet, Threads, print_json
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.errors import OptionError
from calque.experiments.registry import find_paper, paper_names
from calque.parallel import n_workers

if TYPE_CHECKING:
    from calque.experiments.reproduce import Reproduction

COLOURS = {"holds": "green", "does not hold": "red", "not significant": "yellow"}


def reproduce(
    paper: Annotated[
        str, typer.Argument(metavar="PAPER", help=f"One of {', '.join(paper_names())}.")
    ],
    corpus: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder with train.de, train.en, dev.de, dev.en (or dev.en.0, dev.en.1, ...) and"
            " the same for test, with spaces between words. The generated corpus by default.",
        ),
        READS,
    ] = None,
    languages: Annotated[
        str | None,
        typer.Option(
            metavar="S-T", help="Source and target: de-fr. English is the default target."
        ),
    ] = None,
    scale: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Share of the paper's effort, at most 1: of its rounds and, where weights are"
            " learned on the training text, of its sentences. By default, the generated corpus"
            " takes minutes.",
        ),
    ] = None,
    rounds: Annotated[
        float | None,
        typer.Option(metavar="X", help="Share of the rounds where it is not that of --scale."),
    ] = None,
    tables: Annotated[
        str | None, typer.Option(metavar="A,B", help="Only these tables; all by default.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of the trainings.")] = 1,
    seeds: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Number of trainings, with seeds from --seed on."),
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for everything; reproduce/PAPER by default."),
        WRITES,
    ] = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Reproduce the tables and figures of a paper on a corpus, and say which of its claims hold.

    An interrupted run continues where it stopped. Results for other corpora, scales and seeds are
    kept.

    [bold]calque reproduce simplex[/]

    [bold]calque reproduce relevant-set --corpus data/de-en --scale 0.2 --tables VI,VII[/]
    """
    wanted = find_paper(paper)
    console = Console(quiet or json, log)
    from calque.experiments.bench import Bench
    from calque.experiments.corpus import generated_corpus, read_corpus
    from calque.experiments.reproduce import reproduce as run

    out = out or Path("reproduce") / paper
    if corpus is not None:
        text = read_corpus(corpus, languages)
    elif languages is not None:
        raise OptionError("--languages requires --corpus DIR")
    else:
        folder = out / "corpus" / wanted.pair
        text = generated_corpus(folder, wanted.pair, wanted.sizes, n_workers(threads), console)
    if scale is None:
        scale, rounds = wanted.scale, rounds or wanted.default_rounds
    bench = Bench(
        text,
        out,
        scale=scale,
        rounds=rounds,
        seeds=tuple(range(seed, seed + seeds)),
        threads=threads,
        progress=console,
    )
    names = [] if tables is None else [name.strip() for name in tables.split(",")]
    reproduction = run(wanted, bench, names)
    if json:
        print_json(reproduction.to_json())
        return
    console.print(_table(reproduction))
    console.note(f"Wrote {out / 'report.html'}, report.md and result.json; open the first.")


def _table(reproduction: Reproduction) -> Table:
    from calque.experiments.entries import SUMMARY, summary

    table = Table(*SUMMARY, box=None, header_style="bold")
    for *cells, verdict in summary(reproduction.sections):
        table.add_row(*map(escape, cells), f"[{COLOURS[verdict]}]{verdict}[/]")
    return table

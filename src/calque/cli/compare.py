from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.markup import escape
from rich.table import Table

from calque.cli.common import Flags, Json, Quiet, check_output, print_json, with_flags
from calque.cli.console import Console
from calque.cli.evaluation import (
    DEFAULT_METRICS,
    MetricFlags,
    Metrics,
    MetricSet,
    References,
    Scores,
    SystemFiles,
    Tokenize,
    make_metrics,
    parse_systems,
    read_parallel,
    read_sentences,
)
from calque.cli.files import READS, WRITES, FileRole
from calque.config import CompareOptions
from calque.errors import OptionError

if TYPE_CHECKING:
    from calque.report import MetricComparison, SystemsComparison

FEW_SENTENCES = 20
"""Below this a bootstrap knows too few sentences to tell how others would vary."""


def _files_of_systems(values: list[str]) -> list[Path]:
    return [run for one in parse_systems(values) for run in one.runs]


SYSTEM_FILES = FileRole(writes=False, paths=_files_of_systems)


@with_flags(CompareOptions)
def compare(
    reference: References,
    system: Annotated[
        list[str],
        typer.Option(
            metavar="[NAME=]F[,F..]",
            help="A system: its translations, one file per run. The first system is the baseline.",
        ),
        SYSTEM_FILES,
    ],
    flags: Flags,
    source: Annotated[
        Path | None, typer.Option(metavar="F", help="Source sentences, to show in the page."), READS
    ] = None,
    metric: Metrics = DEFAULT_METRICS,
    tokenize: Tokenize = None,
    set: MetricSet = None,
    scores: Scores = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write a page with the sentences that differ most."),
        WRITES,
    ] = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Test whether one system is better than another, on the same sentences.

    [bold]calque compare --reference ref.en --system old.en --system new.en --html new.html[/]

    Several runs of an optimiser, which ended with different weights, count as one system:

      [bold]calque compare --reference ref.en --system mert=mert1.en,mert2.en,mert3.en
      --system 'pro=runs/pro*.en'[/]

    The verdict is that of paired approximate randomisation or, with several runs, of the paired
    bootstrap over sentences and runs. See docs/evaluation.md.
    """
    options = flags.applied_to(CompareOptions())
    files = parse_systems(system)
    if len(files) < 2:
        raise OptionError("give --system at least twice: the baseline and what to compare with it")
    if source is not None and html is None:
        raise OptionError("--source requires --html F: only that page shows the source")
    if html is not None:
        check_output(html)
    first = files[0].runs[0]
    n_lines = len(read_sentences(first))
    references = [read_parallel(path, n_lines, first) for path in reference]
    sources = None if source is None else read_parallel(source, n_lines, first)
    from calque.report import System, compare_systems, comparison_page
    from calque.report.comparison import label
    from calque.text import open_output

    systems = [
        System(one.name, tuple(read_parallel(run, n_lines, first) for run in one.runs))
        for one in files
    ]
    wanted = MetricFlags(metric, tokenize, set, scores)
    metrics = make_metrics(wanted, sum(len(one.runs) for one in files), n_lines)
    console = Console(quiet or json)
    if n_lines < FEW_SENTENCES:
        console.warn(f"{n_lines} sentences tell little: expect at least {FEW_SENTENCES}")
    found = compare_systems(systems, references, metrics, options, console)
    if html is not None:
        with open_output(html) as page:
            page.write(comparison_page(found, references, sources))
    if json:
        print_json(_plain(found, files))
        return
    console.print(_table(found))
    console.print()
    for i in range(1, len(found.systems)):
        for one in found.metrics:
            console.print(escape(found.verdict(one, i)))
    console.print()
    for one in found.metrics:
        console.print(f"[dim]{label(one.metric.name)}: {escape(one.signature)}[/]")
    if html is not None:
        console.note(f"{html}: the sentences that differ most")


def _table(found: SystemsComparison) -> Table:
    from calque.report import tabulate

    heads, rows = tabulate(found)
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column, head in enumerate(heads):
        # Folded where the terminal is narrow: a digit that is cut off is a wrong number.
        side: Literal["left", "right"] = "left" if column < 2 else "right"
        table.add_column(escape(head), justify=side, overflow="fold", min_width=6)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    return table


def _plain(found: SystemsComparison, files: list[SystemFiles]) -> dict[str, Any]:
    return {
        "options": asdict(found.options),
        "systems": [{"name": one.name, "runs": [str(path) for path in one.runs]} for one in files],
        "metrics": [_plain_metric(found, one) for one in found.metrics],
    }


def _plain_metric(found: SystemsComparison, one: MetricComparison) -> dict[str, Any]:
    names = [system.name for system in found.systems]
    scores = zip(names, one.comparison.systems, strict=True)
    differences = enumerate(one.comparison.differences, 1)
    return {
        "metric": one.metric.name,
        "higher_is_better": one.metric.higher_is_better,
        "signature": one.signature,
        "scores": [{"system": name, **asdict(score)} for name, score in scores],
        "differences": [
            {
                "system": names[i],
                "baseline": names[0],
                **asdict(difference),
                "is_better": found.is_better(one, i),
                "verdict": found.verdict(one, i),
            }
            for i, difference in differences
        ],
    }

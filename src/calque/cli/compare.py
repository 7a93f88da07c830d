from __future__ import annotations

from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from rich.markup import escape
from rich.table import Table

from calque.cli.common import Flags, Json, Quiet, check_output, print_json, with_flags
from calque.cli.console import Console
from calque.cli.evaluation import (
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
    warn_of_tokens,
)
from calque.cli.files import READS, WRITES, FileRole
from calque.cli.log import Log
from calque.config import CompareOptions
from calque.errors import OptionError

if TYPE_CHECKING:
    from calque.report import MetricComparison, SystemsComparison


class TableFormat(StrEnum):
    """How a table is written."""

    text = "text"
    markdown = "markdown"
    csv = "csv"
    latex = "latex"


FEW_SENTENCES = 20
"""Below this a bootstrap knows too few sentences to tell how others would vary."""


def _files_of_systems(values: list[str]) -> list[Path]:
    return [run for system in parse_systems(values) for run in system.runs]


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
    metric: Metrics = None,
    tokenize: Tokenize = None,
    set: MetricSet = None,
    scores: Scores = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write a page with the sentences that differ most."),
        WRITES,
    ] = None,
    format: Annotated[
        TableFormat,
        typer.Option(
            metavar="NAME",
            help="Format of the table: text, markdown, csv or latex; all but text are for"
            " programs.",
        ),
    ] = TableFormat.text,
    json: Json = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Test whether one system is better than another, on the same sentences.

    [bold]calque compare --reference ref.en --system old.en --system new.en --html new.html[/]

    [bold]calque compare --reference ref.en --system old.en --system new.en --format latex[/]

    Several runs of an optimiser, which ended with different weights, count as one system:

    [bold]calque compare --reference ref.en --system mert=mert1.en,mert2.en,mert3.en
      --system 'pro=runs/pro*.en'[/]

    The verdict comes from paired approximate randomisation or, if systems have several runs, from
    the paired bootstrap over sentences and runs. See docs/evaluation.md.
    """
    if json and format is not TableFormat.text:
        raise OptionError(f"--json and --format {format.value} are both given: expected one")
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
        System(named.name, tuple(read_parallel(run, n_lines, first) for run in named.runs))
        for named in files
    ]
    wanted = MetricFlags(metric, tokenize, set, scores)
    metrics = make_metrics(wanted, sum(len(named.runs) for named in files), n_lines)
    console = Console(quiet or json, log)
    for named, texts in zip(files, systems, strict=True):
        for path, lines in zip(named.runs, texts.runs, strict=True):
            warn_of_tokens(console, path, lines, metrics)
    if n_lines < FEW_SENTENCES:
        console.warn(f"{n_lines} sentences tell little: expect at least {FEW_SENTENCES}")
    comparison = compare_systems(systems, references, metrics, options, console)
    if html is not None:
        with open_output(html) as page:
            page.write(comparison_page(comparison, references, sources))
    if json:
        print_json(_plain(comparison, files))
        return
    if format is not TableFormat.text:
        print(_formatted(comparison, format), end="")
        return
    for table in _tables(comparison, console):
        console.print(table)
        console.print()
    for i in range(1, len(comparison.systems)):
        for of_metric in comparison.metrics:
            console.print(escape(comparison.verdict(of_metric, i)))
    console.print()
    for of_metric in comparison.metrics:
        name, signature = label(of_metric.metric.name), escape(of_metric.signature)
        console.print_whole(f"[dim]{name}: {signature}[/]")
    if html is not None:
        console.note(f"{html}: the sentences that differ most")


def _tables(comparison: SystemsComparison, console: Console) -> list[Table]:
    """The table, or where the terminal is too narrow for it one of scores, one of differences."""
    from calque.report import tabulate
    from calque.report.comparison import NAME_COLUMNS

    heads, rows = tabulate(comparison)
    whole = _table(heads, rows)
    if console.fits(whole):
        return [whole]
    first = next(i for i, head in enumerate(heads) if head.startswith("difference"))
    names = slice(NAME_COLUMNS)
    scores = _table(heads[:first], [row[:first] for row in rows])
    filled = _repeating_metric(rows)
    compared = [row[names] + row[first:] for row in filled if row[first]]
    return [scores, _table(heads[names] + heads[first:], compared)]


def _repeating_metric(rows: list[list[str]]) -> list[list[str]]:
    """The rows with the metric in all of them, not only where it changes."""
    metric, filled = "", []
    for row in rows:
        metric = row[0] or metric
        filled.append([metric, *row[1:]])
    return filled


def _table(heads: list[str], rows: list[list[str]]) -> Table:
    from calque.report.comparison import NAME_COLUMNS

    table = Table(box=None, header_style="bold", pad_edge=False)
    for column, head in enumerate(heads):
        # Folded where the terminal is narrow: a digit that is cut off is a wrong number.
        side: Literal["left", "right"] = "left" if column < NAME_COLUMNS else "right"
        table.add_column(escape(head), justify=side, overflow="fold", min_width=6)
    for row in rows:
        table.add_row(*(escape(cell) for cell in row))
    return table


def _formatted(comparison: SystemsComparison, format: TableFormat) -> str:
    from calque.report import figures, tabulate
    from calque.report.comparison import NAME_COLUMNS
    from calque.report.tables import csv_table, latex_table, markdown_table

    if format is TableFormat.csv:
        return csv_table(*figures(comparison))
    make = markdown_table if format is TableFormat.markdown else latex_table
    return make(*tabulate(comparison), n_names=NAME_COLUMNS)


def _plain(comparison: SystemsComparison, files: list[SystemFiles]) -> dict[str, Any]:
    return {
        "options": asdict(comparison.options),
        "systems": [
            {"name": named.name, "runs": [str(path) for path in named.runs]} for named in files
        ],
        "metrics": [_plain_metric(comparison, each) for each in comparison.metrics],
    }


def _plain_metric(comparison: SystemsComparison, of_metric: MetricComparison) -> dict[str, Any]:
    names = [system.name for system in comparison.systems]
    scores = zip(names, of_metric.comparison.systems, strict=True)
    differences = enumerate(of_metric.comparison.differences, 1)
    return {
        "metric": of_metric.metric.name,
        "higher_is_better": of_metric.metric.higher_is_better,
        "signature": of_metric.signature,
        "scores": [{"system": name, **asdict(score)} for name, score in scores],
        "differences": [
            {
                "system": names[i],
                "baseline": names[0],
                **asdict(difference),
                "is_better": comparison.is_better(of_metric, i),
                "verdict": comparison.verdict(of_metric, i),
            }
            for i, difference in differences
        ],
    }

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calque.cli.common import Quiet, check_output
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.text import open_output


def report(
    runs: Annotated[
        list[Path],
        typer.Argument(metavar="RUN", help="Run folders, as calque tune writes them."),
        READS,
    ],
    out: Annotated[Path, typer.Option(metavar="F", help="The page."), WRITES] = Path("report.html"),
    quiet: Quiet = False,
) -> None:
    """Draw runs side by side: learning curves, final scores, weights, examples.

    The page is a single self-contained HTML file.

    [bold]calque report runs/mert runs/simplex --out report.html[/]
    """
    check_output(out)
    from calque.report import read_runs
    from calque.report import report as make_report

    page = make_report(read_runs(runs))
    with open_output(out) as file:
        file.write(page)
    Console(quiet).note(f"wrote {out}: open it in a browser")

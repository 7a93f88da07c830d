from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.table import Table

from calque.cli.common import Json, ModelFolderOption, Quiet, Threads, print_json
from calque.cli.console import Console
from calque.cli.evaluation import read_sentences
from calque.cli.files import READS
from calque.cli.log import Log
from calque.errors import CalqueError, OptionError
from calque.text import read_lines

if TYPE_CHECKING:
    from calque.tune.cost_curve import OperatingPoint

UNIFORM = "uniform"
"""The name of weights that every model has without storing them: 1 for every feature."""
METRICS = "bleu,nist"
SCALES = "0.25,0.5,1,2,4"


def curve(
    model: ModelFolderOption,
    source: Annotated[
        Path, typer.Option(metavar="F", help="Source sentences, one per line."), READS
    ],
    reference: Annotated[
        list[Path], typer.Option(metavar="F", help="References; repeat for several sets."), READS
    ],
    weights: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"Weights of the model, or '{UNIFORM}'; repeat to compare. The active ones by"
            " default.",
        ),
    ] = None,
    scales: Annotated[
        str,
        typer.Option(
            metavar="X,X..",
            help="Factors by which all weights are multiplied, separated by commas.",
        ),
    ] = SCALES,
    equal: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Compare at equal cost instead: the cost of these weights, within 1 %.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME,..",
            help=f"Metrics, separated by commas or repeated ({METRICS} by default).",
        ),
    ] = None,
    tokenize: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="How metrics split words; 'none' for text that is tokenised."
        ),
    ] = "13a",
    stack_size: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Hypotheses kept per stack; as in tune --method simplex."
        ),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="X",
            help="Drop hypotheses this far below the best; as in tune --method simplex.",
        ),
    ] = None,
    json: Json = False,
    threads: Threads = None,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Show how scores grow with search effort, the number of hypotheses that are tried.

    With threshold pruning, smaller weights keep more hypotheses. To compare weights fairly, compare
    them at the same cost:

    [bold]calque curve --model model --source test.de --reference test.en
      --weights simplex --weights uniform --equal uniform[/]
    """
    steps = _numbers(scales)
    references = [list(read_lines(path)) for path in reference]
    sources = read_sentences(source)
    for path, lines in zip(reference, references, strict=True):
        if len(lines) != len(sources):
            raise CalqueError(
                f"{source} has {len(sources):,} lines, but {path} has {len(lines):,}:"
                " expected equal numbers"
            )
    from calque.features import Weights
    from calque.metrics import make_metric
    from calque.model import Model
    from calque.tune.cost_curve import operating_points, working_point
    from calque.tune.evaluation import FullDecoding
    from calque.tune.methods.simplex import SimplexOptions

    def named(name: str) -> Weights:
        if name == UNIFORM:
            return Weights(dict.fromkeys(loaded.weights, 1.0))
        return Model.load(model, name).weights

    search = SimplexOptions()
    loaded = Model.load(model)
    chosen = {name: named(name) for name in weights or ()} or {"active": loaded.weights}
    names = [name.strip() for name in ",".join(metric or [METRICS]).split(",")]
    evaluate = FullDecoding(
        loaded,
        sources,
        references,
        [make_metric(name, tokenize=tokenize) for name in names],
        stack_size=search.stack_size if stack_size is None else stack_size,
        threshold=search.threshold if threshold is None else threshold,
        threads=threads,
    )
    rows: list[tuple[str, OperatingPoint]] = []
    console = Console(quiet, log)
    with console.stage("search", len(chosen) * (len(steps) if equal is None else 1)) as stage:
        if equal is not None:
            [at] = operating_points(evaluate, named(equal), [1.0])
        for name, values in chosen.items():
            if equal is None:
                for scale in steps:
                    rows += [(name, point) for point in operating_points(evaluate, values, [scale])]
                    stage.advance()
            else:
                rows.append((name, working_point(evaluate, values, at.n_hypotheses)))
                stage.advance()
    if json:
        print_json(
            [
                {
                    "weights": name,
                    "scale": point.scale,
                    **point.scores,
                    "hypotheses": point.n_hypotheses,
                }
                for name, point in rows
            ]
        )
    else:
        console.print(_table(rows, names))


def _numbers(text: str) -> list[float]:
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(0 < number < float("inf") for number in numbers):
        raise OptionError(f"--scales {text}: expected positive numbers with commas between them")
    return numbers


def _table(rows: list[tuple[str, OperatingPoint]], names: list[str]) -> Table:
    table = Table("weights", "scale", *names, "hypotheses", box=None, header_style="bold")
    for column in table.columns[1:]:
        column.justify = "right"
    for name, point in rows:
        scores = [f"{point.scores[metric]:.2f}" for metric in names]
        table.add_row(escape(name), f"{point.scale:.4g}", *scores, f"{point.n_hypotheses:,}")
    return table

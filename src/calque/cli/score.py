from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Column, Table

from calque.cli.common import Json, print_json
from calque.cli.console import Console
from calque.errors import CalqueError
from calque.metrics import METRICS, Score
from calque.metrics import score as corpus_score
from calque.text import read_lines


def score(
    hypothesis: Annotated[Path, typer.Option(help="Translations, one per line.")],
    reference: Annotated[
        list[Path], typer.Option(help="Reference translations; repeat for several references.")
    ],
    metric: Annotated[str, typer.Option(help="Metrics, separated by commas.")] = ",".join(METRICS),
    tokenize: Annotated[
        str, typer.Option(help="How BLEU splits words; 'none' for text that is tokenised.")
    ] = "13a",
    json: Json = False,
) -> None:
    """Score translations against references: BLEU, chrF, TER, as sacreBLEU computes them.

    Example: [bold]calque score --hypothesis out.en --reference ref.en --tokenize none[/]
    """
    hypotheses = list(read_lines(hypothesis))
    references = [list(read_lines(path)) for path in reference]
    for path, lines in zip(reference, references, strict=True):
        if len(lines) != len(hypotheses):
            raise CalqueError(
                f"{hypothesis} has {len(hypotheses):,} lines, but {path} has {len(lines):,}:"
                " expected equal numbers"
            )
    metrics = [name.strip() for name in metric.split(",")]
    scores = corpus_score(hypotheses, references, metrics, tokenize)
    if json:
        print_json([asdict(one) for one in scores])
    else:
        Console().print(_table(scores))


def _table(scores: list[Score]) -> Table:
    signature = Column("signature", overflow="fold")
    table = Table("metric", "score", "better", signature, box=None, header_style="bold")
    for one in scores:
        direction = "higher" if one.higher_is_better else "lower"
        table.add_row(one.metric, f"{one.value:.2f}", direction, one.signature)
    return table

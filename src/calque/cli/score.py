from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Table

from calque.cli.common import Json, print_json
from calque.cli.console import Console
from calque.cli.evaluation import (
    MetricFlags,
    Metrics,
    MetricSet,
    References,
    Scores,
    Tokenize,
    make_metrics,
    read_parallel,
    read_sentences,
    warn_of_tokens,
)
from calque.cli.files import READS
from calque.metrics import Metric, full_signature
from calque.metrics.runs import statistics_of_runs


def score(
    hypothesis: Annotated[
        list[Path],
        typer.Option(metavar="F", help="Translations, one per line; repeat for several files."),
        READS,
    ],
    reference: References,
    metric: Metrics = None,
    tokenize: Tokenize = None,
    set: MetricSet = None,
    scores: Scores = None,
    sentence: Annotated[
        bool, typer.Option("--sentence", help="Score every sentence alone (TSV, or in the JSON).")
    ] = False,
    json: Json = False,
) -> None:
    """Score translations against references: BLEU, chrF, TER as sacreBLEU computes them, and more.

    [bold]calque score --hypothesis out.en --reference ref.en --tokenize none[/]

    [bold]calque score --hypothesis a.en --hypothesis b.en --reference ref1.en --reference ref2.en
    --metric bleu,meteor --set bleu.length=shortest --set meteor.stem=true[/]
    """
    first, lines = hypothesis[0], read_sentences(hypothesis[0])
    references = [read_parallel(path, len(lines), first) for path in reference]
    hypotheses = [lines, *(read_parallel(path, len(lines), first) for path in hypothesis[1:])]
    wanted = MetricFlags(metric, tokenize, set, scores)
    metrics = make_metrics(wanted, len(hypotheses), len(lines))
    console = Console()
    for path, texts in zip(hypothesis, hypotheses, strict=True):
        warn_of_tokens(console, path, texts, metrics)
    evaluations = [_evaluate(measure, hypotheses, references) for measure in metrics]
    if json:
        print_json(_plain(evaluations, hypothesis, sentence))
    elif sentence:
        _print_sentences(evaluations, hypothesis)
    else:
        _print_table(console, evaluations, hypothesis)


@dataclass(frozen=True)
class _Evaluation:
    """What one metric says of every hypothesis file."""

    metric: Metric
    signature: str
    corpus: list[float]
    sentences: list[list[float]]


def _evaluate(
    metric: Metric, hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[str]]
) -> _Evaluation:
    statistics = statistics_of_runs(metric, references, hypotheses)
    return _Evaluation(
        metric,
        full_signature(metric, len(references)),
        [float(metric.score(rows.sum(axis=0))) for rows in statistics],
        [metric.score(rows).tolist() for rows in statistics],
    )


def _plain(
    evaluations: Sequence[_Evaluation], files: Sequence[Path], sentence: bool
) -> list[dict[str, Any]]:
    return [
        {
            "hypothesis": str(file),
            "metric": evaluation.metric.name,
            "value": evaluation.corpus[i],
            "higher_is_better": evaluation.metric.higher_is_better,
            "signature": evaluation.signature,
            **({"sentences": evaluation.sentences[i]} if sentence else {}),
        }
        for i, file in enumerate(files)
        for evaluation in evaluations
    ]


def _print_sentences(evaluations: Sequence[_Evaluation], files: Sequence[Path]) -> None:
    print("hypothesis", "line", *(evaluation.metric.name for evaluation in evaluations), sep="\t")
    for i, file in enumerate(files):
        for line, values in enumerate(
            zip(*(evaluation.sentences[i] for evaluation in evaluations), strict=True), 1
        ):
            print(file, line, *(f"{value:.6g}" for value in values), sep="\t")


def _print_table(
    console: Console, evaluations: Sequence[_Evaluation], files: Sequence[Path]
) -> None:
    """The scores, and below them what else belongs to each: no line is broken."""
    names = [str(file) for file in files] if len(files) > 1 else ["score"]
    table = _table(evaluations, names)
    if len(files) > 1 and not console.fits(table):
        table = _table(evaluations, [f"[{number}]" for number in range(1, len(files) + 1)])
        for number, name in enumerate(names, 1):
            console.print_whole(escape(f"[{number}] {name}"))
        console.print()
    console.print(table)
    console.print()
    for evaluation in evaluations:
        console.print_whole(f"[dim]{evaluation.metric.name}: {escape(evaluation.signature)}[/]")


def _table(evaluations: Sequence[_Evaluation], names: Sequence[str]) -> Table:
    from calque.report.comparison import n_decimals  # whose room is large

    table = Table("metric", box=None, header_style="bold", pad_edge=False)
    for name in names:
        table.add_column(escape(name), justify="right", overflow="fold")
    table.add_column("better")
    for evaluation in evaluations:
        direction = "higher" if evaluation.metric.higher_is_better else "lower"
        values = (f"{value:.{n_decimals(evaluation.corpus)}f}" for value in evaluation.corpus)
        table.add_row(evaluation.metric.name, *values, direction)
    return table

from __future__ import annotations

import json as json_format
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from calque.cli.common import (
    Cluster,
    Flags,
    Json,
    LeaveOneOut,
    ModelFolderOption,
    Quiet,
    Threads,
    WeightsName,
    left_out,
    print_json,
    with_flags,
)
from calque.cli.console import Console
from calque.cli.evaluation import (
    MetricFlags,
    References,
    Tokenize,
    make_metrics,
    read_parallel,
    read_sentences,
)
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.config import DecodeOptions, LeaveOneOutOptions, OracleOptions
from calque.errors import OptionError
from calque.text import open_output

if TYPE_CHECKING:
    from calque.decode import Translation


@with_flags(LeaveOneOutOptions, leave_out=("what",), argument="unseen")
@with_flags(OracleOptions)
def oracle(
    model: ModelFolderOption,
    source: Annotated[
        Path, typer.Option(metavar="F", help="Source sentences, one per line."), READS
    ],
    reference: References,
    flags: Flags,
    unseen: Flags,
    output: Annotated[
        Path | None, typer.Option(metavar="F", help="Write the oracle translations here."), WRITES
    ] = None,
    derivations: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write the derivations here (JSON lines)."),
        WRITES,
    ] = None,
    nbest: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Derivations of each sentence to write (default 1)."),
    ] = None,
    leave_one_out: LeaveOneOut = None,
    tokenize: Tokenize = None,
    weights: WeightsName = None,
    threads: Threads = None,
    cluster: Cluster = None,
    json: Json = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Find the translations closest to the references that the model can produce.

    Their score is an upper bound for what weights can reach; the score under the model's own
    weights is printed beside it. Reordering options that are not given are those of the model.

    [bold]calque oracle --model model --source dev.de --reference dev.en[/]

    [bold]calque oracle --model model --source dev.de --reference dev.en --brevity-penalty true
    --output oracle.en --derivations oracle.jsonl --nbest 5[/]

    [bold]calque oracle --model model --source train.de --reference train.en
    --leave-one-out one-count[/]

    [bold]calque oracle --model model --source train.de --reference train.en --cluster auto[/]
    """
    if nbest is not None and derivations is None:
        raise OptionError(
            "--nbest N requires --derivations F, the file that the lists are written to"
        )
    forgotten = left_out(leave_one_out, unseen)
    lines = read_sentences(source)
    references = [read_parallel(path, len(lines), source) for path in reference]
    [bleu] = make_metrics(MetricFlags(["bleu"], tokenize, None, None), 1, len(lines))
    from calque.decode import load
    from calque.decode.oracle_text import oracle_texts
    from calque.parallel import engine_of

    translator = load(model, weights)
    options = flags.applied_to(_like(translator.options))
    options.check_engine(translator.options.engine)
    console = Console(quiet, log)
    best: list[Translation] = []
    known: list[tuple[str, ...]] = []
    with engine_of(cluster, threads) as engine:
        with ExitStack() as stack:
            out = stack.enter_context(open_output(output)) if output else None
            rows = stack.enter_context(open_output(derivations)) if derivations else None
            stage = stack.enter_context(console.stage("oracle", len(lines)))
            oracles = oracle_texts(
                translator,
                lines,
                references,
                options,
                n_best=nbest or 1,
                leave_one_out=forgotten,
                engine=engine,
            )
            for index, oracle_text in enumerate(oracles):
                best.append(oracle_text.translations[0])
                known.append(oracle_text.references)
                if out is not None:
                    out.write(best[-1].text + "\n")
                if rows is not None:
                    _write_derivations(rows, index, oracle_text.translations)
                stage.advance()
        with console.stage("translate", len(lines)) as stage:
            ours = []
            rules = options.rules() | {"max_targets": options.max_targets}
            lists = translator.n_best_of_groups(
                [lines], 1, leave_one_out=forgotten, engine=engine, **rules
            )
            for [translation] in lists:
                ours.append(translation)
                stage.advance()
    prepared = bleu.prepare(references)
    figures = {}
    for name, texts in (("1-best", ours), ("oracle", best)):
        sums = prepared.statistics([oracle_text.text for oracle_text in texts]).sum(axis=0)
        figures[name] = {"bleu": float(bleu.score(sums))} | _by_sentence(texts, known, options)
    if json:
        print_json({"n_sentences": len(lines)} | figures)
    else:
        console.print(_table(figures, len(lines), options))
    for path, what in ((output, "translations"), (derivations, "derivations")):
        if path is not None:
            console.note(f"{what}: {path}")


def _like(options: DecodeOptions) -> OracleOptions:
    return OracleOptions(**options.rules(), max_targets=options.max_targets)


def _by_sentence(
    texts: list[Translation], references: list[tuple[str, ...]], options: OracleOptions
) -> dict[str, float]:
    """What the search maximises, of the words as the model knows them; and their number."""
    from calque.metrics.avg_bleu import AvgBleu
    from calque.metrics.bleu import split_statistics

    metric = AvgBleu(tokenize="none", smooth=True, bp=options.brevity_penalty)
    sets = [list(lines) for lines in zip(*references, strict=True)]
    statistics = metric.bleu_references(sets).statistics([" ".join(text.words) for text in texts])
    length, reference_length, *_ = split_statistics(statistics)
    return {
        "sentence_bleu": float(metric.sentence_scores(statistics).mean()),
        "length_ratio": float(length.sum() / max(1.0, reference_length.sum())),
    }


def _write_derivations(file: IO[str], index: int, translations: list[Translation]) -> None:
    for rank, translation in enumerate(translations, 1):
        row: dict[str, Any] = {
            "index": index,
            "rank": rank,
            "sentence_bleu": 100 * translation.score,
            "text": translation.text,
            "steps": [asdict(block) for block in translation.blocks],
            "features": dict(translation.features),
        }
        file.write(json_format.dumps(row, ensure_ascii=False) + "\n")


def _table(figures: dict[str, dict[str, float]], n: int, options: OracleOptions) -> Table:
    table = Table(title=f"{n:,} sentences", box=None, header_style="bold", title_justify="left")
    kind = "with" if options.brevity_penalty else "without"
    for head in ("", "BLEU", f"sentence BLEU {kind} brevity penalty", "length ratio"):
        table.add_column(head, justify="right" if head else "left")
    for name, of in figures.items():
        values = f"{of['bleu']:.2f}", f"{of['sentence_bleu']:.2f}", f"{of['length_ratio']:.3f}"
        table.add_row(name, *values)
    return table

from __future__ import annotations

import json as json_format
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.config import ForceOptions, LeaveOneOutOptions
from calque.errors import OptionError
from calque.text import BitextFiles, open_output
from calque.text.files import n_bytes

if TYPE_CHECKING:
    from calque.decode.reachability import Counts, Reachability

LIMITS = (0, 2, 4, 6)


@with_flags(LeaveOneOutOptions, leave_out=("what",), argument="unseen")
@with_flags(ForceOptions, leave_out=("distortion_limit",))
def force(
    model: ModelFolderOption,
    source: Annotated[
        Path, typer.Option(metavar="F", help="Source sentences, one per line."), READS
    ],
    reference: Annotated[Path, typer.Option(metavar="F", help="Their translations."), READS],
    flags: Flags,
    unseen: Flags,
    limits: Annotated[
        str | None,
        typer.Option(
            metavar="N,N,..",
            help="Distortion limits to try, -1 for unlimited (default 0,2,4,6); rules have none.",
        ),
    ] = None,
    bucket: Annotated[
        int,
        typer.Option(
            min=1, metavar="N", help="How many source lengths share a row of the table by length."
        ),
    ] = 5,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="F", help="Write the best derivations at the last limit (JSON lines)."
        ),
        WRITES,
    ] = None,
    leave_one_out: LeaveOneOut = None,
    weights: WeightsName = None,
    threads: Threads = None,
    cluster: Cluster = None,
    json: Json = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Find out which references the blocks or rules of a model can derive, and how.

    [bold]calque force --model model --source train.de --reference train.en[/]

    [bold]calque force --model model --source dev.de --reference dev.en --limits 6
    --output gold.jsonl[/]

    [bold]calque force --model model --source train.de --reference train.en
    --leave-one-out one-count[/]

    [bold]calque force --model model --source train.de --reference train.en --cluster auto[/]
    """
    wanted = _limits(limits)
    forgotten = left_out(leave_one_out, unseen)
    from calque.decode.forcing import force_pairs, gold_json
    from calque.decode.reachability import Counts, count, tabulate
    from calque.model import Model
    from calque.parallel import engine_of

    loaded = Model.load(model, weights)
    ours = loaded.decode_options
    options = flags.applied_to(
        replace(
            ForceOptions(),
            first_block=ours.first_block,
            max_span=ours.max_span,
            shallow=ours.shallow,
        )
    )
    options.check_engine(ours.engine)
    has_limits = ours.engine == "phrase" and options.reordering == "phrase"
    if limits is not None and not has_limits:
        raise OptionError(
            f"--limits {limits}: only --reordering phrase has distortion limits, rules have none"
        )
    tried = wanted if has_limits else (options.distortion_limit,)
    names = _names(tried, options) if ours.engine == "phrase" else ["rules"]
    text = BitextFiles(source, reference)
    console = Console(quiet, log)
    counts: dict[tuple[int, int], Counts] = {}
    seconds: dict[int, float] = dict.fromkeys(tried, 0.0)
    n_empty = 0
    with ExitStack() as stack:
        n_pairs = _n_pairs(text)
        gold = stack.enter_context(open_output(output)) if output else None
        stage = stack.enter_context(console.stage("force", n_pairs))
        pairs = force_pairs(
            loaded,
            text.blocks(),
            tried,
            options,
            leave_one_out=forgotten,
            engine=stack.enter_context(engine_of(cluster, threads)),
            seconds=seconds,
        )
        for index, pair in enumerate(pairs):
            n_empty += not pair.found
            for limit, forced in zip(tried, pair.found, strict=bool(pair.found)):
                key = limit, len(pair.source)
                counted = count(forced, len(pair.source), options.min_prefix)
                counts[key] = counts.get(key, Counts()) + counted
            if gold is not None:
                row = gold_json(index, pair, loaded)
                gold.write(json_format.dumps(row, ensure_ascii=False) + "\n")
            stage.advance()
    table = tabulate(counts, tried, bucket)
    if json:
        print_json(_as_json(table, n_empty, seconds, has_limits))
    else:
        for part in (_summary(table, names, seconds), *_by_length(table, names)):
            console.print(part)
    if n_empty:
        console.warn(f"{n_empty:,} pairs have an empty side and were left out")
    if output:
        console.note(f"derivations: {output}")


def _limits(text: str | None) -> tuple[int, ...]:
    if text is None:
        return LIMITS
    try:
        limits = tuple(int(part) for part in text.split(","))
    except ValueError:
        limits = ()
    if not limits or min(limits) < -1 or len(set(limits)) < len(limits):
        raise OptionError(f"--limits {text}: expected different whole numbers from -1, as in 0,2,4")
    return limits


def _n_pairs(text: BitextFiles) -> int | None:
    """How many pairs there are; raises the errors of the files before the work, not after it."""
    if None in map(n_bytes, text.paths):
        return None  # a pipe is read once
    return sum(source.count("\n") for source, _ in text.blocks())


def _names(limits: tuple[int, ...], options: ForceOptions) -> list[str]:
    if options.reordering != "phrase":
        return [options.reordering]
    return ["no limit" if limit < 0 else f"limit {limit}" for limit in limits]


def _summary(table: Reachability, names: list[str], seconds: dict[int, float]) -> Table:
    pairs = table.total[0].n_pairs
    heads = ["sentences", "words", "+prefix sent.", "+prefix words", "too large", "time"]
    shown = _table(f"reachable of {pairs:,} sentence pairs", "", *heads)
    for name, total, spent in zip(names, table.total, seconds.values(), strict=True):
        shares = (
            total.sentences,
            total.words,
            total.sentences_with_prefixes,
            total.words_with_prefixes,
        )
        percent = (f"{100 * share:.1f} %" for share in shares)
        shown.add_row(name, *percent, f"{total.n_too_large:,}", f"{spent:.1f} s")
    return shown


def _by_length(table: Reachability, names: list[str]) -> tuple[Table, Table]:
    reach = _table("reachable sentences by source length", "words", "pairs", *names)
    ways = _table("derivations per reachable pair, geometric mean", "words", "pairs", *names)
    for row in table.rows:
        head = f"{row.shortest}-{row.longest}", f"{row.counts[0].n_pairs:,}"
        reach.add_row(*head, *(f"{100 * counts.sentences:.1f} %" for counts in row.counts))
        means = (
            f"{counts.derivations:,.4g}" if counts.n_reachable else "-" for counts in row.counts
        )
        ways.add_row(*head, *means)
    return reach, ways


def _table(title: str, *heads: str) -> Table:
    table = Table(title=title, box=None, header_style="bold", title_justify="left")
    for at, head in enumerate(heads):
        table.add_column(head, justify="right" if at else "left")
    return table


def _as_json(
    table: Reachability, n_empty: int, seconds: dict[int, float], has_limits: bool
) -> dict[str, Any]:
    def counts(some: tuple[Counts, ...]) -> list[dict[str, Any]]:
        return [
            asdict(counted)
            | {
                "limit": limit if has_limits else None,
                "sentences": counted.sentences,
                "words": counted.words,
                "sentences_with_prefixes": counted.sentences_with_prefixes,
                "words_with_prefixes": counted.words_with_prefixes,
                "derivations": counted.derivations,
            }
            for limit, counted in zip(table.limits, some, strict=True)
        ]

    total = counts(table.total)
    for of_limit, spent in zip(total, seconds.values(), strict=True):
        of_limit["seconds"] = spent
    return {
        "n_empty": n_empty,
        "total": total,
        "lengths": [
            {"shortest": row.shortest, "longest": row.longest, "limits": counts(row.counts)}
            for row in table.rows
        ],
    }

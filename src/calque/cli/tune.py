from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from calque.cli.common import (
    UNLEARNED,
    Cluster,
    Config,
    Flags,
    Json,
    LeaveOneOut,
    Quiet,
    Seed,
    Set,
    Threads,
    check_output,
    left_out,
    options_from,
    print_json,
    with_flags,
)
from calque.cli.console import Console
from calque.cli.evaluation import parse_setting
from calque.cli.files import READS, WRITES, FileRole
from calque.cli.log import Log
from calque.config import TASK_DEFAULTS, LeaveOneOutOptions, to_mapping
from calque.errors import OptionError
from calque.tune.registry import find_method, method_names


def _start_file(value: str) -> list[Path]:
    """A file of weights; other names are of weights that a model has."""
    return [Path(value)] if Path(value).is_file() else []


START_FILE = FileRole(writes=False, paths=_start_file)


@with_flags(LeaveOneOutOptions, leave_out=("what",), argument="unseen")
def tune(
    unseen: Flags,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help=f"One of {', '.join(method_names())}, or module:Class for one of your own.",
        ),
    ],
    reference: Annotated[
        list[Path], typer.Option(metavar="F", help="References; repeat for several sets."), READS
    ],
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="The model to tune; with --nbest, the model that --add computes features with.",
        ),
        READS,
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Source sentences of the development set."),
        READS,
    ] = None,
    dev_source: Annotated[
        Path | None,
        typer.Option(
            metavar="F", help="Source of a separate text on which the best round is chosen."
        ),
        READS,
    ] = None,
    dev_reference: Annotated[
        list[Path] | None,
        typer.Option(metavar="F", help="References of that text; repeat for several sets."),
        READS,
    ] = None,
    leave_one_out: LeaveOneOut = None,
    jackknife: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="For input that is the training text: split it into N parts and decode each"
            " with a model trained on the others.",
        ),
    ] = 0,
    nbest: Annotated[
        list[Path] | None,
        typer.Option(metavar="F", help="N-best lists of any decoder instead of a model."),
        READS,
    ] = None,
    add: Annotated[
        str | None,
        typer.Option(
            metavar="A,B", help="Features to add to the lists; docs/reranking.md describes them."
        ),
    ] = None,
    nbest_output: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Write the lists with the added features here."),
        WRITES,
    ] = None,
    weights: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="File for weights tuned on n-best lists."),
        WRITES,
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Name of the tuned weights in the model; the method by default."
        ),
    ] = None,
    start: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|F",
            help="First weights: a name in the model, or a file of 'name value' lines.",
        ),
        START_FILE,
    ] = None,
    condense: Annotated[
        str | None,
        typer.Option(
            metavar="all|families|groups",
            help="Keep sparse weights in proportion and tune one factor for all of them, one per"
            " family, or one per template and orientation of blocks.",
        ),
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help=f"Metric to tune for ({TASK_DEFAULTS.metric} by default); --set NAME.KEY=VALUE"
            " sets its options.",
        ),
    ] = None,
    list_length: Annotated[
        int, typer.Option(min=1, metavar="N", help="Length of the model's n-best lists.")
    ] = TASK_DEFAULTS.list_length,
    memory_mb: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="N",
            help="Memory for candidates, in MB; what does not fit is kept in files.",
        ),
    ] = TASK_DEFAULTS.memory_mb,
    total: Annotated[
        bool,
        typer.Option("--total", help="Use the total score in the n-best lists as a feature, too."),
    ] = False,
    run: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Run folder; the same command continues an interrupted run."
        ),
        WRITES,
    ] = None,
    seed: Seed = 1,
    config: Config = None,
    set: Set = None,
    threads: Threads = None,
    cluster: Cluster = None,
    json: Json = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Tune the weights of a model, or of any decoder's n-best lists, on a development set.

    [bold]calque tune --model model --source dev.de --reference dev.en --method mert
    --run runs/mert[/]

    [bold]calque tune --nbest dev.nbest.gz --reference dev.en --method mira --weights w.txt[/]

    [bold]calque tune --model model --source train.de --reference train.en --leave-one-out counts
    --dev-source dev.de --dev-reference dev.en --method mira[/]

    [bold]calque tune --nbest dev.nbest.gz --reference dev.en --method mert --weights w.txt
    --model model --source dev.de --add language_model,lexical[/]

    [bold]calque tune --model model --source dev.de --reference dev.en --method mira
    --metric chrf --set chrf.word_order=2[/]

    The tuned weights become the model's active ones; earlier ones are kept under their names. If
    a guard stops the run, or if nothing was learned, the exit code is 3; in the latter case the
    model is left as it was.
    """
    trainer_of = find_method(method)
    if metric is not None and len(metric) > 1:
        raise OptionError(f"--metric is given {len(metric)} times: weights are tuned for one")
    measure = TASK_DEFAULTS.metric if metric is None else metric[0]
    about_metric, about_method = _split(set or [], measure)
    options = options_from(trainer_of.Options(), config, about_method)
    forgotten = left_out(leave_one_out, unseen)
    if model is None and nbest is None:
        raise OptionError(
            "give either --model DIR with --source F, or --nbest F with --weights OUT"
        )
    console = Console(quiet, log)
    from calque.tune import CondensedTask, DecoderTask, NBestTask
    from calque.tune.steps import PARTS

    trainer = trainer_of(seed=seed, **to_mapping(options))
    if model is not None and nbest is None:
        if source is None or weights is not None or total or add or nbest_output:
            raise OptionError(
                "--model DIR goes with --source F, and without --nbest not with --weights, --total,"
                " --add or --nbest-output: the tuned weights go into the model"
            )
        called = name or trainer.method
        from calque.model import DEFAULT, ModelWriter, check_name
        from calque.parallel import engine_of

        check_name(called)
        ModelWriter(model, update=True).check()
        with engine_of(cluster, threads) as engine:
            task: Any = DecoderTask(
                model,
                source,
                reference,
                measure,
                dev_source=dev_source,
                dev_references=dev_reference or (),
                leave_one_out=forgotten,
                jackknife=jackknife,
                part_models=None if run is None else run / PARTS,
                n_best=list_length,
                start=start or DEFAULT,
                metric_settings=about_metric,
                threads=threads,
                engine=engine,
            )
            if condense is not None:
                task = CondensedTask(task, condense)
            result = trainer.fit(
                task, run=run, threads=threads, memory_mb=memory_mb, progress=console
            )
        if result.chosen == 0:
            note = f"{model}: stays as it was"
        else:
            result.save(model, called)
            note = f"{model}: its weights are now '{called}'; calque translate uses them"
    else:
        others = (name, dev_source, dev_reference, forgotten, jackknife or None, condense, cluster)
        if weights is None or any(other is not None for other in others):
            raise OptionError(
                "--nbest F goes with --weights OUT, and not with --name, --dev-source,"
                " --dev-reference, --leave-one-out, --jackknife, --condense or --cluster"
            )
        check_output(weights)
        if nbest_output is not None:
            check_output(nbest_output)
        from calque.hyps import write_nbest
        from calque.hyps.weights import read_weights, write_weights

        task = NBestTask(
            nbest or [],
            reference,
            measure,
            start=None if start is None else read_weights(start),
            total=total,
            additions=_additions(add, source, model),
            metric_settings=about_metric,
            progress=console,
        )
        if nbest_output is not None:
            write_nbest(nbest_output, task.source.nbest)
        result = trainer.fit(task, run=run, threads=threads, memory_mb=memory_mb, progress=console)
        write_weights(weights, result.weights, task.source.sparse_name)
        given = " --source F" if source else ""
        given += f" --model {model}" if model else ""
        note = f"{weights}: written; calque rerank --nbest F --weights {weights}{given} uses them"
    if json:
        history = [vars(done) for done in result.history]
        by_name = result.weights.by_name(task.source.sparse_name)
        told = {"weights": by_name, "history": history, "trouble": result.trouble}
        print_json({**vars(result), **told})
    else:
        steps = _steps(result.history, task.metric.higher_is_better)
        console.print(
            _table(steps if method == "simplex" else result.history, result.chosen, measure)
        )
        console.print(
            f"chosen: round {result.chosen}, {measure} {result.score:.2f} ({result.metric})"
        )
    console.note(note)
    if result.trouble is not None:
        raise typer.Exit(UNLEARNED)


def _split(assignments: list[str], metric: str) -> tuple[dict[str, Any], list[str]]:
    """What `--set` says about the metric, by option, and about the method."""
    about_metric = {}
    others = []
    for assignment in assignments:
        if assignment.strip().startswith(f"{metric}."):
            _, option, value = parse_setting(assignment)
            about_metric[option] = value
        else:
            others.append(assignment)
    return about_metric, others


def _additions(add: str | None, source: Path | None, model: Path | None) -> Any:
    """The features to add: those asked for, or the usual ones where a model is given."""
    from calque.hyps.added import DEFAULT, Additions, parse_additions

    wanted = ",".join(DEFAULT) if add is None and model is not None else add
    return Additions(() if wanted is None else parse_additions(wanted), source, model)


def _table(history: Any, chosen: int, metric: str) -> Table:
    has_candidates = any(done.n_candidates for done in history)
    table = Table(box=None, header_style="bold")
    heads = ["round", metric, "length"]
    heads += ["candidates", "new", f"{metric} in pool"] if has_candidates else []
    for head in (*heads, ""):
        table.add_column(head, justify="right" if head else "left")
    for done in history:
        row = [str(done.round), f"{done.score:.2f}", f"{done.length_ratio:.3f}"]
        if has_candidates:
            pool = "-" if done.pool_score is None else f"{done.pool_score:.2f}"
            row += [f"{done.n_candidates:,}", f"{done.n_new:,}", pool]
        remark = done.guard or done.stopped or ("chosen" if done.round == chosen else "")
        table.add_row(*row, remark)
    return table


def _steps(history: Any, higher_is_better: bool) -> list[Any]:
    """The rounds that were better than all before: of hundreds of trials those that count."""
    steps: list[Any] = []
    for done in history:
        gain = 0.0 if not steps else done.score - steps[-1].score
        if not steps or (gain > 0 if higher_is_better else gain < 0):
            steps.append(done)
    return steps

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calque.cli.common import (
    UNLEARNED,
    Cluster,
    Config,
    Flags,
    Quiet,
    Seed,
    Set,
    Threads,
    options_from,
)
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.config import TASK_DEFAULTS, TrainOptions, fill
from calque.config.presets import DEFAULT_PRESET, PRESETS, find_preset
from calque.errors import OptionError
from calque.text import BitextFiles, BitextSource, bitext_in


def train(
    model: Annotated[Path, typer.Option(metavar="DIR", help="Folder for the model."), WRITES],
    source: Annotated[
        Path | None, typer.Option(metavar="F", help="Source sentences, one per line."), READS
    ] = None,
    target: Annotated[
        Path | None, typer.Option(metavar="F", help="Their translations, one per line."), READS
    ] = None,
    bitext: Annotated[
        Path | None,
        typer.Option(
            metavar="F", help="One file with both sides instead: .tsv or .tmx, possibly compressed."
        ),
        READS,
    ] = None,
    alignment: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Use these word alignments (Pharaoh format)."),
        READS,
    ] = None,
    arpa: Annotated[
        Path | None, typer.Option(metavar="F", help="Use this language model (ARPA)."), READS
    ] = None,
    lm_text: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="F", help="More text for the language model, in the target language; repeat."
        ),
        READS,
    ] = None,
    lm_dev: Annotated[
        Path | None,
        typer.Option(
            metavar="F",
            help="Target text by which the language models of the texts are weighted; by default"
            " --dev-reference or, without it, sentences held out of --target.",
        ),
        READS,
    ] = None,
    overlap: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Learn only from pairs that share words with this text."),
        READS,
    ] = None,
    tokenize: Annotated[
        bool,
        typer.Option(
            "--tokenize",
            help="The text is plain: split it into words (requires the two languages).",
        ),
    ] = False,
    source_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Language code, such as de or en.")
    ] = None,
    target_language: Annotated[
        str | None, typer.Option(metavar="CODE", help="Language code, such as de or en.")
    ] = None,
    casing: Annotated[
        str | None,
        typer.Option(
            metavar="keep|lower|true",
            help="Keep case as it is, lowercase everything, or learn true case.",
        ),
    ] = None,
    dev_source: Annotated[
        Path | None,
        typer.Option(
            metavar="F", help="Source of a development set; with it, the weights are tuned as well."
        ),
        READS,
    ] = None,
    dev_reference: Annotated[
        list[Path] | None,
        typer.Option(metavar="F", help="Its references; repeat for several sets."),
        READS,
    ] = None,
    preset: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="; ".join(f"{name}: {each.meaning}" for name, each in PRESETS.items()) + ".",
        ),
    ] = DEFAULT_PRESET,
    run: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for the runs of tuning; with it an interrupted run can be continued.",
        ),
        WRITES,
    ] = None,
    seed: Seed = 1,
    config: Config = None,
    set: Set = None,
    threads: Threads = None,
    cluster: Cluster = None,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Learn a translator from parallel text: alignments, blocks, language model, weights.

    Text whose words are already separated by spaces needs nothing more:

    [bold]calque train --source train.de --target train.en --model model[/]

    With a development set the weights are tuned as well, and the model is finished:

    [bold]calque train --source train.de --target train.en --model model
      --dev-source dev.de --dev-reference dev.en[/]

    Plain text is tokenised and recased, on the way in and on the way out of [bold]translate[/]:

    [bold]calque train --source a.de --target a.en --model model --tokenize
      --source-language de --target-language en --casing true[/]

    More text in the target language makes a better language model:

    [bold]calque train --source train.de --target train.en --model model
      --lm-text news.en --lm-text web.en --lm-dev dev.en[/]

    If words move far, rules (blocks with gaps that other rules fill) translate better:

    [bold]calque train --source train.ja --target train.en --model model
      --set decode.engine=chart[/]

    On a Ray cluster, with the same result (docs/cluster.md):

    [bold]calque train --source train.de --target train.en --model model
      --dev-source dev.de --dev-reference dev.en --run runs --cluster auto[/]

    If no step of tuning ended well (nothing learned, or stopped by a guard), the exit code is 3.
    """
    flags = Flags(
        [
            ("--tokenize", "text.tokenize", "true" if tokenize else None),
            ("--source-language", "text.source_language", source_language),
            ("--target-language", "text.target_language", target_language),
            ("--casing", "text.casing", casing),
        ]
    )
    recipe = find_preset(preset, options_from(TrainOptions(), config, set).decode.engine)
    options = flags.applied_to(options_from(fill(TrainOptions(), recipe.train), config, set))
    text = _bitext(source, target, bitext, options)
    from calque.model.build import build
    from calque.parallel import engine_of, left_mb
    from calque.tune.effort import fit_pop_limit
    from calque.tune.steps import DevelopmentSet, check_steps, tune_in_steps

    dev = None
    if dev_source is not None or dev_reference:
        if dev_source is None or not dev_reference:
            raise OptionError("--dev-source F and --dev-reference F go together")
        dev = DevelopmentSet(dev_source, dev_reference)
        dev.check()  # mistakes show before the work, not after it
        check_steps(recipe.steps, text)
    elif run is not None:
        raise OptionError("--run DIR is for tuning: give --dev-source F and --dev-reference F, too")
    console = Console(quiet, log)
    with engine_of(cluster, threads) as engine:
        build(
            text,
            model,
            options,
            alignment=alignment,
            arpa=arpa,
            overlap=overlap,
            preset=preset,
            lm_texts=lm_text or [],
            lm_dev=lm_dev or (dev_reference[0] if lm_text and dev_reference else None),
            threads=threads,
            engine=engine,
            progress=console,
        )
        if dev is not None:
            steps = tune_in_steps(
                model,
                recipe.steps,
                text,
                dev,
                run=run,
                seed=seed,
                memory_mb=left_mb(options.memory_mb, TASK_DEFAULTS.memory_mb),
                threads=threads,
                engine=engine,
                progress=console,
            )
            effort = fit_pop_limit(
                model,
                dev.source,
                options.decode.pop_limit,
                threads=threads,
                progress=console,
            )
            for done in (*steps, effort):
                if done is not None:
                    console.print(done.summary)
    console.note(f"Next: calque translate --model {model} < TEXT")
    if dev is not None and all(done.trouble for done in steps):
        raise typer.Exit(UNLEARNED)


def _bitext(
    source: Path | None, target: Path | None, bitext: Path | None, options: TrainOptions
) -> BitextSource:
    if bitext is None:
        if source is None or target is None:
            raise OptionError("give --source F and --target F, or --bitext F")
        return BitextFiles(source, target)
    if source is not None or target is not None:
        raise OptionError("--bitext F holds both sides: give it without --source and --target")
    return bitext_in(bitext, options.text.source_language, options.text.target_language)

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from calque.cli.common import Config, Quiet, Set, Threads, options_from
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.config import TrainOptions, settings
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
    config: Config = None,
    set: Set = None,
    threads: Threads = None,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Learn a translator from parallel text: alignments, blocks, language model, weights.

    Text whose words are already separated by spaces needs nothing more:

      [bold]calque train --source train.de --target train.en --model model[/]

    Plain text is tokenised and recased, on the way in and on the way out of [bold]translate[/]:

      [bold]calque train --source a.de --target a.en --model model --tokenize
      --source-language de --target-language en --casing true[/]
    """
    flags = {
        "text.tokenize": "true" if tokenize else None,
        "text.source_language": source_language,
        "text.target_language": target_language,
        "text.casing": casing,
    }
    assignments = [f"{key}={value}" for key, value in flags.items() if value is not None]
    options = options_from(TrainOptions(), config, set)
    options = settings(options, assignments, "command line")
    text = _bitext(source, target, bitext, options)
    from calque.model.build import build

    console = Console(quiet, log)
    build(
        text,
        model,
        options,
        alignment=alignment,
        arpa=arpa,
        overlap=overlap,
        threads=threads,
        progress=console,
    )
    console.note(f"Next: calque translate --model {model} < TEXT")


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

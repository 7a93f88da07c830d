from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from calque.cli.common import Flags, Json, Quiet, Threads, print_json, with_flags
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.log import Log
from calque.config import AlignOptions
from calque.errors import OptionError
from calque.parallel import n_workers


@with_flags(AlignOptions)
def align(
    flags: Flags,
    source: Annotated[
        Path | None, typer.Option(metavar="F", help="Source sentences, one per line."), READS
    ] = None,
    target: Annotated[
        Path | None, typer.Option(metavar="F", help="Their translations, one per line."), READS
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Learn also from the sentence pairs stored in this model; without --source and"
            " --target, print their links.",
        ),
        READS,
    ] = None,
    output: Annotated[
        Path,
        typer.Option(metavar="F", help="The links (Pharaoh format); - is standard output."),
        WRITES,
    ] = Path("-"),
    gold: Annotated[
        Path | None,
        typer.Option(
            metavar="F",
            help="Score the links against these, one line per sentence pair (0-1 is a sure link,"
            " 0?1 a possible one).",
        ),
        READS,
    ] = None,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Link the words of sentence pairs that translate each other.

    [bold]calque align --source train.de --target train.en --output links.txt[/]

    [bold]calque align --source new.de --target new.en --model model --output links.txt[/]

    [bold]calque align --source hand.de --target hand.en --model model --gold hand.links
    --output links.txt[/]

    The output has a line of links for each line of text: pairs of source and target positions,
    counted from 0, such as 0-0 1-2. The aligner learns from the text itself and, with --model,
    also from the text that the model was trained on; positions then count words as the model
    splits them.
    """
    if (source is None) != (target is None):
        raise OptionError("--source F and --target F go together")
    if source is None and model is None:
        raise OptionError("give --source F and --target F, --model DIR, or all three")
    if gold is not None and source is None:
        raise OptionError("--gold F is about new text: give --source F and --target F, too")
    if json and gold is None:
        raise OptionError("--json is about scores: give --gold F, too")
    if json and output == Path("-"):
        raise OptionError("--json and the links are both standard output: give --output F")
    if flags and source is None:
        raise OptionError("the links of a model are there already: no options of the aligner")
    from calque.align import write_pharaoh
    from calque.align.gold import read_gold, score_links
    from calque.config import fill
    from calque.model import Model, ModelFolder
    from calque.model.word_links import align_text, kept_bitext
    from calque.text import BitextFiles

    console = Console(quiet or json, log)
    loaded = None if model is None else Model.load(model)
    if loaded is not None and source is None:
        kept = kept_bitext(loaded)
        write_pharaoh(output, kept.alignments.unstacked(len(kept))[0])
        console.note(f"links of the {len(kept):,} sentence pairs that {model} keeps")
        return
    options = AlignOptions()
    if model is not None:
        trained = dict(ModelFolder(model).manifest.info.get("options", {}))
        options = fill(options, trained.get("align", {}), "align")
    options = flags.applied_to(options)
    options.check()
    assert source is not None
    assert target is not None
    text = BitextFiles(source, target)
    if loaded is not None and not loaded.preprocessor.is_plain:
        console.warn("positions are those of words as the model prepares them, not of the text")
    links = align_text(text, options, loaded, threads=n_workers(threads), progress=console)
    known = None if gold is None else read_gold(gold, links.source, links.target)
    write_pharaoh(output, links.alignments)
    if known is None:
        return
    scores = score_links(links.alignments, known)
    if json:
        print_json(asdict(scores))
        return
    line = f"precision {100 * scores.precision:.1f}, recall {100 * scores.recall:.1f}"
    line += f", alignment error rate {100 * scores.aer:.1f} % ({scores.n_links:,} links,"
    line += f" {scores.n_sure:,} sure and {scores.n_possible - scores.n_sure:,} only possible)"
    if output == Path("-"):
        console.note(line)
    else:
        console.print(line)

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calque.cli.common import (
    Flags,
    Json,
    ModelFolderOption,
    PassThrough,
    Terminology,
    WeightsName,
    check_output,
    print_json,
    with_flags,
)
from calque.cli.console import Console
from calque.cli.files import READS, WRITES
from calque.cli.stream import is_typed, lines_as_they_come
from calque.config import DecodeOptions
from calque.errors import FileError, OptionError
from calque.text import open_output
from calque.text.files import STANDARD_STREAM

if TYPE_CHECKING:
    from calque.decode import Comparison, Explanation, Translator

TOP = 5
"""Features shown per block where the user does not say."""


@with_flags(DecodeOptions)
def explain(
    model: ModelFolderOption,
    flags: Flags,
    sentence: Annotated[
        str | None,
        typer.Argument(metavar="SENTENCE", help="The sentence; without it, the lines of --input."),
    ] = None,
    input: Annotated[
        Path | None,
        typer.Option(metavar="F", help="Sentences, one per line; standard input by default."),
        READS,
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Compare the best translation with this one."),
    ] = None,
    nbest_rank: Annotated[
        int | None,
        typer.Option(min=2, metavar="K", help="Compare the best translation with the K-th best."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="N",
            help="Features shown per block, 0 for all (5 by default; all in JSON).",
        ),
    ] = None,
    svg: Annotated[
        Path | None, typer.Option(metavar="F", help="Also write the drawings here."), WRITES
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Columns for the drawing; those of the terminal by default."
        ),
    ] = None,
    terminology: Terminology = None,
    pass_through: PassThrough = None,
    weights: WeightsName = None,
    json: Json = False,
) -> None:
    """Show how a translation came about: its blocks, and what each feature contributed.

    [bold]calque explain --model model "ein kleines mädchen klettert ."[/]

    [bold]calque explain --model model --svg girl.svg --top 3 "ein kleines mädchen klettert ."[/]

    [bold]calque explain --model model "ein kleines mädchen klettert ."
    --against "a little girl is climbing ."[/]
    """
    if sentence is not None and input is not None:
        raise OptionError("a sentence and --input cannot both be given")
    if against is not None and nbest_rank is not None:
        raise OptionError("--against and --nbest-rank cannot both be given")
    if against is not None and (terminology is not None or pass_through is not None):
        raise OptionError("--against cannot be combined with --terminology or --pass-through")
    if json and width is not None:
        raise OptionError("--width cannot be combined with --json, which has no drawing")
    if svg is not None:
        check_output(svg)
    from calque.decode import load
    from calque.decode.drawing import svg as picture

    translator = load(model, weights)
    translator.options = flags.applied_to(translator.options)
    terms = None if terminology is None else translator.terminology(terminology)
    shown = top or (None if top == 0 or json else TOP)
    columns = width or _columns()
    explanations: list[Explanation | Comparison] = []  # those that are needed again
    for number, text in enumerate(_sentences(sentence, input or STANDARD_STREAM)):
        explanation = _explain(
            translator, text, against, nbest_rank, terminology=terms, pass_through=pass_through
        )
        if not json:
            print("\n" * (number > 0) + explanation.to_text(columns, shown), end="")
        if json or svg is not None:
            explanations.append(explanation)
    if json:
        rows = [explanation.to_json(shown) for explanation in explanations]
        print_json(rows[0] if sentence is not None else rows)
    if svg is not None:
        with open_output(svg) as file:
            panels = (explanation.panels() for explanation in explanations)
            file.write(picture([panel for some in panels for panel in some]))


def _explain(
    translator: Translator, sentence: str, against: str | None, rank: int | None, **constraints: Any
) -> Explanation | Comparison:
    best = translator.explain(sentence, **constraints)
    if against is not None:
        return best.against(translator.explain(sentence, against))
    if rank is not None:
        return best.against(translator.explain(sentence, rank=rank, **constraints))
    return best


def _sentences(sentence: str | None, path: Path) -> Iterator[str]:
    """The sentences to explain, each as soon as it can be read; empty lines are passed over."""
    if sentence is not None:
        yield sentence
        return
    n_sentences = 0
    for lines in lines_as_they_come(path, Console(), sys.stdout):
        for line in filter(str.strip, lines):
            n_sentences += 1
            yield line
    if not n_sentences and not is_typed(path):
        raise FileError(path, "is empty, expected sentences")


def _columns() -> int | None:
    """The width of the terminal; a file or a pipe has none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None

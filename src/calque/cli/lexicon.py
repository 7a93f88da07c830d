from __future__ import annotations

import json as json_format
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from calque.cli.common import ModelFolderOption, Quiet
from calque.cli.console import Console
from calque.cli.files import WRITES
from calque.errors import CalqueError, OptionError

if TYPE_CHECKING:
    from calque.align.word_pairs import WordPairs
    from calque.model import Model

HEADS = ("source", "target", "p(target|source)", "p(source|target)", "count")


def lexicon(
    model: ModelFolderOption,
    given: Annotated[
        str,
        typer.Option(metavar="source|target", help="The side whose words are looked up."),
    ] = "source",
    word: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="Only the translations of this word; may be repeated."),
    ] = None,
    min_prob: Annotated[
        float,
        typer.Option(min=0, max=1, metavar="X", help="Drop translations less probable than this."),
    ] = 0.0,
    min_count: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="Drop pairs that were linked less often than this."),
    ] = 1,
    most: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Show at most this many translations per word, best first."
        ),
    ] = None,
    mass: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            metavar="X",
            help="Keep the best translations of a word, as many as it takes to reach this share of"
            " the probability of all.",
        ),
    ] = 1.0,
    output: Annotated[
        Path, typer.Option(metavar="F", help="The table; - is standard output."), WRITES
    ] = Path("-"),
    json: Annotated[
        bool, typer.Option("--json", help="Write JSON lines, one per word, instead of a table.")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Write the word translations that a model has learned, with their probabilities.

    [bold]calque lexicon --model model --word haus[/]

    [bold]calque lexicon --model model --min-count 2 --most 5 --mass 0.9 --output lexicon.tsv[/]

    They are counted from the word links of the sentence pairs that the model keeps. Each line has
    the source word, the target word, p(target|source), p(source|target) and the number of links,
    separated by tabs. Occurrences without a link count as well, so the probabilities of a word add
    up to 1 minus the probability that it has no link.
    """
    if given not in ("source", "target"):
        raise OptionError(f"--given {given}: expected source or target")
    from calque.align.word_pairs import WordPairs
    from calque.model import Model
    from calque.model.word_links import kept_bitext
    from calque.text import open_output

    console = Console(quiet)
    loaded = Model.load(model)
    kept = kept_bitext(loaded)
    with console.stage("count links"):
        pairs = WordPairs.counted(kept.source, kept.target, kept.alignments)
        if word:
            pairs = _only(pairs, word, given, loaded)
        pairs = pairs.pruned(
            given,  # type: ignore[arg-type]  # checked above
            min_prob=min_prob,
            min_count=min_count,
            most=most,
            mass=mass,
        )
    with open_output(output) as file:
        rows = _rows(pairs, loaded)
        if json:
            file.writelines(_json_lines(rows, given))
        else:
            file.write("\t".join(HEADS) + "\n")
            for source, target, forward, reverse, count in rows:
                file.write(f"{source}\t{target}\t{forward:.6g}\t{reverse:.6g}\t{count}\n")
    if output != Path("-"):
        console.note(f"{output}: {len(pairs):,} word pairs")


Row = tuple[str, str, float, float, int]


def _only(pairs: WordPairs, words: list[str], given: str, model: Model) -> WordPairs:
    """The pairs of these words."""
    import numpy as np

    vocabulary = model.source_vocabulary if given == "source" else model.target_vocabulary
    for word in words:
        if word not in vocabulary:
            raise CalqueError(f"the model knows no {given} word '{word}'")
    column = pairs.source if given == "source" else pairs.target
    return pairs.select(np.isin(column, [vocabulary.id(word) for word in words]))


def _rows(pairs: WordPairs, model: Model) -> Iterator[Row]:
    source, target = list(model.source_vocabulary), list(model.target_vocabulary)
    columns = (pairs.source, pairs.target, pairs.given_source, pairs.given_target, pairs.counts)
    for s, t, forward, reverse, count in zip(*(column.tolist() for column in columns), strict=True):
        yield source[s], target[t], forward, reverse, count


def _json_lines(rows: Iterator[Row], given: str) -> Iterator[str]:
    at, other = (0, "target") if given == "source" else (1, "source")
    for word, some in groupby(rows, key=lambda row: row[at]):
        translations: list[dict[str, Any]] = [
            {
                other: row[1 - at],
                "prob": row[2 + at],
                "reverse_prob": row[3 - at],
                "count": row[4],
            }
            for row in some
        ]
        line = {given: word, "translations": translations}
        yield json_format.dumps(line, ensure_ascii=False) + "\n"

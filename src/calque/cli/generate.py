from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from calque.cli.common import Flags, Json, Quiet, Threads, print_json, with_flags
from calque.cli.console import Console
from calque.cli.files import WRITES
from calque.cli.log import Log
from calque.config import CorpusOptions
from calque.data import PAIRS, write_corpus
from calque.parallel import n_workers


@with_flags(CorpusOptions)
def generate(
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for the files of the corpus."), WRITES
    ],
    flags: Flags,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Generate a parallel corpus, with four references for dev and test, from a seed.

    The same seed gives the same bytes, and a smaller corpus is the beginning of a larger one.

    [bold]calque generate --out corpus --pair far --train 100000[/]
    """
    console = Console(quiet, log)
    options = flags.applied_to(CorpusOptions())
    sizes = {"train": options.train, "dev": options.dev, "test": options.test}
    files = write_corpus(out, options.pair, sizes, options.seed, n_workers(threads), console)
    if json:
        print_json({name: _plain(value) for name, value in asdict(files).items()})
        return
    console.note(f"{PAIRS[options.pair].about}: {sum(sizes.values()):,} sentence pairs in {out}")


def _plain(value: Path | tuple[Path, ...]) -> str | list[str]:
    return [str(path) for path in value] if isinstance(value, tuple) else str(value)

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from calque.cli.common import Json, Quiet, Threads, print_json
from calque.cli.console import Console
from calque.cli.files import WRITES
from calque.cli.log import Log
from calque.config import CorpusOptions
from calque.parallel import n_workers


def demo(
    out: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder for everything the demo makes."), WRITES
    ] = Path("demo"),
    seed: Annotated[
        int, typer.Option(min=0, metavar="N", help="Seed of the corpus.")
    ] = CorpusOptions.seed,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
    log: Log = None,
) -> None:
    """Run the whole path on generated text: corpora, models, tuning, translations, scores.

    [bold]calque demo --out demo[/]
    """
    from calque.cli.demonstration import REPORT, demonstrate, tabulate  # everything there is

    console = Console(quiet or json, log)
    results = demonstrate(out, seed, n_workers(threads), console)
    if json:
        print_json(results)
        return
    console.print(tabulate(results))
    for result in results:
        console.print(f"\n[bold]{result['about']}[/]")
        for sample in result["samples"]:
            console.print(f"  source      {escape(sample['source'])}")
            console.print(f"  translation [green]{escape(sample['translation'])}[/]")
            console.print(f"  reference   {escape(sample['reference'])}\n")
    console.note(
        f"Everything is in {out}; open {out / REPORT} to see the weights learn. Next:\n"
        f'calque explain --model {out}/far.model "{results[-1]["samples"][0]["source"]}"\n'
        "or your own corpus: calque train --source train.de --target train.en --model model"
    )

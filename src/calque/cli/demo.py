from __future__ import annotations

import time
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from calque.cli.common import Json, Quiet, Threads, print_json
from calque.cli.console import Console
from calque.config import CorpusOptions
from calque.data import PAIRS, CorpusFiles, write_corpus
from calque.model import ModelWriter
from calque.parallel import n_workers
from calque.text import Bitext, BitextFiles, Preprocessor, read_bitext, read_lines

N_SAMPLES = 3


def demo(
    out: Annotated[Path, typer.Option(help="Folder for everything the demo makes.")] = Path("demo"),
    seed: Annotated[int, typer.Option(help="Seed of the corpus.")] = CorpusOptions.seed,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Make a corpus of two language pairs, clean and encode it, and show what came out.

    Example: [bold]calque demo --out demo[/]
    """
    console = Console(quiet or json)
    results = [_one_pair(pair, out, seed, n_workers(threads), console) for pair in PAIRS]
    if json:
        print_json(results)
        return
    console.print(_table(results))
    for result in results:
        console.print(f"\n[bold]{result['about']}[/]")
        for source, *references in result["samples"]:
            console.print(f"  {source}", *(f"\n    {text}" for text in references))
    console.note(f"\nEverything is in {out}. Next: calque info {out}/near.model")


def _one_pair(pair: str, out: Path, seed: int, workers: int, console: Console) -> dict[str, Any]:
    begin = time.monotonic()
    defaults = CorpusOptions()
    sizes = {split: getattr(defaults, split) for split in ("train", "dev", "test")}
    files = write_corpus(out / pair, pair, sizes, seed, workers, console)
    generated = time.monotonic()
    bitext = read_bitext(
        BitextFiles(files.train_source, files.train_target), workers=workers, progress=console
    )
    encoded = time.monotonic()
    _write(out / f"{pair}.model", bitext, seed)
    return {
        "pair": pair,
        "about": PAIRS[pair].about,
        "pairs": {"read": bitext.cleaning.n_read, "kept": len(bitext), **sizes},
        "words": {"source": bitext.source.n_words, "target": bitext.target.n_words},
        "vocabulary": {
            "source": len(bitext.source_vocabulary),
            "target": len(bitext.target_vocabulary),
        },
        "mean_length": {
            "source": float(np.mean(bitext.source.lengths)),
            "target": float(np.mean(bitext.target.lengths)),
        },
        "unknown_in_test": _share_unknown(files, bitext),
        "seconds": {"generate": generated - begin, "encode": encoded - generated},
        "samples": _samples(files),
    }


def _write(path: Path, bitext: Bitext, seed: int) -> None:
    with ModelWriter(path) as writer:
        writer.json("preprocessor", Preprocessor().to_json())
        for side in ("source", "target"):
            writer.text(f"vocabulary/{side}", getattr(bitext, f"{side}_vocabulary").to_text())
            writer.array(f"bitext/{side}.ids", getattr(bitext, side).ids)
            writer.array(f"bitext/{side}.offsets", getattr(bitext, side).offsets)
        writer.commit({"seed": seed})


def _share_unknown(files: CorpusFiles, bitext: Bitext) -> float:
    text = "".join(line + "\n" for line in read_lines(files.test_source))
    return float(np.mean(bitext.source_vocabulary.encode(text).ids == 0))


def _samples(files: CorpusFiles) -> list[tuple[str, ...]]:
    columns = [read_lines(path) for path in (files.test_source, *files.test_references)]
    return list(islice(zip(*columns, strict=True), N_SAMPLES))


def _table(results: list[dict[str, Any]]) -> Table:
    table = Table("", *(result["pair"] for result in results), box=None, header_style="bold")
    rows = {
        "sentence pairs, train": lambda r: f"{r['pairs']['kept']:,}",
        "words, source / target": lambda r: _both(r["words"], ","),
        "vocabulary, source / target": lambda r: _both(r["vocabulary"], ","),
        "mean length, source / target": lambda r: _both(r["mean_length"], ".1f"),
        "unknown words in test": lambda r: f"{100 * r['unknown_in_test']:.1f} %",
        "seconds, generate / encode": lambda r: _both(r["seconds"], ".1f"),
    }
    for name, cell in rows.items():
        table.add_row(name, *(cell(result) for result in results))
    return table


def _both(values: dict[str, float], form: str) -> str:
    return " / ".join(f"{value:{form}}" for value in values.values())

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.markup import escape
from rich.table import Table

from calque.cli.common import Json, Quiet, Threads, print_json
from calque.cli.console import Console
from calque.config import CorpusOptions
from calque.data import PAIRS, write_corpus
from calque.decode import Translator
from calque.metrics import score
from calque.model import ModelFolder
from calque.model.build import build
from calque.parallel import n_workers
from calque.text import BitextFiles, read_lines

N_SAMPLES = 4


def demo(
    out: Annotated[Path, typer.Option(help="Folder for everything the demo makes.")] = Path("demo"),
    seed: Annotated[int, typer.Option(help="Seed of the corpus.")] = CorpusOptions.seed,
    threads: Threads = None,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """From nothing to translations: generate two corpora, learn from them, translate, score.

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
        for sample in result["samples"]:
            console.print(f"  source      {escape(sample['source'])}")
            console.print(f"  translation [green]{escape(sample['translation'])}[/]")
            console.print(f"  reference   {escape(sample['reference'])}\n")
    console.note(
        f"Everything is in {out}. Next: calque info {out}/near.model, or your own corpus:\n"
        "calque train --source train.de --target train.en --model model"
    )


def _one_pair(pair: str, out: Path, seed: int, workers: int, console: Console) -> dict[str, Any]:
    defaults = CorpusOptions()
    sizes = {split: getattr(defaults, split) for split in ("train", "dev", "test")}
    begin = time.monotonic()
    files = write_corpus(out / pair, pair, sizes, seed, workers, console)
    generated = time.monotonic()
    text, folder = BitextFiles(files.train_source, files.train_target), out / f"{pair}.model"
    model = build(text, folder, threads=workers, progress=console)
    trained = time.monotonic()
    sources = list(read_lines(files.test_source))
    references = [list(read_lines(path)) for path in files.test_references]
    with console.stage("translate", len(sources)) as stage:
        translations = []
        for translation in Translator(model).translate_all(sources, threads=workers):
            translations.append(translation.text)
            stage.advance()
    translated = time.monotonic()
    unknown = model.source_vocabulary.encode("\n".join(sources)).ids == 0
    rows = islice(zip(sources, translations, references[0], strict=True), N_SAMPLES)
    return {
        "pair": pair,
        "about": PAIRS[pair].about,
        "data": ModelFolder(folder).manifest.info["data"],
        "test_sentences": len(sources),
        "vocabulary": [len(model.source_vocabulary), len(model.target_vocabulary)],
        "unknown_in_test": float(np.mean(unknown)),
        "blocks": len(model.blocks),
        "ngrams": sum(model.lm.n_ngrams),
        "scores": {
            one.metric: one.value
            for one in score(translations, references, ("bleu", "chrf"), tokenize="none")
        },
        "seconds": {
            "generate": generated - begin,
            "train": trained - generated,
            "translate": translated - trained,
        },
        "samples": [
            {"source": source, "translation": translation, "reference": reference}
            for source, translation, reference in rows
        ],
    }


def _table(results: list[dict[str, Any]]) -> Table:
    table = Table("", *(result["pair"] for result in results), box=None, header_style="bold")
    rows: dict[str, Callable[[dict[str, Any]], str]] = {
        "sentence pairs, train": lambda r: f"{r['data']['pairs']:,}",
        "words, source / target": lambda r: (
            f"{r['data']['source_words']:,} / {r['data']['target_words']:,}"
        ),
        "vocabulary, source / target": lambda r: " / ".join(f"{n:,}" for n in r["vocabulary"]),
        "blocks": lambda r: f"{r['blocks']:,}",
        "n-grams": lambda r: f"{r['ngrams']:,}",
        "unknown words in test": lambda r: f"{100 * r['unknown_in_test']:.1f} %",
        "seconds: generate, train, translate": lambda r: ", ".join(
            f"{seconds:.1f}" for seconds in r["seconds"].values()
        ),
        "BLEU (untuned weights, 4 references)": lambda r: f"[bold]{r['scores']['bleu']:.1f}[/]",
        "chrF": lambda r: f"[bold]{r['scores']['chrf']:.1f}[/]",
    }
    for name, cell in rows.items():
        table.add_row(name, *(cell(result) for result in results))
    return table

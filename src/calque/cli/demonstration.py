"""What `calque demo` does: two generated corpora, a model of each, every tuner in rounds."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from calque.cli.console import Console
from calque.config import CorpusOptions
from calque.data import PAIRS, CorpusFiles, write_corpus
from calque.decode import Translator
from calque.features import Weights
from calque.metrics import score
from calque.model import Model, ModelFolder, activate_weights
from calque.model.build import build
from calque.report import read_runs, report
from calque.text import BitextFiles, open_output, read_lines
from calque.tune import DecoderTask
from calque.tune.registry import find_method

SIZES = {split: getattr(CorpusOptions(), split) for split in ("train", "dev", "test")}
"""Sentence pairs of each corpus."""
N_SAMPLES = 4
METRICS = ("bleu", "chrf")
UNTUNED = "untuned"
REPORT = "report.html"
METHODS = ("mert", "pro", "mira")
ROUNDS = 4
"""Of each training: enough to see it learn."""
QUICK = {"mert": {"restarts": 8}}
"""Options of methods that would else take most of the time."""


def demonstrate(out: Path, seed: int, workers: int, console: Console) -> list[dict[str, Any]]:
    """Facts, scores and samples of both pairs; the corpora, models and report are in `out`."""
    results = [_one_pair(pair, out, seed, workers, console) for pair in PAIRS]
    runs = [out / f"{pair}.runs" / method for pair in PAIRS for method in METHODS]
    with open_output(out / REPORT) as file:
        file.write(report(read_runs(runs)))
    return results


def _one_pair(pair: str, out: Path, seed: int, workers: int, console: Console) -> dict[str, Any]:
    begin = time.monotonic()
    files = write_corpus(out / pair, pair, SIZES, seed, workers, console)
    generated = time.monotonic()
    text, folder = BitextFiles(files.train_source, files.train_target), out / f"{pair}.model"
    model = build(text, folder, threads=workers, progress=console)
    trained = time.monotonic()
    weights = {UNTUNED: model.weights, **_tune(folder, files, out / f"{pair}.runs", console)}
    tuned = time.monotonic()
    sources = list(read_lines(files.test_source))
    references = [list(read_lines(path)) for path in files.test_references]
    texts_of = {
        name: _translate(replace(model, weights=chosen), sources, name, workers, console)
        for name, chosen in weights.items()
    }
    translated = time.monotonic()
    scores = {
        name: {
            scored.metric: scored.value
            for scored in score(texts, references, METRICS, tokenize="none")
        }
        for name, texts in texts_of.items()
    }
    best = max(scores, key=lambda name: scores[name]["bleu"])
    unknown = model.source_vocabulary.encode("\n".join(sources)).ids == 0
    rows = islice(zip(sources, texts_of[best], references[0], strict=True), N_SAMPLES)
    return {
        "pair": pair,
        "about": PAIRS[pair].about,
        "data": ModelFolder(folder).manifest.info["data"],
        "test_sentences": len(sources),
        "vocabulary": [len(model.source_vocabulary), len(model.target_vocabulary)],
        "unknown_in_test": float(np.mean(unknown)),
        "blocks": len(model.blocks),
        "ngrams": sum(model.lm.n_ngrams),
        "scores": scores,
        "seconds": {
            "generate": generated - begin,
            "train": trained - generated,
            "tune": tuned - trained,
            "translate": translated - tuned,
        },
        "samples": [
            {"source": source, "translation": translation, "reference": reference}
            for source, translation, reference in rows
        ],
    }


def _tune(folder: Path, files: CorpusFiles, runs: Path, console: Console) -> dict[str, Weights]:
    """The weights that every method finds; those of the last become the model's active ones."""
    results = {}
    for method in METHODS:
        shutil.rmtree(runs / method, ignore_errors=True)  # a demo begins anew
        task = DecoderTask(folder, files.dev_source, files.dev_references)
        options = {"rounds": ROUNDS, **QUICK.get(method, {})}
        result = find_method(method)(**options).fit(task, run=runs / method, progress=console)
        results[method] = result.weights
        activate_weights(folder, method, results[method], {"method": method, "options": options})
    return results


def _translate(
    model: Model, sources: list[str], name: str, workers: int, console: Console
) -> list[str]:
    with console.stage(f"translate, {name}", len(sources)) as stage:
        texts = []
        for translation in Translator(model).translate_all(sources, threads=workers):
            texts.append(translation.text)
            stage.advance()
    return texts


def tabulate(results: list[dict[str, Any]]) -> Table:
    """The facts of both pairs side by side."""
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
        "seconds: generate, train, tune, translate": lambda r: ", ".join(
            f"{seconds:.1f}" for seconds in r["seconds"].values()
        ),
    }
    for name, cell in rows.items():
        table.add_row(name, *(cell(result) for result in results))
    for weights in (UNTUNED, *METHODS):
        cells = (result["scores"][weights] for result in results)
        shown = (f"[bold]{scores['bleu']:.1f}[/] / {scores['chrf']:.1f}" for scores in cells)
        table.add_row(f"BLEU / chrF, 4 references, {weights}", *shown)
    return table

"""What an iteration of learning from search errors costs: by threads, and the memory it takes.

    python benchmarks/search_errors.py [--pairs 0] [--families "ruleid, wordedges"]

On multi30k where its data lie beside the clone, otherwise on generated text. Gold lattices are
found once; then one iteration of max-violation updates runs with one thread and, from the same
weights, with two. The same weights must come out.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path
from typing import Any

from _measure import SHARED, OwnMemory, alone, write_json, write_pairs
from yardstick import yardstick

from calque.config import TrainOptions, fill
from calque.model.build import build
from calque.text import BitextFiles, read_lines, write_lines
from calque.tune import DecoderTask, Maxviolation

FEW_LINES = 20
"""Of the text that is decoded after an iteration: it belongs to the method, not to its cost."""


def iteration(path: Path, dev: Path, pairs: int, threads: int) -> dict[str, Any]:
    """Seconds by clock and processor of finding the lattices and of an iteration over them."""
    task = DecoderTask(path, dev, [dev], threads=threads)
    trainer = Maxviolation(rounds=1, n_pairs=pairs, lm_folds=0)
    clock: list[tuple[float, float]] = []
    with OwnMemory() as memory, tempfile.TemporaryDirectory() as run:
        memory.peak()
        clock.append((time.monotonic(), time.process_time()))
        result = trainer.fit(
            task,
            run=Path(run) / "run",
            threads=threads,
            watch=lambda round, weights: clock.append((time.monotonic(), time.process_time())),
        )
        peak = memory.peak()
        sizes = [file.stat().st_size for file in (Path(run) / "run" / "pool").glob("gold-*")]
    (begin, cpu_begin), (found, cpu_found), (learned, cpu_learned) = clock
    scores = result.history[-1].scores or {}
    return {
        "threads": threads,
        "lattices": result.history[-1].n_candidates,
        "lattices_mb": sum(sizes) / 1e6,
        "find_s": found - begin,
        "find_cpu_s": cpu_found - cpu_begin,
        "iteration_s": learned - found,
        "iteration_cpu_s": cpu_learned - cpu_found,
        "updates": scores["updates"],
        "sparse_features": scores["sparse_features"],
        "peak_mb": peak,
        "weights": float(sum(abs(value) for value in result.weights.values())),
    }


def main() -> None:
    """Build a model, iterate with one and with two threads; write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the JSON")
    parser.add_argument("--pairs", type=int, default=0, help="the first so many; 0: all")
    parser.add_argument("--families", default="ruleid, wordedges")
    arguments = parser.parse_args()
    data = SHARED / "data" / "multi30k"
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        text = BitextFiles(data / "train.de", data / "train.en")
        if not data.is_dir():
            text = write_pairs("far", 20_000, folder)
        build(text, folder / "model", fill(TrainOptions(), {"features.sparse": arguments.families}))
        few = [line for line, _ in zip(read_lines(text.source), range(FEW_LINES), strict=False)]
        write_lines(folder / "dev", few)
        runs = [
            alone(iteration, folder / "model", folder / "dev", arguments.pairs, threads)
            for threads in (1, 2)
        ]
    one, two = runs
    facts = {
        "yardstick": yardstick(),
        "corpus": "multi30k" if data.is_dir() else "generated",
        "families": arguments.families,
        "pairs": arguments.pairs,
        "runs": runs,
        "two_threads_against_one": one["iteration_s"] / two["iteration_s"],
        "same_weights": one["weights"] == two["weights"],
    }
    write_json(arguments.out, "search_errors.json", facts)
    for run in runs:
        print({name: round(value, 2) for name, value in run.items()})
    print(f"two threads against one: {facts['two_threads_against_one']:.2f} times as fast")


if __name__ == "__main__":
    main()

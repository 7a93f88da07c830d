"""What training weights on the training text takes as it grows: seconds, memory, features.

    python benchmarks/corpus_training.py [--sizes 10000,30000,100000] [--pop-limit 400]

On generated text, with one thread: lists of the whole text with leave-one-out, a round of expected
BLEU and a pass of Costmargin on them, gold lattices and a pass of max-violation updates. With
--pop-limit 30 --list-length 10 all of this takes a third of the time.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _measure import OwnMemory, alone, write_json, write_pairs
from train import StageTimes
from yardstick import yardstick

from calque.config import LeaveOneOutOptions, TrainOptions, fill
from calque.hyps.part import Part
from calque.model.build import build
from calque.text import BitextFiles, read_lines, write_lines
from calque.tune import Costmargin, DecoderTask, Maxviolation, Trainer, Xbleu

FEW_LINES = 50
"""Of the text that chooses a round: it belongs to a run, not to what is measured."""
ENDS_AFTER_A_STEP = 1e9
"""More than weights can change: the run ends before the text is decoded again."""


def on_lists(
    name: str, model: Path, text: BitextFiles, dev: BitextFiles, lists: Path, list_length: int
) -> dict[str, Any]:
    """A round of a method that learns from lists; the first method decodes them."""
    task = DecoderTask(
        model,
        text.source,
        [text.target],
        dev_source=dev.source,
        dev_references=[dev.target],
        leave_one_out=LeaveOneOutOptions(),
        n_best=list_length,
        lists=lists,
        threads=1,
    )
    trainers: dict[str, Trainer] = {
        "xbleu": Xbleu(rounds=1, min_change=ENDS_AFTER_A_STEP),
        "costmargin": Costmargin(rounds=1, passes=1, min_change=ENDS_AFTER_A_STEP),
    }
    return run_of(trainers[name], task)


def on_lattices(model: Path, dev: BitextFiles, pairs: int, pop_limit: int) -> dict[str, Any]:
    """The gold lattices and a pass of updates over them."""
    task = DecoderTask(model, dev.source, [dev.target], threads=1)
    return run_of(Maxviolation(rounds=1, n_pairs=pairs, pop_limit=pop_limit), task)


def run_of(trainer: Trainer, task: DecoderTask) -> dict[str, Any]:
    """What each stage of a run takes, and what it learned."""
    with tempfile.TemporaryDirectory() as run, OwnMemory() as memory:
        times = StageTimes(memory)
        result = trainer.fit(task, run=Path(run) / "run", threads=1, progress=times)
        times.finish()
        files = sorted(Path(run).rglob("pool/*"))
        parts = [] if isinstance(trainer, Maxviolation) else files
        n_features = sum(len(Part.load(file).new_keys) for file in parts)
        pool = sum(file.stat().st_size for file in files)
    scores = result.history[-1].scores or {}
    return {
        "steps": times.steps,
        "candidates": result.history[0].n_candidates,
        "pool_mb": pool / 2**20,
        "sparse_features": int(scores.get("sparse_features", n_features)),
    }


def measure(size: int, families: str, pop_limit: int, list_length: int) -> Iterator[dict[str, Any]]:
    """All methods on so many pairs, each in a process of its own; what is known after each."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        text = write_pairs("far", size, folder)
        begin = time.process_time()
        options = fill(
            TrainOptions(),
            {
                "features.sparse": families,
                "decode.pop_limit": pop_limit,
                "keep_bitext_mb": 1 << 20,
            },
        )
        build(text, folder / "model", options, threads=1)
        built = time.process_time() - begin
        dev = BitextFiles(folder / "dev-source", folder / "dev-target")
        for path, whole in zip(dev.paths, text.paths, strict=True):
            lines = zip(read_lines(whole), range(FEW_LINES), strict=False)
            write_lines(path, [line for line, _ in lines])
        facts: dict[str, Any] = {"pairs": size, "train_cpu_s": built}
        for name in ("xbleu", "costmargin"):
            lists = folder / "lists"
            facts[name] = alone(on_lists, name, folder / "model", text, dev, lists, list_length)
            yield facts
        facts["maxviolation"] = alone(on_lattices, folder / "model", dev, size, pop_limit)
        yield facts


def main() -> None:
    """Measure every size; write JSON after each method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the JSON")
    parser.add_argument("--sizes", default="10000,30000,100000")
    parser.add_argument("--families", default="lexical, hierarchical, orientation-classes")
    parser.add_argument("--pop-limit", type=int, default=400, help="of every search")
    parser.add_argument("--list-length", type=int, default=20)
    arguments = parser.parse_args()
    how = {name: getattr(arguments, name) for name in ("families", "pop_limit", "list_length")}
    machine, runs = yardstick(), list[dict[str, Any]]()
    for size in map(int, arguments.sizes.split(",")):
        for run in measure(size, **how):
            facts = {"machine": machine, **how, "runs": [*runs, run]}
            print(write_json(arguments.out, "corpus-training.json", facts), size, flush=True)
        runs.append(run)


if __name__ == "__main__":
    main()

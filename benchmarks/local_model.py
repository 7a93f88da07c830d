"""What training of the local model costs: events collected and visited, and the memory they take.

    python benchmarks/local_model.py [--sentences 20000] [--passes 3] [--model DIR]

On generated text, or with a model of your own that has the features of the local model and keeps
its bitext. Seconds are those of the processor.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from _measure import OwnMemory, Watch, alone, write_json, write_pairs

from calque.config import TrainOptions, fill
from calque.model import Model
from calque.model.build import build
from calque.tune.local.events import bitext_stretches
from calque.tune.local.space import LocalSpace
from calque.tune.local.store import EventStore

OPTIONS = {
    "features": {"dense": "local-model + block_count + unknown", "sparse": "block-bigram"},
    "blocks": {"min_count": 2, "min_prob": 0.02},
}
RATE = 1e-5


def measure(path: Path, passes: int, memory_mb: int) -> dict[str, Any]:
    """Events, candidates, bytes, and events per second of every step."""
    model, watch = Model.load(path), Watch()
    space = LocalSpace(model, threads=1)
    with OwnMemory() as memory:
        before = memory.peak()
        stretches = bitext_stretches(model, space, n_alternatives=9)
        store = watch.time(
            "collect", EventStore, stretches, space.values, len(space.keys), memory_mb=memory_mb
        )
        vectors = space.vectors(model.weights)
        rates, fixed = np.full(len(vectors.dense), RATE), np.zeros(len(vectors.pairs), np.uint8)
        rng, losses = np.random.default_rng(1), []
        for _ in range(passes):
            loss = 0.0
            for at in range(len(store)):
                lesson = store[at]
                order = rng.permutation(lesson.learned)
                weights = vectors.dense, vectors.pairs
                learned = watch.time(
                    "learn", lesson.problem.learn, order, "sgd", rates, RATE, fixed, *weights
                )
                loss += learned[0]
            losses.append(loss / max(store.n_events, 1))
        peak = memory.peak() - before
    return {
        "sentences": len(model.bitext or ()),
        "blocks": len(model.blocks),
        "pairs": len(space.keys),
        "events": store.n_events,
        "candidates_per_event": store.n_candidates / max(store.n_events, 1),
        "bytes_per_event": store.n_bytes / max(store.n_events, 1),
        "memory_mb": memory_mb,
        "peak_mb": peak,
        "collected_per_second": store.n_events / watch.seconds["collect"],
        "learned_per_second": passes * store.n_events / watch.seconds["learn"],
        "losses": losses,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for the JSON")
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--memory-mb", type=int, default=2048)
    parser.add_argument("--model", type=Path, help="a model of your own")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = arguments.model
        if path is None:
            path = Path(folder) / "model"
            text = write_pairs("near", arguments.sentences, Path(folder))
            build(text, path, fill(TrainOptions(), OPTIONS, "train"))
        facts = alone(measure, path, arguments.passes, arguments.memory_mb)
    write_json(arguments.out, "local_model.json", facts)
    for name, value in facts.items():
        shown = value if isinstance(value, list) else f"{value:16,.1f}"
        print(f"{name:<24}{shown}")


if __name__ == "__main__":
    main()

"""What leave-one-out costs: the training corpus decoded with and without it, in turn.

    python benchmarks/leave_one_out.py MODEL [--pairs 3000] [--rounds 3] [--n-best 1]

The model must keep its bitext. Pairs are spread over the whole corpus. JSON goes to results/.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from _measure import Watch, write_json

from calque.config import DecodeOptions, LeaveOneOutOptions
from calque.decode import Decoder, TrainingText
from calque.model import Model

WAYS = {
    "without": None,
    "counts": LeaveOneOutOptions(),
    "counts, unseen blocks dropped": LeaveOneOutOptions(unseen_log_prob=None),
    "one-count": LeaveOneOutOptions(what="one-count"),
}
RUN = 100
"""Pairs in a row."""


def measure(model: Model, n_pairs: int, rounds: int, n_best: int) -> dict[str, Any]:
    """Processor seconds, steps of the search and the mean score of every way to decode."""
    decoder = Decoder.of(model)
    texts = {
        name: TrainingText(model, options) for name, options in WAYS.items() if options is not None
    }
    plain = TrainingText(model)
    starts = np.linspace(0, max(0, len(plain) - RUN), max(1, n_pairs // RUN)).astype(int)
    runs = [range(start, min(start + RUN, len(plain))) for start in starts.tolist()]
    watch = Watch()
    steps, scores = dict.fromkeys(WAYS, 0), dict.fromkeys(WAYS, 0.0)
    for training in texts.values():  # the index of target phrases is made once
        watch.time("index", training.left_out, range(1))
    for pairs in runs * rounds:
        source = plain.source(pairs)
        for name in WAYS:  # in turn, so that other programs disturb all alike
            batch = watch.time(
                name,
                decoder.decode_batch,
                source,
                model.weights,
                DecodeOptions(),
                n_best=n_best,
                leave_one_out=texts[name].left_out(pairs) if name in texts else None,
                threads=1,
            )
            steps[name] += sum(batch[at].n_generated for at in range(len(batch)))
            scores[name] += float(batch.scores[batch.offsets[:-1]].sum())
    n = sum(len(pairs) for pairs in runs)
    n_times = n * rounds
    seconds = {name: watch.seconds[name] / rounds for name in WAYS}
    return {
        "pairs": n,
        "rounds": rounds,
        "n_best": n_best,
        "seconds": seconds,
        "ratio": {name: seconds[name] / seconds["without"] for name in WAYS},
        "steps": {name: steps[name] // rounds for name in WAYS},
        "mean score": {name: scores[name] / n_times for name in WAYS},
        "seconds for the index": watch.seconds["index"] / len(texts),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--n-best", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("results"))
    given = parser.parse_args()
    facts = measure(Model.load(given.model), given.pairs, given.rounds, given.n_best)
    print(write_json(given.out, "leave_one_out.json", facts).read_text())


if __name__ == "__main__":
    main()

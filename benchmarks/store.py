"""What candidates on disk cost: writing and streaming more of them than the memory may hold."""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from _measure import OwnMemory, alone, write_json

from calque.decode import CandidateLists
from calque.decode.derivation_features import SparseRows
from calque.hyps import CandidatePool

AT_ONCE = 256
"""Sentences that the decoder hands over together."""
DENSE, STATISTICS = 15, 10


def lists_of(first: int, n_sentences: int, n_best: int, n_features: int) -> CandidateLists:
    """Lists of one sentence share most of their features, as those of a decoder do."""
    rng = np.random.default_rng(first)
    n = n_sentences * n_best
    own = rng.integers(0, 1 << 25, (n_sentences, 3 * n_features), np.uint64)
    picked = rng.integers(0, 3 * n_features, (n, n_features))
    keys = np.take_along_axis(np.repeat(own, n_best, axis=0), picked, axis=1)
    keys.sort(axis=1)
    return CandidateLists(
        np.full(n_sentences, n_best, np.int64),
        [f"candidate {i} of the sentences from {first} on, some ten words long" for i in range(n)],
        rng.normal(size=(n, DENSE)),
        np.zeros(n),
        SparseRows(
            np.arange(n + 1, dtype=np.int64) * n_features,
            keys.ravel(),
            np.ones(n * n_features, np.float32),
        ),
    )


def measure(
    sentences: int, n_best: int, n_features: int, memory_mb: int, folder: Path
) -> dict[str, float]:
    """A pool written to a folder and streamed from it twice."""
    with OwnMemory() as memory:
        before = memory.peak()
        pool = CandidatePool(
            sentences, [f"f{i}" for i in range(DENSE)], folder=folder, memory_mb=memory_mb
        )
        wrote, wrote_cpu = 0.0, 0.0
        for first in range(0, sentences, AT_ONCE):
            lists = lists_of(first, min(AT_ONCE, sentences - first), n_best, n_features)
            begin, own = time.perf_counter(), time.process_time()
            statistics = np.ones((len(lists.texts), STATISTICS))
            pool.add(lists, statistics, first=first, name=f"000.{first:06}")
            wrote, wrote_cpu = (
                wrote + time.perf_counter() - begin,
                wrote_cpu + time.process_time() - own,
            )
        writing = memory.peak() - before
        megabytes = pool.store.n_bytes / 2**20
        facts = {
            "sentences": sentences,
            "candidates": len(pool),
            "features": len(pool.keys()),
            "store_mb": megabytes,
            "memory_mb": memory_mb,
            "write_seconds": wrote,
            "write_cpu_seconds": wrote_cpu,
            "write_mb_per_second": megabytes / wrote,
            "peak_mb_after_writing": writing,
        }
        weights = np.ones(DENSE + len(pool.keys()))
        for number in (1, 2):
            begin, own, total = time.perf_counter(), time.process_time(), 0
            for _, lists_now in pool.store.stream():
                total += len(lists_now)
                lists_now.best(weights)
            assert total == len(pool)
            seconds = time.perf_counter() - begin
            facts[f"stream_{number}_seconds"] = seconds
            facts[f"stream_{number}_cpu_seconds"] = time.process_time() - own
            facts[f"stream_{number}_mb_per_second"] = megabytes / seconds
        facts["peak_mb"] = memory.peak() - before
        facts["index_mb"] = 24 * len(pool.keys()) / 2**20
        return facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for store.json")
    parser.add_argument("--sentences", type=int, default=29_000)
    parser.add_argument("--n-best", type=int, default=100)
    parser.add_argument("--features", type=int, default=150, help="sparse ones per candidate")
    parser.add_argument("--memory-mb", type=int, default=500)
    arguments = parser.parse_args()
    sizes = arguments.sentences, arguments.n_best, arguments.features, arguments.memory_mb
    with tempfile.TemporaryDirectory() as folder:
        facts = alone(measure, *sizes, Path(folder))
    write_json(arguments.out, "store.json", dict(facts))
    for name, value in facts.items():
        print(f"{name:<28}{value:16,.1f}")


if __name__ == "__main__":
    main()

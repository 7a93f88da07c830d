"""What learning from relevant sets costs: passes over many candidates with millions of features."""

from __future__ import annotations

import argparse
import time
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
from _measure import OwnMemory, alone, write_json
from yardstick import yardstick

from calque.decode import CandidateLists
from calque.decode.derivation_features import SparseRows
from calque.hyps import CandidatePool
from calque.metrics.bleu import BLEU_STATISTICS
from calque.metrics.registry import make_metric
from calque.parallel import n_workers
from calque.tune import Costmargin, Problem
from calque.tune.working_copy import WORKING_COPIES

AT_ONCE = 256
"""Sentences that the decoder hands over together."""
N_DENSE = 7
N_KEYS = 1 << 27
SHARED = 0.5
"""How many features of a candidate all candidates of its sentence have."""
PAPER = {
    "update": "sgd",
    "dense_rate": 1e-5,
    "sparse_rate": 1e-4,
    "dense_units": "plain",
    "average": False,
    "keep": "last",
    "candidate_score": "sentence",
}
"""The steps of Tillmann & Zhang 2008."""


def lists_of(first: int, n_sentences: int, n_best: int, n_features: int) -> CandidateLists:
    """Candidates of a sentence share half of their features, and have the rest of a few hundred.

    A fifth of the features of a sentence are frequent ones, as word pairs are; the others are rare.
    """
    rng = np.random.default_rng(first)
    n, n_shared = n_sentences * n_best, int(SHARED * n_features)
    n_own = 3 * (n_features - n_shared)
    frequent = (rng.random((n_sentences, n_shared + n_own)) ** 8 * N_KEYS).astype(np.uint64)
    rare = rng.integers(0, N_KEYS, frequent.shape, np.uint64)
    own = np.where(rng.random(frequent.shape) < 0.2, frequent, rare)
    own = np.repeat(own, n_best, axis=0)
    steps = [step for step in range(1, n_own) if gcd(step, n_own) == 1]  # nothing comes twice
    walks = rng.integers(0, n_own, (n, 1)) + rng.choice(steps, (n, 1)) * np.arange(n_own // 3)
    picked = (n_shared + walks % n_own).astype(np.int64)
    keys = np.concatenate([own[:, :n_shared], np.take_along_axis(own, picked, axis=1)], axis=1)
    keys.sort(axis=1)
    return CandidateLists(
        np.full(n_sentences, n_best, np.int64),
        [f"{first} {i}" for i in range(n)],
        rng.normal(size=(n, N_DENSE)),
        np.zeros(n),
        SparseRows(
            np.arange(n + 1, dtype=np.int64) * n_features,
            keys.ravel(),
            np.ones(n * n_features, np.float32),
        ),
    )


def statistics_of(n: int, seed: int) -> Any:
    """Statistics of BLEU for sentences of ten words with some matches."""
    rng = np.random.default_rng(seed)
    matches = np.sort(rng.integers(0, 10, (n, 4)), axis=1)[:, ::-1]
    lengths = np.full((n, 2), 10)
    return np.concatenate([lengths, matches, np.tile([10, 9, 8, 7], (n, 1))], axis=1).astype(float)


def filled(sentences: int, n_best: int, n_features: int, memory_mb: int) -> CandidatePool:
    """A pool of such candidates."""
    names = [f"f{i}" for i in range(N_DENSE)]
    pool = CandidatePool(sentences, names, memory_mb=memory_mb)
    for first in range(0, sentences, AT_ONCE):
        some = min(AT_ONCE, sentences - first)
        lists = lists_of(first, some, n_best, n_features)
        pool.add(lists, statistics_of(len(lists.texts), first), first=first)
    return pool


def measure(
    sentences: int, n_best: int, n_features: int, memory_mb: int, **options: Any
) -> dict[str, float]:
    """The time and memory of one round of learning from such a pool."""
    assert len(BLEU_STATISTICS) == 10
    with OwnMemory() as memory:
        pool = filled(sentences, n_best, n_features, memory_mb)
        lists = pool.lists()
        before = np.zeros(lists.n_features)
        threads = n_workers(None)
        free = np.ones(lists.n_features, bool)
        rng = np.random.default_rng(1)
        problem = Problem(
            lists,
            make_metric("bleu", tokenize="none"),
            free,
            1.0,
            rng,
            threads,
            on_disk=not pool.store.has_room(WORKING_COPIES),
        )
        stored = memory.peak()
        begin, own = time.perf_counter(), time.process_time()
        after = Costmargin(**options).update(problem, before)
        return {
            "sentences": sentences,
            "candidates": len(pool),
            "features_per_candidate": n_features,
            "distinct_features": len(pool.keys()),
            "store_mb": pool.store.n_bytes / 2**20,
            "memory_mb": memory_mb,
            "in_memory": float(pool.store.is_in_memory),
            "threads": threads,
            "passes": Costmargin(**options).options.passes,
            "seconds": time.perf_counter() - begin,
            "cpu_seconds": time.process_time() - own,
            "moved_weights": float(np.count_nonzero(after)),
            "peak_mb_while_storing": stored,
            "peak_mb": memory.peak(),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="for relevant_set.json")
    parser.add_argument("--sentences", type=int, default=29_000)
    parser.add_argument("--n-best", type=int, default=30)
    parser.add_argument("--features", type=int, default=175, help="sparse ones per candidate")
    parser.add_argument("--runs", nargs="*", help="only these of the runs")
    arguments = parser.parse_args()
    size = arguments.sentences, arguments.n_best, arguments.features
    facts: dict[str, Any] = {"yardstick": yardstick()}
    n_bytes = arguments.sentences * arguments.n_best * arguments.features * 5 // 2**20
    plenty = 8 * n_bytes
    runs: dict[str, tuple[tuple[int, ...], dict[str, Any]]] = {
        "paper": ((*size, plenty), PAPER),
        "half": ((size[0], size[1] // 2, size[2], plenty), PAPER),
        "default": ((*size, plenty), {}),
        "disk": ((*size, 500), PAPER),
        "many": ((5 * size[0], size[1] // 6, size[2], 500), {**PAPER, "passes": 4}),
    }
    for name in arguments.runs or runs:
        given, options = runs[name]
        found = alone(measure, *given, **options)
        n_entries = found["passes"] * found["candidates"] * found["features_per_candidate"]
        found["nanoseconds_per_entry"] = 1e9 * found["seconds"] / n_entries
        reads = facts["yardstick"]["reads_per_second"]
        found["entries_per_read_of_yardstick"] = n_entries / (found["seconds"] * reads)
        facts[name] = found
        print(name)
        for key, value in found.items():
            print(f"  {key:<32}{value:16,.2f}", flush=True)
    write_json(arguments.out, "relevant_set.json", facts)


if __name__ == "__main__":
    main()

"""How fast weights are tuned: MERT on lists of Moses and on a merged pool, PRO and MIRA beside it.

The pool has the size of the merged lists of eight rounds on Multi30k (1,014 sentences, 185,507
distinct candidates, 14 features), on which `mert` of Moses took 71.4 s with 20 restarts and one
thread, on a machine whose yardstick (benchmarks/yardstick.py) is in the same file as that figure.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from _measure import SHARED, peak_memory, write_json

from calque.hyps import CandidatePool, NBest
from calque.hyps.keys import keyed_lists
from calque.metrics.registry import make_metric
from calque.tune import NBestTask, PoolTrainer, Problem
from calque.tune.registry import find_method, method_names

SENTENCES, CANDIDATES, FEATURES = 1014, 183, 14
MOSES_MERT_S = 71.4
VOCABULARY = 3000
TRAINERS = {
    name: trainer
    for name in method_names()
    if issubclass(trainer := find_method(name), PoolTrainer)
}


def merged_pool(seed: int) -> tuple[CandidatePool, Any]:
    """A pool of damaged references whose features know, with noise, of the damage."""
    rng = np.random.default_rng(seed)
    metric = make_metric("bleu", tokenize="none")
    references, texts, damage = [], [], []
    for _ in range(SENTENCES):
        reference = rng.integers(0, VOCABULARY, rng.integers(6, 20))
        references.append(" ".join(map(str, reference)))
        for _ in range(CANDIDATES):
            share = rng.uniform(0.1, 0.7)
            words = np.where(rng.random(len(reference)) < share, -1, reference)
            words = words[rng.random(len(words)) > share / 4]
            texts.append(" ".join(map(str, words)))
            damage.append([share, len(words)])
    known = np.array(damage)
    features = rng.normal(size=(len(texts), FEATURES)) * rng.uniform(0.5, 5, FEATURES)
    features[:, :7] -= 4 * known[:, :1]
    features[:, 7] = known[:, 1]
    n = len(texts)
    nbest = NBest(
        tuple(f"f{i}" for i in range(FEATURES)),
        np.repeat(np.arange(SENTENCES), CANDIDATES),
        texts,
        np.arange(0, n * FEATURES + 1, FEATURES),
        np.tile(np.arange(FEATURES, dtype=np.int32), n),
        features.ravel(),
    )
    pool, first = CandidatePool(SENTENCES, nbest.names), 0
    prepared = metric.prepare([references])
    for lists in keyed_lists(nbest, nbest.names):
        pool.add(lists, prepared.statistics, first=first)
        first += len(lists.lengths)
    return pool, metric


def on_the_pool(pool: CandidatePool, metric: Any, threads: int) -> dict[str, Any]:
    """Seconds of one update of every method, and the scores before and after."""
    facts: dict[str, Any] = {}
    lists = pool.lists()
    start = np.ones(FEATURES)
    free = np.ones(FEATURES, bool)
    for name, trainer in TRAINERS.items():
        problem = Problem(lists, metric, free, float(FEATURES), np.random.default_rng(1), threads)
        clock, processor = time.perf_counter(), time.process_time()
        weights = trainer(seed=1).update(problem, start)
        facts[name] = {
            "seconds": time.perf_counter() - clock,
            "processor_seconds": time.process_time() - processor,
            "bleu": [problem.score(start), problem.score(weights)],
        }
    return facts


def on_lists_of_moses(threads: int) -> dict[str, Any] | None:
    """The same with `fit` on real lists, where they are present."""
    lists = SHARED / "data" / "moses" / "multi30k.dev.nbest100.gz"
    if not lists.exists():
        return None
    references = Path("results") / "moses.references"
    references.parent.mkdir(exist_ok=True)
    lines = (SHARED / "data" / "multi30k" / "dev.en").read_text(encoding="utf-8").splitlines()
    references.write_text("".join(line + "\n" for line in lines[:300]), encoding="utf-8")
    facts = {}
    for name, trainer in TRAINERS.items():
        clock, processor = time.perf_counter(), time.process_time()
        result = trainer(seed=1).fit(NBestTask(lists, [references]), threads=threads)
        facts[name] = {
            "seconds": time.perf_counter() - clock,
            "processor_seconds": time.process_time() - processor,
            "bleu": [result.history[0].score, result.score],
        }
    return facts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for tuning.json")
    parser.add_argument("--threads", type=int, default=1, help="threads; the peer had one")
    arguments = parser.parse_args()
    pool, metric = merged_pool(1)
    facts = {
        "candidates": len(pool),
        "features": FEATURES,
        "threads": arguments.threads,
        "pool": on_the_pool(pool, metric, arguments.threads),
        "moses_lists": on_lists_of_moses(arguments.threads),
        "moses_mert_s": MOSES_MERT_S,
        "peak_memory_mb": peak_memory(),
    }
    write_json(arguments.out, "tuning.json", facts)
    for where in ("pool", "moses_lists"):
        for name, found in (facts[where] or {}).items():
            bleu = f"BLEU {found['bleu'][0]:.2f} -> {found['bleu'][1]:.2f}"
            seconds = f"{found['seconds']:.1f} s, {found['processor_seconds']:.1f} s of processor"
            print(f"{where:<12}{name:<6}{seconds}, {bleu}")
    print(f"{facts['candidates']:,} candidates; Moses's mert on as many: {MOSES_MERT_S} s")


if __name__ == "__main__":
    main()

"""Growth transformation beside RPROP: forty iterations on lists of blocks, time and memory.

The lists have as many active blocks as those of Wuebker et al. 2015 (921 thousand), and with
siblings as many values are re-estimated (6.6 times as many): section 6.2 of the paper has 16 hours
and 6.7 GB against 2.5 hours and 2.1 GB.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from _measure import OwnMemory, alone, write_json
from relevant_set import N_KEYS, filled
from xbleu import ITERATIONS, RPROP, advanced, landscape_of
from yardstick import yardstick

from calque.hyps import CandidatePool
from calque.parallel import n_workers
from calque.tune.updates.gradient import GradientRprop
from calque.tune.xbleu.ascent import Ascent, FullSteps
from calque.tune.xbleu.growth import Conditional, Growth

MEMORY_MB = 32_000
SIBLINGS = 6.6
"""Blocks that share a phrase with an active one, and these, for every active one."""
PER_SOURCE, PER_TARGET = 13, 3
"""Blocks of a source phrase and of a target phrase."""
KL = 1e-6


def growth_of(pool: CandidatePool) -> Growth:
    """Both distributions of a table of blocks that the pool has some of; all get a column."""
    rng = np.random.default_rng(1)
    active = pool.keys()
    n_blocks = int(SIBLINGS * len(active))
    others = N_KEYS + np.arange(n_blocks - len(active), dtype=np.uint64)
    keys = rng.permutation(np.concatenate([active, others]))
    pool.reserve_keys(keys)
    sources = np.arange(n_blocks) // PER_SOURCE  # tables have blocks by their source phrase
    targets = rng.permutation(n_blocks) // PER_TARGET
    conditionals = tuple(
        Conditional.of(phrases, np.log(1 - rng.random(n_blocks)), 0.3)
        for phrases in (sources, targets)
    )
    return Growth(conditionals, pool.columns(keys).astype(np.int64), KL)


def measure(sentences: int, n_best: int, n_blocks: int, update: str) -> dict[str, float]:
    """Forty iterations of one update; memory is what no file stands behind, lists included."""
    with OwnMemory() as memory:
        pool = filled(sentences, n_best, n_blocks, MEMORY_MB)
        active = len(pool.keys())
        ascent: Ascent = growth_of(pool) if update == "gt" else FullSteps(GradientRprop(*RPROP))
        here = landscape_of(pool, n_workers(None), "core")
        n_weights = len(pool.keys())
        memory.peak()  # making the lists is the same for all
        begin, own = time.perf_counter(), time.process_time()
        expected = advanced(ascent, here, n_weights, ITERATIONS)
        return {
            "sentences": sentences,
            "candidates": len(pool),
            "active_blocks": active,
            "updated_values": n_weights * (2 if update == "gt" else 1),
            "entries": here.copy.n_entries,
            "expected": expected,
            "seconds": time.perf_counter() - begin,
            "cpu_seconds": time.process_time() - own,
            "peak_mb": memory.peak(),
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="for xbleu-growth.json")
    parser.add_argument("--sentences", type=int, default=29_000)
    parser.add_argument("--n-best", type=int, default=100)
    parser.add_argument("--blocks", type=int, default=16, help="per candidate")
    arguments = parser.parse_args()
    size = arguments.sentences, arguments.n_best, arguments.blocks
    facts: dict[str, Any] = {"yardstick": yardstick()}
    for update in ("rprop", "gt"):
        facts[update] = alone(measure, *size, update)
        print(update)
        for key, value in facts[update].items():
            print(f"  {key:<20}{value:20,.3f}", flush=True)
    for figure in ("cpu_seconds", "peak_mb"):
        facts[f"times_{figure}"] = facts["gt"][figure] / facts["rprop"][figure]
        print(f"gt to rprop, {figure}: {facts[f'times_{figure}']:.1f}")
    write_json(arguments.out, "xbleu-growth.json", facts)


if __name__ == "__main__":
    main()

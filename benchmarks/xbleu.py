"""What expected BLEU costs: a pass of its gradient over many candidates, and forty iterations."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_args

import numpy as np
from _measure import OwnMemory, alone, write_json
from relevant_set import filled
from yardstick import yardstick

from calque.hyps import CandidatePool, Lists
from calque.metrics.expected_bleu import ExpectedBleu
from calque.parallel import n_workers
from calque.tune.problem import Vector
from calque.tune.updates.gradient import GradientAdaGrad, GradientRprop
from calque.tune.xbleu.ascent import Ascent, BatchSteps, FullSteps
from calque.tune.xbleu.devices import Device, check_device
from calque.tune.xbleu.landscape import Landscape, Terms

TIMES = 5
ITERATIONS = 40
READ_BYTES = 1 << 30
PER_CANDIDATE = 32
"""Bytes of a candidate beside its entries: where they begin, how many are 1, base score, worth."""
USUAL = ("memory", "half", "disk", "many")
RPROP = (0.03, 1e-3, 1.2, 0.5, 1e-9, 1.0, False)


def best_of(work: Callable[[], object], times: int = TIMES) -> tuple[float, float]:
    """Seconds by the clock and of the processor, each of the fastest of several runs."""

    def once() -> tuple[float, float]:
        begin, own = time.perf_counter(), time.process_time()
        work()
        return time.perf_counter() - begin, time.process_time() - own

    clock, processor = zip(*(once() for _ in range(times)), strict=True)
    return min(clock), min(processor)


def bandwidth(threads: int) -> tuple[float, float]:
    """Bytes that so many threads read together, one after the other, in a second.

    By the clock, and of the processor: what one core reads, whoever works beside.
    """
    arrays = [np.ones(READ_BYTES // 8 // threads) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:
        seconds, processor = best_of(lambda: list(pool.map(np.sum, arrays)))
    return READ_BYTES / seconds, READ_BYTES / processor


def gpu_bandwidth() -> float:
    """Bytes per second that a GPU reads, one after the other."""
    import torch  # here: only this needs it

    array = torch.ones(READ_BYTES // 8, dtype=torch.float64, device="cuda")
    seconds, _ = best_of(lambda: float(array.sum()))
    return READ_BYTES / seconds


def device_seconds(total: Any, weights: Vector) -> float:
    """What a pass takes on a GPU alone, with weights and derivatives that stay there."""
    import torch

    there = torch.tensor(weights, device="cuda")

    def work() -> None:
        total.on_device(there, with_derivatives=True)
        torch.cuda.synchronize()

    work()
    return best_of(work, 2 * TIMES)[0]


def landscape_of(pool: CandidatePool, threads: int, device: Device) -> Landscape:
    """The objective over such a pool, in which sparse weights move."""
    store, n_dense = pool.store, len(pool.dense_names)
    bleu = ExpectedBleu()

    def worths(first: int, lists: Lists) -> Vector:
        return bleu.sentence_scores(lists.statistics) / 100

    terms = Terms(worths, 1.0, 1e-8, 2, device)
    n_weights = n_dense + len(pool.keys())
    moving = np.arange(n_weights) >= n_dense
    return Landscape(store, terms, moving, np.full(n_weights, 0.1), np.ones(n_dense), threads)


def n_bytes_read(here: Landscape) -> int:
    """What a pass reads of the lists, one after the other.

    In the core values of 1 and -1 are not looked at, and what is masked has no entries; torch has
    everything twice.
    """
    copy = here.copy
    if on_torch := getattr(here.objective.total, "n_bytes", 0):
        return int(on_torch)
    masked = sum(array.nbytes for array in copy.masked_of(0, copy.n_sentences) or ())
    entries = 4 * len(copy.places) + 4 * len(copy.features)
    return masked + entries + PER_CANDIDATE * int(copy.offsets[-1])


def advanced(ascent: Ascent, here: Landscape, n_weights: int, iterations: int) -> float:
    """The expected worth after so many iterations from 0."""
    weights, rng = np.zeros(n_weights), np.random.default_rng(1)
    ascent.grow(n_weights, here.n_dense)
    for _ in range(iterations):
        ascent.advance(here.objective, weights, here.n_dense, rng)
    return here.objective.value(weights).expected


def measure(
    sentences: int, n_best: int, n_features: int, memory_mb: int, device: Device
) -> dict[str, float]:
    """Times and memory of such lists."""
    threads = n_workers(None)
    with OwnMemory() as memory:
        pool = filled(sentences, n_best, n_features, memory_mb)
        n_sparse = len(pool.keys())
        begin = time.perf_counter()
        here = landscape_of(pool, threads, device)
        copied, stored = time.perf_counter() - begin, memory.peak()
        objective, weights = here.objective, np.zeros(n_sparse)
        value_seconds, _ = best_of(lambda: objective.value(weights))
        seconds, processor = best_of(lambda: objective.gradient(weights))
        found: dict[str, float] = {
            "sentences": sentences,
            "candidates": len(pool),
            "features_per_candidate": n_features,
            "distinct_features": n_sparse,
            "store_mb": pool.store.n_bytes / 2**20,
            "copy_mb": here.copy.n_bytes / 2**20,
            "entries": here.copy.n_entries,
            "memory_mb": memory_mb,
            "in_memory": float(pool.store.is_in_memory),
            "threads": threads,
            "copy_seconds": copied,
            "value_seconds": value_seconds,
            "gradient_seconds": seconds,
            "gradient_cpu_seconds": processor,
            "gradient_bytes": n_bytes_read(here),
            "gradient_bytes_per_second": n_bytes_read(here) / seconds,
            "gradient_bytes_per_cpu_second": n_bytes_read(here) / processor,
            "entries_per_cpu_second": here.copy.n_entries / processor,
        }
        begin, own = time.perf_counter(), time.process_time()
        found["rprop_expected"] = advanced(
            FullSteps(GradientRprop(*RPROP)), here, n_sparse, ITERATIONS
        )
        found["rprop_seconds"] = time.perf_counter() - begin
        found["rprop_cpu_seconds"] = time.process_time() - own
        begin, own = time.perf_counter(), time.process_time()
        small = BatchSteps(GradientAdaGrad(0.01, 0.01, 0.0), 32)
        found["adagrad_batch_expected"] = advanced(small, here, n_sparse, 1)
        found["adagrad_batch_seconds"] = time.perf_counter() - begin
        found["adagrad_batch_cpu_seconds"] = time.process_time() - own
        found["peak_mb_while_storing"] = stored
        found["peak_mb"] = memory.peak()
    if device == "cuda":
        found["device_seconds"] = device_seconds(objective.total, weights)
        found["bandwidth"] = gpu_bandwidth()
        found["share_of_bandwidth"] = (
            found["gradient_bytes"] / found["device_seconds"] / found["bandwidth"]
        )
    else:
        found["bandwidth"], own_bandwidth = bandwidth(threads)
        found["bandwidth_per_cpu_second"] = own_bandwidth
        found["share_of_bandwidth"] = found["gradient_bytes_per_cpu_second"] / own_bandwidth
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="for xbleu.json")
    parser.add_argument("--sentences", type=int, default=29_000)
    parser.add_argument("--n-best", type=int, default=100)
    parser.add_argument("--features", type=int, default=150, help="sparse ones per candidate")
    parser.add_argument("--device", choices=get_args(Device), default="core")
    parser.add_argument(
        "--runs",
        nargs="*",
        help="only these: also eighth, quarter, half-million and million, of so many sentences",
    )
    arguments = parser.parse_args()
    check_device(arguments.device)
    size = arguments.sentences, arguments.n_best, arguments.features
    facts: dict[str, Any] = {"yardstick": yardstick(), "device": arguments.device}
    runs = {
        "memory": (*size, 32_000),
        "half": (size[0] // 2, *size[1:], 32_000),
        "disk": (*size, 500),
        "many": (4 * size[0], size[1] // 4, size[2], 500),
        "eighth": (125_000, 10, 60, 500),
        "quarter": (250_000, 10, 60, 500),
        "half-million": (500_000, 10, 60, 500),
        "million": (1_000_000, 10, 60, 500),
    }
    for name in arguments.runs or USUAL:
        facts[name] = alone(measure, *runs[name], arguments.device)
        print(name)
        for key, value in facts[name].items():
            print(f"  {key:<32}{value:20,.3f}", flush=True)
    write_json(arguments.out, "xbleu.json", facts)


if __name__ == "__main__":
    main()

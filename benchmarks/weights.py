"""What tens of millions of sparse weights cost: memory, saving, loading, lookups per second."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _measure import OwnMemory, alone, write_json
from numpy.typing import NDArray

from calque._core import SparseTable
from calque.features import SparseWeights, Weights
from calque.model import (
    ModelFolder,
    ModelWriter,
    activate_weights,
    read_weights,
    write_weights,
)
from calque.tune.run import FORMAT, Round, Run

PIECE = 1 << 20
"""Keys generated at a time, so that their arrays do not count."""
TEMPLATES = 40
"""Families of keys: those of one share the upper 16 bits, as features' do."""


def keys_of(begin: int, size: int) -> NDArray[np.uint64]:
    """Distinct keys with few values in the upper 16 bits and hashed lower ones."""
    rng = np.random.default_rng(begin)
    template = rng.integers(0, TEMPLATES, size, np.uint64) * np.uint64(0x9E37) % np.uint64(1 << 16)
    keys: NDArray[np.uint64] = template << np.uint64(48) | rng.integers(0, 1 << 48, size, np.uint64)
    return keys


def timed(name: str, work: Callable[[], object]) -> dict[str, float]:
    """Seconds by the clock, where disks and other programs count, and of the processor."""
    begin, own = time.perf_counter(), time.process_time()
    work()
    return {
        f"{name}_seconds": time.perf_counter() - begin,
        f"{name}_cpu_seconds": time.process_time() - own,
    }


def grow(size: int, folder: Path) -> dict[str, float]:
    """A table that grows entry by entry, then is saved."""
    with OwnMemory() as memory:
        before = memory.peak()
        table = SparseTable()
        seconds = 0.0
        for begin in range(0, size, PIECE):
            n = min(PIECE, size - begin)
            keys, values = keys_of(begin, n), np.ones(n, np.float32)
            start = time.process_time()
            table.add_many(keys, values)
            seconds += time.process_time() - start
        peak = memory.peak() - before
        facts = {
            "entries": len(table),
            "add_cpu_seconds": seconds,
            "table_mb": table.n_bytes / 2**20,
            "growing_peak_mb": peak,
        }
        weights = Weights({}, SparseWeights(table))

        def save() -> None:
            with ModelWriter(folder) as writer:
                write_weights(writer, "default", weights)
                writer.commit({})

        return {**facts, **timed("save", save), "saving_peak_mb": memory.peak() - before}


def load(size: int, folder: Path) -> dict[str, float]:
    """The saved table in a fresh process, and lookups of keys present and absent."""
    with OwnMemory() as memory:
        before = memory.peak()
        loaded: list[Weights] = []
        facts = timed("load", lambda: loaded.append(read_weights(ModelFolder(folder))))
        facts["loaded_peak_mb"] = memory.peak() - before
    sparse = loaded[0].sparse
    some = range(0, size, max(PIECE, size // 8))
    pieces = [keys_of(begin, min(PIECE, size - begin)) for begin in some]
    absent = np.random.default_rng(99).integers(0, 1 << 64, PIECE, np.uint64)
    for name, keys in {"hits": np.concatenate(pieces), "misses": absent}.items():
        one = time.process_time()
        sparse.lookup(keys)
        facts[f"{name}_per_second"] = len(keys) / (time.process_time() - one)
    return facts


def carry(size: int, folder: Path) -> dict[str, float]:
    """What a training does with weights: start, checkpoint, resume, into a model and back."""
    with OwnMemory() as memory:
        before = memory.peak()
        start = read_weights(ModelFolder(folder))
        begin, own = time.perf_counter(), time.process_time()
        header = {"format": FORMAT}
        run = Run(folder.with_name("run"), header)
        run.begin(0, start, {})
        run.finish(Round(0, 1.0, 1.0), start, {}, {0})
        run.close()
        del start
        resumed = Run(folder.with_name("run"), header)
        weights = resumed.weights(1)
        resumed.close()
        activate_weights(folder, "tuned", weights, {})
        del weights, resumed, run
        back = read_weights(ModelFolder(folder), "tuned")
        assert len(back.sparse) >= size * 0.999
        return {
            "carried": len(back.sparse),
            "carry_seconds": time.perf_counter() - begin,
            "carry_cpu_seconds": time.process_time() - own,
            "carry_peak_mb": memory.peak() - before,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for weights.json")
    parser.add_argument("--entries", type=int, default=50_000_000, help="weights")
    parser.add_argument(
        "--carried", type=int, default=35_000_000, help="weights that go through a run"
    )
    arguments = parser.parse_args()
    size = arguments.entries
    with tempfile.TemporaryDirectory() as folder:
        facts = alone(grow, size, Path(folder) / "model")
        facts |= alone(load, size, Path(folder) / "model")
        carried = alone(grow, arguments.carried, Path(folder) / "smaller" / "model")
        assert carried["entries"] > 0
        facts |= alone(carry, arguments.carried, Path(folder) / "smaller" / "model")
    write_json(arguments.out, "weights.json", dict(facts))
    for name, value in facts.items():
        print(f"{name:<20}{value:16,.1f}")


if __name__ == "__main__":
    main()

"""What benchmarks share: clocks, memory, generated text, a place for results."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from calque.data import generate
from calque.parallel import OwnMemory, alone, n_workers, peak_memory
from calque.text import BitextFiles, open_output

__all__ = [
    "SHARED",
    "OwnMemory",
    "Watch",
    "alone",
    "forget_peak",
    "peak_memory",
    "seconds_of_best",
    "write_json",
    "write_pairs",
]

Given = ParamSpec("Given")
Result = TypeVar("Result")

SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Where real corpora and the figures of other systems lie, on machines that have them."""


class Watch:
    """Processor seconds per stage: less at the mercy of other programs than the clock."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def time(
        self, stage: str, work: Callable[Given, Result], *args: Given.args, **named: Given.kwargs
    ) -> Result:
        """The result of `work`, whose time is added to `stage`."""
        start = time.process_time()
        result = work(*args, **named)
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.process_time() - start
        return result


def seconds_of_best(work: Callable[[], object], times: int) -> float:
    """The processor seconds of the fastest of so many runs."""

    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(times))


def forget_peak() -> None:
    """Let `peak_memory` forget what this process held before, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def write_pairs(pair: str, size: int, folder: Path) -> BitextFiles:
    """The files of so many generated sentence pairs."""
    text = BitextFiles(folder / "source", folder / "target")
    with open_output(text.source) as source, open_output(text.target) as target:
        for example in generate(pair, "train", size, seed=1, workers=n_workers()):
            source.write(example.source + "\n")
            target.write(example.targets[0] + "\n")
    return text


def write_json(folder: Path, name: str, facts: dict[str, Any]) -> Path:
    """The file `name` in `folder`, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    return path

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

Given = ParamSpec("Given")
Result = TypeVar("Result")


def alone(work: Callable[Given, Result], *args: Given.args, **named: Given.kwargs) -> Result:
    """The result of `work` in a fresh process, whose memory nothing else has touched.

    `work` must be picklable, like that of `ordered_map`.
    """
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, *args, **named).result()


def peak_memory() -> float:
    """The most memory that this process held at once, in MB."""
    peak = status_mb("VmHWM")
    if peak is None:  # not Linux
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return peak


def status_mb(field: str) -> float | None:
    """A figure of the system about this process, or none where it keeps none (not Linux)."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return None
    return float(status.partition(f"{field}:")[2].split()[0]) / 1024

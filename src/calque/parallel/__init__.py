"""Where work runs: the one place that decides how many threads, processes or machines there are."""

from calque.parallel.alone import alone
from calque.parallel.choose import engine_of
from calque.parallel.count import n_workers
from calque.parallel.engine import Engine, Shared, combined
from calque.parallel.here import Here
from calque.parallel.memory import OwnMemory, left_mb, peak_memory
from calque.parallel.processes import Processes, ordered_map
from calque.parallel.threads import Threads

__all__ = [
    "Engine",
    "Here",
    "OwnMemory",
    "Processes",
    "Shared",
    "Threads",
    "alone",
    "combined",
    "engine_of",
    "left_mb",
    "n_workers",
    "ordered_map",
    "peak_memory",
]

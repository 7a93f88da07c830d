"""Where work runs: the one place that decides how many threads or workers there are."""

from calque.parallel.alone import alone, peak_memory
from calque.parallel.count import n_workers
from calque.parallel.local import ordered_map

__all__ = ["alone", "n_workers", "ordered_map", "peak_memory"]

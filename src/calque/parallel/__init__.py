"""Where work runs: the one place that decides how many threads or workers there are."""

from calque.parallel.count import n_workers
from calque.parallel.local import ordered_map

__all__ = ["n_workers", "ordered_map"]

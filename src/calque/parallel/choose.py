from __future__ import annotations

from calque.errors import OptionError
from calque.parallel.engine import Engine
from calque.parallel.here import Here
from calque.parallel.processes import Processes

PROCESSES = "processes"
AUTO = "auto"
SCHEME = "ray://"


def engine_of(place: str | None = None, threads: int | None = None) -> Engine:
    """The engine of a name: none for threads here, `processes`, or a Ray cluster.

    A cluster is `auto`, the one that this machine belongs to, or an address `ray://HOST:PORT`.
    `threads` is the number of threads or processes here. Raises `OptionError` for other names.
    """
    if place is None:
        return Here(threads)
    if place == PROCESSES:
        return Processes(threads)
    if place != AUTO and not place.startswith(SCHEME):
        raise OptionError(
            f"cluster={place}: expected {AUTO}, an address such as {SCHEME}HOST:10001, or"
            f" {PROCESSES} for processes of this machine"
        )
    from calque.parallel.on_ray import OnRay

    return OnRay(place)

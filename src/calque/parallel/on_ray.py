"""A cluster of Ray: the only file of the package that imports it."""

from __future__ import annotations

import logging
import os
import socket
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from typing import Any, Generic

from calque.errors import CalqueError, OptionError
from calque.parallel.engine import Engine, Item, Result, Shared, Value

try:
    import ray
except ImportError as error:
    raise OptionError(
        "a cluster needs Ray, which is not installed: pip install 'calque[cluster]'"
    ) from error

AHEAD = 2
"""Items per processor of the cluster that are drawn ahead of the consumer."""
TRIES = 5
"""How often a task is begun before it is given up, whatever happens to nodes and workers."""
REMEMBERED = 4
"""Shared values that a worker keeps."""
SECONDS_TO_ANSWER = 10
OF_LARGE_ITEMS = "More than 10MB of messages"
"""How a warning of Ray begins: items are as large as their work needs them."""
VERSION = version("calque")


class OnRay(Engine):
    """Runs tasks on the machines of a Ray cluster.

    What a lost machine was to do is done again elsewhere; machines that join take part. Paths that
    tasks open (model folders, above all) must be the same on all machines: a shared disk.
    """

    threads_per_task = 1

    def __init__(self, address: str) -> None:
        """Connect: `auto` is the cluster that this machine belongs to, else an address."""
        warnings.filterwarnings("ignore", OF_LARGE_ITEMS)
        try:
            _check_answers(os.environ.get("RAY_ADDRESS", "") if address == "auto" else address)
            ray.init(
                address=address,
                log_to_driver=False,
                logging_level=logging.ERROR,
                ignore_reinit_error=True,
            )
        except ImportError as error:
            raise OptionError(
                f"cluster={address}: an address needs Ray's client, which is not installed:"
                " pip install 'calque[cluster]'"
            ) from error
        except (OSError, ValueError, RuntimeError) as error:
            raise CalqueError(
                f"no Ray cluster answers at '{address}': expected one that runs, begun with"
                " 'ray start --head', and 'auto' or its address, ray://HOST:10001"
            ) from error
        self._run = ray.remote(max_retries=TRIES - 1)(_run)

    def ordered_map(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """The results of `work` on every item, at most two per processor ahead."""
        task = _put(work)
        waiting: deque[Any] = deque()
        try:
            for item in items:
                waiting.append(self._run.remote(VERSION, task, item))
                if len(waiting) >= AHEAD * _n_processors():
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        finally:
            for reference in waiting:
                ray.cancel(reference)

    def share(self, value: Value) -> Shared[Value]:
        """The value in the memory of the cluster."""
        return _InCluster(_put(value))

    def close(self) -> None:
        """Leave the cluster, which goes on."""
        ray.shutdown()


def _check_answers(address: str) -> None:
    """Raise `OSError` where nothing listens at an address: Ray itself would try for minutes."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if colon and port.isdigit():
        socket.create_connection((host, int(port)), timeout=SECONDS_TO_ANSWER).close()


@dataclass(frozen=True)
class _InCluster(Shared[Value], Generic[Value]):
    reference: Any

    def get(self) -> Value:
        value: Value = _fetched(self.reference)
        return value


@lru_cache(maxsize=REMEMBERED)
def _fetched(reference: Any) -> Any:
    return ray.get(reference)


def _put(value: Any) -> Any:
    """A reference to a value in the memory of the cluster, or on its disks where that is full."""
    try:
        return ray.put(value)
    except (ray.exceptions.RayError, ConnectionError) as error:
        raise CalqueError(
            f"the cluster cannot keep what its workers need: {_first(error)}"
        ) from error


def _run(driver: str, work: Callable[[Any], Any], item: Any) -> Any:
    if driver != VERSION:
        raise CalqueError(
            f"a machine of the cluster has calque {VERSION}, but the command is of {driver}:"
            " expected the same version everywhere"
        )
    return work(item)


def _result(reference: Any) -> Any:
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    except (ray.exceptions.RayError, ConnectionError) as error:
        raise CalqueError(
            f"the cluster lost a part of the work {TRIES} times, or cannot be reached:"
            f" {_first(error)}"
        ) from error


def _first(error: Exception) -> str:
    """The first line of what Ray says, which may be many."""
    return str(error).strip().partition("\n")[0]


def _n_processors() -> int:
    """Those of the cluster as it is now: machines come and go."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))

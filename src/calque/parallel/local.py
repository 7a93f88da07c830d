from __future__ import annotations

import os
import signal
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess, parent_process
from threading import Lock, Thread
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def ordered_map(
    work: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Iterator[Result]:
    """The results of `work` on every item, in the order of the items, from `workers` processes.

    For Python work that would hold the interpreter's lock; kernels of the core take threads
    instead. Items are drawn lazily, at most four per worker ahead of the consumer, so a stream of
    any length runs in bounded memory. With one worker everything happens in this process. `work`
    must be picklable: a function of an importable module, not of the script that is run, or a
    partial of one. An exception of `work` rises here, at the place of its item.
    """
    if workers == 1:
        yield from map(work, items)
        return
    # Not forked: a fork inherits the locks of every thread that the caller may have running.
    pool = ProcessPoolExecutor(workers, mp_context=_Context(), initializer=_begin)
    waiting: deque[Future[Result]] = deque()
    try:
        for item in items:
            with _interrupts_held():  # a new process inherits this until it can ignore them
                waiting.append(pool.submit(work, item))
            if len(waiting) >= 4 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class _Process(SpawnProcess):
    """A new interpreter that does not run the caller's script.

    By default it would, to know what the script defines, and a script without the guard
    `if __name__ == "__main__"` would begin all its work anew in every worker.
    """

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: N802  # the name is multiprocessing's
        with _main_hidden():
            return SpawnProcess._Popen(process_obj)


class _Context(SpawnContext):
    Process = _Process


_STARTING = Lock()


@contextmanager
def _main_hidden() -> Iterator[None]:
    """The script that is run has no name and no file: nothing that a new process could import."""
    with _STARTING:
        main = vars(sys.modules["__main__"])
        names = ("__spec__", "__file__")
        known: dict[str, Any] = {name: main.pop(name) for name in names if name in main}
        main["__spec__"] = None
        try:
            yield
        finally:
            del main["__spec__"]
            main.update(known)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Ctrl-C waits until the block ends."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """Leave Ctrl-C to the parent, which stops the pool cleanly; end where the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        Thread(target=_follow, args=[parent.sentinel], daemon=True).start()


def _follow(parent: int) -> None:
    """End this process when the parent has ended, killed or not."""
    wait([parent])
    os._exit(1)

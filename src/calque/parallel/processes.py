from __future__ import annotations

import os
import pickle
import signal
import sys
import tempfile
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess, parent_process
from pathlib import Path
from threading import Lock, Thread
from typing import IO, Any, Generic

from calque.errors import CalqueError, FileError
from calque.parallel.count import n_workers
from calque.parallel.engine import Engine, Item, Result, Shared, Value
from calque.parallel.interrupts import interrupts_held

AHEAD = 4
"""Items per worker that are drawn ahead of the consumer."""
TRIES = 3
"""How often a task is begun before it is held to be what kills its workers."""
REMEMBERED = 4
"""Shared values that a worker keeps."""


def ordered_map(
    work: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Iterator[Result]:
    """The results of `work` on every item, in the order of the items, from `workers` processes.

    For Python work that would hold the interpreter's lock; kernels of the core take threads
    instead. With one worker everything happens in this process. See `Engine.ordered_map`.
    """
    if workers == 1:
        yield from map(work, items)
        return
    with Processes(workers) as engine:
        yield from engine.ordered_map(work, items)


class Processes(Engine):
    """Runs tasks in new interpreters of this machine, which stay until the engine is closed.

    A worker that dies is replaced, and what it was to do is done again.
    """

    threads_per_task = 1

    def __init__(self, workers: int | None = None) -> None:
        """Take the number of processes; as many as cores by default. They start with the work."""
        self._n_workers = n_workers(workers)
        self._pool: ProcessPoolExecutor | None = None
        self._n_shared = 0

    def ordered_map(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """The results of `work` on every item, at most four per worker ahead of the consumer."""
        waiting: deque[tuple[Item, Future[Result]]] = deque()
        try:
            for item in items:
                waiting.append((item, self._submit(work, item)))
                if len(waiting) >= AHEAD * self._n_workers:
                    yield self._first(work, waiting)
            while waiting:
                yield self._first(work, waiting)
        finally:
            for _, future in waiting:
                future.cancel()

    def share(self, value: Value) -> Shared[Value]:
        """The value in a file that has no name and vanishes with what is returned here."""
        file = _unnamed_file()
        try:
            pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)
            file.flush()
        except OSError as error:
            with suppress(OSError):  # it tries to write the rest
                file.close()
            what = f"what workers share cannot be written here: {error.strerror or error}"
            raise FileError(tempfile.gettempdir(), what) from error
        self._n_shared += 1
        shared: _InFile[Value] = _InFile(_path_of(file), self._n_shared)
        weakref.finalize(shared, file.close)
        return shared

    def close(self) -> None:
        """End the workers."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _first(
        self, work: Callable[[Item], Result], waiting: deque[tuple[Item, Future[Result]]]
    ) -> Result:
        """The result of the item that has waited longest, after which it waits no more."""
        for _ in range(TRIES):
            try:
                result = waiting[0][1].result()
            except BrokenProcessPool:
                self._pool = None
                again = [(item, self._submit(work, item)) for item, _ in waiting]
                waiting.clear()
                waiting.extend(again)
            else:
                waiting.popleft()
                return result
        raise CalqueError(
            f"a worker process ended {TRIES} times without a result on the same part of the work:"
            " was it killed for lack of memory? Fewer workers need less"
        )

    def _submit(self, work: Callable[[Item], Result], item: Item) -> Future[Result]:
        with interrupts_held():  # a new process inherits this until it can ignore them
            while True:
                if self._pool is None:
                    # Not forked: a fork inherits the locks of every thread that may be running.
                    self._pool = ProcessPoolExecutor(
                        self._n_workers, mp_context=_Context(), initializer=_begin
                    )
                try:
                    return self._pool.submit(work, item)
                except BrokenProcessPool:  # a worker died while nobody waited for it
                    self._pool = None


@dataclass(frozen=True)
class _InFile(Shared[Value], Generic[Value]):
    path: str
    number: int
    """Which value of the engine it is: paths come again."""

    def get(self) -> Value:
        value: Value = _read(self.path, self.number)
        return value


@lru_cache(maxsize=REMEMBERED)
def _read(path: str, number: int) -> Any:
    with Path(path).open("rb") as file:
        return pickle.load(file)


def _unnamed_file() -> IO[bytes]:
    if Path("/proc/self/fd").is_dir():
        return tempfile.TemporaryFile()
    return tempfile.NamedTemporaryFile(prefix="calque-")  # removed when it is closed


def _path_of(file: IO[bytes]) -> str:
    """Where another process of this user can open the file."""
    if isinstance(file.name, str):
        return file.name
    return f"/proc/{os.getpid()}/fd/{file.fileno()}"


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

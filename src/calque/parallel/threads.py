from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from types import TracebackType

from calque import _core


class Threads(ThreadPoolExecutor):
    """Threads for calls of the core, which end early where an error or Ctrl-C leaves the block."""

    def __init__(self, workers: int) -> None:
        self._ending = _core.Ending()
        super().__init__(workers, initializer=self._ending.follow)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if kind is not None:
            self._ending.tell()
            self.shutdown(wait=False, cancel_futures=True)
        return super().__exit__(kind, error, trace)

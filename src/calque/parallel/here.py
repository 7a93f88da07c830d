from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic

from calque.parallel.count import n_workers
from calque.parallel.engine import Engine, Item, Result, Shared, Value


class Here(Engine):
    """Runs one task after the other in this process; kernels of the core take the threads."""

    def __init__(self, threads: int | None = None) -> None:
        """Let tasks use so many threads; every core by default."""
        self.threads_per_task = n_workers(threads)

    def ordered_map(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """The results of `work` on every item, each when it is asked for."""
        return map(work, items)

    def share(self, value: Value) -> Shared[Value]:
        """The value itself."""
        return _Own(value)

    def close(self) -> None:
        """Nothing is held."""


@dataclass(frozen=True)
class _Own(Shared[Value], Generic[Value]):
    value: Value

    def get(self) -> Value:
        return self.value

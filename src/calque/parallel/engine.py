"""What every engine can do: map work over items in order, and add the results up over a tree."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import Generic, TypeVar

from calque.errors import CalqueError

Item = TypeVar("Item")
Result = TypeVar("Result")
Value = TypeVar("Value")
Value_co = TypeVar("Value_co", covariant=True)


class Shared(ABC, Generic[Value_co]):
    """A value that many tasks read: it travels to every worker once, not with every task."""

    @abstractmethod
    def get(self) -> Value_co:
        """The value, wherever this is asked."""


class Engine(ABC):
    """Where tasks run. Results do not depend on it, only time does.

    A task is a function of an importable module (or a partial of one) and an item. It keeps no
    state, so that an engine may run it again elsewhere when a worker is lost.
    """

    threads_per_task: int
    """How many threads of the core a task may use."""

    @abstractmethod
    def ordered_map(
        self, work: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[Result]:
        """The results of `work` on every item, lazily and in the order of the items.

        Items are drawn a little ahead of the consumer, so a stream of any length runs in bounded
        memory. An exception of `work` rises here, at the place of its item.
        """

    @abstractmethod
    def share(self, value: Value) -> Shared[Value]:
        """A picklable value, for tasks to read; it lives as long as what is returned here."""

    def reduce(
        self,
        work: Callable[[Item], Result],
        items: Iterable[Item],
        combine: Callable[[Result, Result], Result],
    ) -> Result:
        """The results of `work` on every item, combined as `combined` does."""
        return combined(self.ordered_map(work, items), combine)

    @abstractmethod
    def close(self) -> None:
        """Give back what the engine holds; it cannot be used any more."""

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def combined(results: Iterable[Result], combine: Callable[[Result, Result], Result]) -> Result:
    """The results, combined two by two over a tree that depends on their number alone.

    Sums of floats have the same bits whatever the workers, and no more than the logarithm of their
    number is held at a time. Raises `CalqueError` where there are none.
    """
    waiting: list[tuple[int, Result]] = []  # a result and the height of its tree, highest first
    for result in results:
        height = 0
        while waiting and waiting[-1][0] == height:
            result = combine(waiting.pop()[1], result)
            height += 1
        waiting.append((height, result))
    if not waiting:
        raise CalqueError("there is nothing to combine: expected at least one result")
    total = waiting.pop()[1]
    while waiting:
        total = combine(waiting.pop()[1], total)
    return total

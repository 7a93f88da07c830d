from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask this process to end."""


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Ctrl-C, and whatever else asks this process to end, waits until the block ends.

    Processes that are started in the block ignore Ctrl-C.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with _handlers_held():
            yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _handlers_held() -> Iterator[None]:
    """Handlers run when the block has ended.

    A mask is not enough: it holds for one thread, and a signal that another one takes runs its
    handler here all the same. Only the main thread runs handlers, or may change them.
    """
    if current_thread() is not main_thread():
        yield
        return
    taken: list[signal.Signals] = []
    handlers = {ending: signal.getsignal(ending) for ending in ENDINGS}
    held = [ending for ending, handler in handlers.items() if callable(handler)]
    for ending in held:
        signal.signal(ending, lambda number, _: taken.append(signal.Signals(number)))
    try:
        yield
    finally:
        for ending in held:
            signal.signal(ending, handlers[ending])
        for ending in taken:
            signal.raise_signal(ending)

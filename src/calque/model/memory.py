"""What a training held of its own memory, stage by stage, against its limit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from calque.parallel import OwnMemory, peak_memory
from calque.progress import Progress, Stage

SECONDS = 0.05
"""Between two looks at the memory."""


class MemoryWatch:
    """A listener that passes everything on, and knows the most memory that each stage held."""

    def __init__(self, progress: Progress, limit: int | None) -> None:
        """Take who listens and the limit in MB; without one nothing is watched."""
        self._progress = progress
        self._limit = limit
        self._memory = OwnMemory(SECONDS)
        self._held: dict[str, float] = {}

    def __enter__(self) -> MemoryWatch:
        if self._limit is not None:
            self._memory.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        if self._limit is not None:
            self._memory.__exit__()

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[Stage]:
        """Open a step, and look at the memory of what was before it and of itself."""
        with self._progress.stage(name, total) as stage:
            yield stage
        if self._limit is not None:
            self._held[name] = max(self._held.get(name, 0.0), self._memory.peak())

    def warn(self, message: str) -> None:
        """Pass a warning on."""
        self._progress.warn(message)

    def report(self, corpus_mb: float) -> None:
        """Tell what was held, and warn where it was more than the limit."""
        if self._limit is None or not self._held:
            return
        stage = max(self._held, key=lambda name: self._held[name])
        most = self._held[stage]
        with self._progress.stage("memory") as told:
            told.say(
                f"at most {most:,.0f} MB of its own, in '{stage}', {corpus_mb:,.0f} of them the"
                f" corpus; {peak_memory():,.0f} MB with mapped files"
            )
        over = [name for name, held in self._held.items() if held > self._limit]
        if over:
            self.warn(
                f"memory_mb={self._limit} was not kept: this corpus needs {most:,.0f} MB."
                " Vocabularies, corpus, counts of the alignment and numbers of phrases stay in"
                f" memory, all else goes to files; over the limit: {', '.join(over)}"
            )

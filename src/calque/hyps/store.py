from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from calque.config import TASK_DEFAULTS
from calque.hyps.lists import Lists
from calque.hyps.merge import Outline, in_memory, mapped, merged
from calque.hyps.part import Part
from calque.text.working import WorkingFolder

MEGABYTE = 1 << 20


class CandidateStore:
    """Candidates of many sentences, growing at the end, in memory or in a folder.

    What comes is kept in parts. As long as all of them fit into `memory_mb` they stay in memory;
    after that they are in files only, in the given folder or a temporary one, and are read again
    when they are asked for. Results are the same bits either way.
    """

    def __init__(
        self,
        n_sentences: int,
        dense_names: tuple[str, ...],
        keys: Callable[[], NDArray[np.uint64]],
        *,
        folder: Path | None = None,
        memory_mb: int = TASK_DEFAULTS.memory_mb,
    ) -> None:
        """Begin with nothing; `keys` gives those of the sparse columns, which the store numbers.

        With a `folder` every part is a file there from the moment that `append` returns.
        """
        self.n_sentences = n_sentences
        self.dense_names = dense_names
        self._keys = keys
        self._folder = folder
        self._limit = memory_mb * MEGABYTE
        self._outlines: list[Outline] = []
        self._files: list[Path | None] = []
        self._parts: list[Part] | None = []  # none where they are in files only
        self._n_statistics = 0
        self._lists: Lists | None = None
        self._scratch: WorkingFolder | None = None

    def __len__(self) -> int:
        return sum(len(outline.sentences) for outline in self._outlines)

    @property
    def n_bytes(self) -> int:
        """What all parts take."""
        return sum(outline.n_bytes for outline in self._outlines)

    @property
    def is_counts(self) -> bool:
        """Whether all values of sparse features are small counts."""
        return all(outline.is_counts for outline in self._outlines if outline.n_entries.any())

    @property
    def is_in_memory(self) -> bool:
        """Whether everything is in memory."""
        return self._parts is not None

    def has_room(self, n_copies: int) -> bool:
        """Whether so many copies of everything would fit into memory."""
        return self.is_in_memory and n_copies * self.n_bytes <= self._limit

    def append(self, part: Part, name: str) -> None:
        """Add candidates; `name` is the part's file in the folder of the store."""
        path = None
        if self._folder is not None:
            path = self._folder / f"{name}.npz"
            part.write(path)
        self._take(part, path)

    def load(self, path: Path) -> Part:
        """Add the candidates of a file that `append` wrote earlier."""
        part = Part.load(path)
        self._take(part, path)
        return part

    def _take(self, part: Part, path: Path | None) -> None:
        self._lists = None
        self._n_statistics = part.statistics.shape[1]
        self._outlines.append(Outline.of(part))
        self._files.append(path)
        if self._parts is not None:
            self._parts.append(part)
            # Lists by sentence are a second copy.
            if 2 * self.n_bytes > self._limit:
                self._leave_memory(self._parts)
                self._parts = None
        elif path is None:
            self._files[-1] = self._write(part, len(self._files) - 1)

    def _leave_memory(self, parts: list[Part]) -> None:
        for at, part in enumerate(parts):
            if self._files[at] is None:
                self._files[at] = self._write(part, at)

    def _write(self, part: Part, at: int) -> Path:
        path = self._temporary / f"{at}.npz"
        part.write(path)
        return path

    @property
    def _temporary(self) -> Path:
        if self._scratch is None:
            self._scratch = WorkingFolder("candidates")
        return self._scratch.path

    def _read(self, at: int) -> Part:
        if self._parts is not None:
            return self._parts[at]
        path = self._files[at]
        if path is None:
            raise RuntimeError("a part is neither in memory nor in a file")
        return Part.load(path)

    def lists(self) -> Lists:
        """Everything by sentence: in memory where it fits, otherwise in mapped files."""
        if self._lists is None:
            where = in_memory if self._parts is not None else mapped(self._temporary)
            self._lists = merged(
                self._outlines,
                (self._read(at) for at in range(len(self._files))),
                0,
                self.n_sentences,
                dense_names=self.dense_names,
                keys=self._keys(),
                n_statistics=self._n_statistics,
                allocate=where,
            )
        return self._lists

    def stream(self, most_mb: int | None = None) -> Iterator[tuple[int, Lists]]:
        """All sentences in order, as many at a time as fit into memory: the first, and their lists.

        With `most_mb` they take no more than that, either.
        Sentences are divided only where no part reaches across: parts of a few hundred sentences
        each stream well, one of all sentences comes as a whole. Every part is read once.
        """
        limit = self._limit // 3
        if most_mb is not None:
            limit = min(limit, most_mb * MEGABYTE)
        for first, last in self._ranges(limit):
            touched = [at for at, o in enumerate(self._outlines) if _overlaps(o, first, last)]
            yield (
                first,
                merged(
                    [self._outlines[at] for at in touched],
                    (self._read(at) for at in touched),
                    first,
                    last,
                    dense_names=self.dense_names,
                    keys=self._keys(),
                    n_statistics=self._n_statistics,
                ),
            )

    def _ranges(self, limit: int) -> Iterator[tuple[int, int]]:
        """Sentences that take at most so many bytes, or cannot be divided."""
        spans = sorted(
            (int(o.sentences[0]), int(o.sentences[-1]) + 1, o.n_bytes)
            for o in self._outlines
            if len(o.sentences)
        )
        first, end, size = 0, 0, 0
        cuts: list[tuple[int, int]] = []  # where a range may end, and the bytes since the last
        for begin, last, n_bytes in spans:
            if begin >= end and size:
                cuts.append((begin, size))
                size = 0
            end, size = max(end, last), size + n_bytes
        cuts.append((self.n_sentences, size))
        taken = 0
        for at, (cut, n_bytes) in enumerate(cuts):
            taken += n_bytes
            following = cuts[at + 1][1] if at + 1 < len(cuts) else 0
            if at + 1 == len(cuts) or taken + following > limit:
                yield first, cut
                first, taken = cut, 0


def _overlaps(outline: Outline, first: int, last: int) -> bool:
    rows = outline.rows(first, last)
    return bool(rows.stop > rows.start)

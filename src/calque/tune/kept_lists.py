"""Lists that a decoder found, on disk: several trainings on the same text decode it once.

What is kept together is of some size, however few sentences are decoded together: to open a file
takes longer than to read a megabyte of it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from calque.decode import CandidateLists
from calque.decode.batches import behind
from calque.decode.derivation_features import SparseRows
from calque.errors import CalqueError, FileError
from calque.hyps.lists import PackedTexts
from calque.hyps.part import small
from calque.text.arrays import read_arrays, write_arrays
from calque.text.files import replacing

HEAD = "lists.json"
JOINED_BYTES = 16 << 20
"""Of features, in the lists that are kept in a file together."""


def joined(batches: Iterable[CandidateLists]) -> Iterator[CandidateLists]:
    """The same lists, as many together as are kept in a file."""
    waiting, n_bytes = list[CandidateLists](), 0
    for lists in batches:
        waiting.append(lists)
        n_bytes += lists.n_bytes
        if n_bytes >= JOINED_BYTES:
            yield CandidateLists.concatenated(waiting)
            waiting, n_bytes = [], 0
    if waiting:
        yield CandidateLists.concatenated(waiting)


class KeptLists:
    """The lists of one decoding, in files; what is not there yet is decoded and kept.

    A killed decoding goes on behind the files that are there.
    """

    def __init__(self, folder: Path, made_of: Mapping[str, Any]) -> None:
        """Take a folder, and all that the lists depend on, as JSON.

        Raises `CalqueError` where the folder has lists that depend on something else.
        """
        self._folder = folder
        self._made_of = json.loads(json.dumps(made_of))
        folder.mkdir(parents=True, exist_ok=True)
        self._head = self._read_head()
        if self._head is None:
            self._write_head({"made of": self._made_of})
        elif self._head.get("made of") != self._made_of:
            raise CalqueError(
                f"{folder}: has lists of another text, model, search or first weights: expected a"
                " folder of their own for these"
            )

    def batches(
        self, decode: Callable[[int], Iterator[CandidateLists]], skip: int = 0
    ) -> Iterator[CandidateLists]:
        """All lists behind the first `skip` sentences; `decode` finds those behind so many."""
        n_kept = self._n_kept
        for at in behind(range(n_kept), skip, self._n_sentences):
            yield self._read(at)
        if self.is_whole:
            return
        n_sentences = sum(map(self._n_sentences, range(n_kept)))
        found = joined(decode(max(skip, n_sentences)))
        if skip > n_sentences:  # there would be a gap
            yield from found
            return
        n_files = n_kept
        for lists in found:
            self._write(n_files, lists)
            n_files += 1
            yield lists
        self._write_head({"made of": self._made_of, "n batches": n_files})

    @property
    def is_whole(self) -> bool:
        """Whether all lists are there."""
        return self._head is not None and self._head.get("n batches") == self._n_kept

    @property
    def _n_kept(self) -> int:
        n = 0
        while self._path(n).exists():
            n += 1
        return n

    def _path(self, at: int) -> Path:
        return self._folder / f"{at:05}.npz"

    def _n_sentences(self, at: int) -> int:
        return len(read_arrays(self._path(at), ["lengths"])["lengths"])

    def _write(self, at: int, lists: CandidateLists) -> None:
        texts = PackedTexts.of(lists.texts)
        write_arrays(
            self._path(at),
            {
                "lengths": lists.lengths,
                "text_data": texts.data,
                "text_offsets": texts.offsets,
                "dense": lists.dense,
                "scores": lists.scores,
                "sparse_offsets": lists.sparse.offsets,
                "sparse_keys": lists.sparse.keys,
                "sparse_counts": small(lists.sparse.counts),
            },
        )

    def _read(self, at: int) -> CandidateLists:
        arrays = read_arrays(self._path(at))
        try:
            return CandidateLists(
                lengths=arrays["lengths"],
                texts=list(PackedTexts(arrays["text_data"], arrays["text_offsets"])),
                dense=arrays["dense"],
                scores=arrays["scores"],
                sparse=SparseRows(
                    arrays["sparse_offsets"],
                    arrays["sparse_keys"],
                    arrays["sparse_counts"].astype(np.float64),
                ),
            )
        except KeyError as error:
            raise FileError(self._path(at), f"not a batch of lists: no {error}") from error

    def _read_head(self) -> dict[str, Any] | None:
        path = self._folder / HEAD
        if not path.exists():
            return None
        try:
            return dict(json.loads(path.read_text(encoding="utf-8")))
        except ValueError as error:
            raise FileError(path, f"not the head of kept lists: {error}") from error

    def _write_head(self, head: dict[str, Any]) -> None:
        self._head = head
        with replacing(self._folder / HEAD) as file:
            file.write((json.dumps(head, indent=1, ensure_ascii=False) + "\n").encode())

"""Lists that a decoder found, on disk: several trainings on the same text decode it once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from calque.decode import CandidateLists
from calque.decode.derivation_features import SparseRows
from calque.errors import CalqueError, FileError
from calque.hyps.lists import PackedTexts
from calque.hyps.part import small
from calque.text.arrays import read_arrays, write_arrays
from calque.text.files import replacing

HEAD = "lists.json"


class KeptLists:
    """The batches of one decoding, a file each; what is not there yet is decoded and kept.

    A killed decoding goes on behind the batches that are there.
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
        """All batches but the first `skip`; `decode` finds those behind so many."""
        n_kept = self._n_kept
        for at in range(skip, n_kept):
            yield self._read(at)
        if self.is_whole:
            return
        at = max(skip, n_kept)
        keeps = at == n_kept  # no gaps
        for lists in decode(at):
            if keeps:
                self._write(at, lists)
            yield lists
            at += 1
        if keeps:
            self._write_head({"made of": self._made_of, "n batches": at})

    @property
    def is_whole(self) -> bool:
        """Whether all batches are there."""
        return self._head is not None and self._head.get("n batches") == self._n_kept

    @property
    def _n_kept(self) -> int:
        n = 0
        while self._path(n).exists():
            n += 1
        return n

    def _path(self, at: int) -> Path:
        return self._folder / f"{at:05}.npz"

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

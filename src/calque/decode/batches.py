"""Batches of consecutive sentences, of which the first may be known already."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from calque.errors import CalqueError

Batch = TypeVar("Batch")


def behind(
    batches: Iterable[Batch], n_sentences: int, size: Callable[[Batch], int]
) -> Iterator[Batch]:
    """The batches behind the first sentences; `size` gives the number of sentences of a batch.

    Raises `CalqueError` where these end in the middle of a batch.
    """
    left = n_sentences
    for batch in batches:
        if left == 0:
            yield batch
            continue
        left -= size(batch)
        if left < 0:
            raise CalqueError(
                f"lists of the first {n_sentences:,} sentences are known, but a batch begins before"
                " their end and ends after it: was the run begun by another version of Calque?"
                " Begin a new one"
            )

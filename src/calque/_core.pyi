"""What runs per token, per hypothesis or per feature."""

from typing import Annotated

import numpy
from numpy.typing import NDArray

import calque.errors


class CoreError(calque.errors.CalqueError):
    pass

class WordTable:
    """Words and their ids, dense from 0 in order of addition."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def find(self, word: str) -> int:
        """The id of the word, or -1."""

    def add(self, word: str) -> int:
        """The id of the word, added if it is new."""

    def word(self, id: int) -> str:
        """The word with this id."""

def encode(text: str, words: WordTable, unknown: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Ids (int32) and sentence offsets (int64) of lines of words; absent words become `unknown`.
    """

def encode_growing(text: str, words: WordTable) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    Ids (int32) and sentence offsets (int64) of lines of words; absent words join `words`.
    """

def find_overlap(ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], test_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], test_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_words: int, times: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    Flags (uint8) of the sentences that share a substring of up to `max_words` words with the test sentences; with `times` > 0 only until each is in that many flagged sentences.
    """

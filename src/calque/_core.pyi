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

"""What runs per token, per hypothesis or per feature."""

from collections.abc import Sequence
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

def mark_sentences(ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_words: int, tokens: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write every sentence with its start and end to `tokens`."""

def count_ngrams(n: int, highest: bool, tokens: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], below: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counts_below: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], ngrams: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], passes: int, renumbering: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    List and count the n-grams of order n >= 2 given those of the order below; how many.
    """

def counts_of_counts(counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[int]:
    """How many of the counts are 1, 2, 3 and 4."""

def kneser_ney_unigrams(counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], discounts: Sequence[float], probs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write the probabilities of all words to `probs`."""

def kneser_ney(ngrams: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], discounts: Sequence[float], probs_below: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], masses: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu')], probs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], backoffs_below: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """
    Write the probabilities of one order and the backoff weights of the order below.
    """

def mark_endings(above: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], backoffs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Make -0.0 of the zero backoffs of n-grams that nothing continues."""

def fill_table(ngrams: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], log_probs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], backoffs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], slots: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')]) -> None:
    """Fill the (zeroed) lookup table of the highest of the listed orders."""

class LmState:
    """The shortest history that decides every continuation."""

    @property
    def words(self) -> list[int]:
        """The words of the history, the most recent first."""

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

class LanguageModelCore:
    """Lookup in the arrays of a model."""

    def __init__(self, unigrams: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], tables: Sequence[Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]]) -> None: ...

    @property
    def order(self) -> int: ...

    def begin(self) -> LmState:
        """The state after the start of the sentence."""

    def empty(self) -> LmState:
        """The state that knows nothing."""

    def score(self, state: LmState, word: int) -> tuple[float, LmState]:
        """The log probability of the word and the next state."""

    def score_phrase(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> float:
        """The log probability of words on their own."""

    def score_sentences(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], each_word: bool, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
        """
        Log probabilities of sentences and, if asked, of each word with its n-gram's length.
        """

class ArpaReader:
    """ARPA text to lists of n-grams, block by block."""

    def __init__(self) -> None: ...

    def feed(self, block: str) -> None:
        """Read a block of complete lines."""

    def finish(self) -> None:
        """Check that the text is complete."""

    @property
    def line(self) -> int:
        """The number of lines read."""

    @property
    def order(self) -> int: ...

    def words(self) -> list[str]:
        """All words by id."""

    def ngrams(self, n: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Contexts and words, alternating, of the n-grams of order n >= 2."""

    def log_probs(self, n: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

    def backoffs(self, n: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]: ...

def arpa_lines(model: LanguageModelCore, ngrams: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], words: WordTable, n: int, first: int, last: int) -> str:
    """
    The ARPA lines of the n-grams of order n from `first` to before `last`.
    """

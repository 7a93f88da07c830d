"""What runs per token, per hypothesis or per feature."""

from collections.abc import Sequence
from typing import Annotated, Any

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

class BlockTable:
    """A view of a block table's arrays for the kernels."""

    def __init__(self, arrays: dict[str, Any]) -> None: ...

    def find(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """The index of a source phrase, or -1."""

    def matches(self, sentence: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> list[tuple[int, int, int]]:
        """Every (begin, end, source phrase) of the sentence."""

class AlignedCorpus:
    """Two sides and their links, checked."""

    def __init__(self, source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], links: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], link_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Phrases:
    """All phrases of one side, numbered by (length, word ids)."""

    def __init__(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_words: int, ids: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')]) -> None:
        """Fills `ids` (max_words rows, one entry per word)."""

    def __len__(self) -> int: ...

    @property
    def n_words(self) -> int:
        """The number of phrases of one word, which have the first ids."""

    def lengths(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The number of words of each of these phrases."""

    def gather(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')]) -> None:
        """Fills `words` with the words of these phrases, one after the other."""

class LinkCounts:
    """How often words are linked, the null word included."""

    def __init__(self, corpus: AlignedCorpus) -> None: ...

    def count(self, source: int, target: int) -> int:
        """The number of links of two words; 2^32 - 1 is the null word."""

def extract_run(corpus: AlignedCorpus, source_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], target_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, last: int, max_records: int, target_counts: Annotated[NDArray[numpy.uint32], dict(order='C', device='cpu')]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], int]:
    """
    The counted blocks of sentence pairs first..last, and the pair to go on with.
    """

def score_blocks(runs: Sequence[Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], first_source: int, last_source: int, sources: Phrases, targets: Phrases, target_counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], links: LinkCounts, max_targets: int, min_count: int) -> dict[str, Any]:
    """Scored, pruned, sorted blocks of the source phrases first..last."""

def partners(words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], corpus: AlignedCorpus, links: LinkCounts) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    The target word for each source word (-1: none) and whether it was linked.
    """

def n_slots(n_sources: int) -> int:
    """The size of the hash index, in slots."""

def index_sources(words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slots: Annotated[NDArray[numpy.int32], dict(order='C', device='cpu')]) -> None:
    """Fills the hash index of source phrases."""

class MosesReader:
    """Reads Moses's text tables."""

    def __init__(self, source: WordTable, target: WordTable) -> None: ...

    def add_phrases(self, text: str) -> tuple[int, str]:
        """Line and problem of the first bad line of a phrase table, or 0 and ''."""

    def add_orientations(self, text: str) -> tuple[int, str]:
        """The same for a reordering table."""

    def line_without_orientation(self) -> int:
        """The phrase table's line that the reordering table lacks, or 0."""

    def finish(self) -> dict[str, Any]:
        """The arrays of the block table."""

    @property
    def source_table(self) -> WordTable: ...

    @property
    def target_table(self) -> WordTable: ...

def moses_order(table: BlockTable, source: WordTable, target: WordTable) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
    """Rows of (source phrase, block) in the order of a sorted Moses table."""

def moses_phrases(table: BlockTable, lines: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], source: WordTable, target: WordTable) -> str:
    """Lines of a phrase table."""

def moses_orientations(table: BlockTable, lines: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], source: WordTable, target: WordTable) -> str:
    """Lines of a reordering table."""

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

class Aligner:
    """Model 1 and HMM aligners of a bitext, in both directions."""

    def __init__(self, source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, null_prob: float, alpha: float, tension: float, jump_smoothing: float, jump_width: int, max_words: int, threads: int) -> None: ...

    @property
    def n_pairs(self) -> int: ...

    def model1_step(self, threads: int) -> tuple[float, float]:
        """
        One iteration of EM for Model 1; log-likelihoods before it, forward and reverse.
        """

    def hmm_step(self, agreement: bool, threads: int) -> tuple[float, float]:
        """
        One iteration of EM for the HMM; log-likelihoods before it, forward and reverse.
        """

    def best_paths(self, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        Source position of every target word and target position of every source word; -1: none.
        """

    def lexicon(self, reverse: bool) -> tuple[NDArray[numpy.int64], NDArray[numpy.int32], NDArray[numpy.float32], NDArray[numpy.float32]]:
        """
        Row offsets, generated words, their probabilities, and those given the null word.
        """

    def jumps(self, reverse: bool) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """Weights of jumps by distance, and of first positions."""

def hmm_posteriors(emission: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], null_emission: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], within: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], null_prob: float) -> tuple[float, Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    Log probability, posteriors (flat), null posteriors, expected jumps and first positions.
    """

def hmm_best_path(emission: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], null_emission: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], within: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], start: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], null_prob: float) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The most probable state of every step; -1: null."""

def exp_digamma(x: float) -> float:
    """exp(digamma(x)) for x > 0."""

def symmetrize(forward: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], forward_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reverse: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], reverse_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], source_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], method: str) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, 2))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """Links and offsets of the symmetrised alignments."""

def parse_pharaoh(text: str, source_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, 2))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], int, str]:
    """
    Links, offsets, the first bad line (from 0; -1: none) and what is wrong with it.
    """

def format_pharaoh(links: Annotated[NDArray[numpy.int32], dict(shape=(None, 2), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> str:
    """One line of source-target links per sentence."""

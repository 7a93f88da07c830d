"""What runs per token, per hypothesis or per feature."""

from collections.abc import Sequence
import enum
from typing import Annotated, Any, overload

import numpy
from numpy.typing import NDArray

import calque.errors


class CoreError(calque.errors.CalqueError):
    pass

class Ending:
    """Ends long calls of other threads."""

    def __init__(self) -> None: ...

    def follow(self) -> None:
        """Let calls of this thread end with a KeyboardInterrupt once told."""

    def tell(self) -> None:
        """End the calls of the threads that follow."""

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

def hash_texts(texts: Sequence[str]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    The hash (uint64) of each text's UTF-8 bytes, the same on every machine.
    """

def find_overlap(ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], test_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], test_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_words: int, times: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """
    Flags (uint8) of the sentences that share a substring of up to `max_words` words with the test sentences; with `times` > 0 only until each is in that many flagged sentences.
    """

def mark_sentences(ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_words: int, tokens: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Write every sentence with its start and end to `tokens`."""

def count_ngrams(n: int, highest: bool, tokens: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], below: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counts_below: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], ngrams: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], passes: int, renumbering: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    List and count the n-grams of order n >= 2 given those of the order below; how many.
    """

def merge_ngrams(n: int, part_ngrams: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], part_suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], part_counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], nodes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counts_below: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], ngrams: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], suffixes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')], passes: int, renumbering: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> int:
    """
    List and count the n-grams of order n >= 2 from those of parts of the text; how many.
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

def ngram_entries(model: LanguageModelCore, ngrams: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], n: int) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
    """
    The log probabilities and backoffs of the n-grams of order n, in the order of their list.
    """

def arpa_lines(model: LanguageModelCore, ngrams: Sequence[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]], words: WordTable, n: int, first: int, last: int) -> str:
    """
    The ARPA lines of the n-grams of order n from `first` to before `last`.
    """

class Aligner:
    """Model 1 and HMM aligners of a bitext, in both directions."""

    def __init__(self, source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, null_prob: float, alpha: float, tension: float, jump_smoothing: float, jump_width: int, max_words: int, threads: int, pairs: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> None:
        """`pairs`: what `pair_arrays` found for this bitext."""

    @property
    def n_pairs(self) -> int: ...

    def model1_step(self, threads: int, null_is_position: bool = False) -> tuple[float, float]:
        """
        One iteration of EM for Model 1; log-likelihoods before it, forward and reverse. The null word has the probability `null_prob`, or is as likely as any position.
        """

    def hmm_step(self, agreement: bool, threads: int) -> tuple[float, float]:
        """
        One iteration of EM for the HMM; log-likelihoods before it, forward and reverse.
        """

    def best_paths(self, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        Source position of every target word and target position of every source word; -1: none.
        """

    def numbers_of(self, rows: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """
        The pairs of words of some of the sentences (`pair_arrays`), as numbered here.
        """

    def parameters(self, pairs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """
        What an aligner of the sentences that meet these pairs is given by `set_parameters`.
        """

    def set_parameters(self, parameters: tuple[Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None:
        """Take what another gave."""

    def count_model1(self, threads: int, null_is_position: bool = False) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """The counts of `model1_step`, as integers, without a step."""

    def count_hmm(self, agreement: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """The counts of `hmm_step`, as integers, without a step."""

    def add_counts(self, pairs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]]) -> None:
        """Add the counts of a part that meets these pairs."""

    def estimate(self, with_jumps: bool, threads: int) -> None:
        """A step by the counts that were added."""

    def lexicon(self, reverse: bool) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
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

def pair_arrays(source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_words: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))]]:
    """
    The word pairs of a bitext that share a sentence pair: where those of each source word begin, their target words, and the place of every cell's pair among those of its source word.
    """

class WordPairs:
    """The word pairs of a bitext that share a sentence pair."""

    def __init__(self, source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, max_words: int, threads: int, pairs: tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]] | None = None) -> None:
        """`pairs`: what `pair_arrays` found for this bitext."""

    def __len__(self) -> int: ...

class LinkSampler:
    """Word links of a bitext, drawn in one direction."""

    def __init__(self, pairs: WordPairs, *, reverse: bool, null_prob: float, lexical_prior: float, null_prior: float, jump_prior: float, fertility_prior: float, jump_width: int, chains: int, first_chain: int = 0, batch: int, seed: int) -> None:
        """
        `first_chain`: the number of the first chain, of those that several samplers draw. `batch`: sentence pairs that do not see each other's moves; 0: by corpus size.
        """

    def sweep(self, stage: str, record: bool, threads: int) -> None:
        """
        Draw every link once by model1, hmm or fertility; `record` adds to the marginals.
        """

    def links(self, chain: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """Position that each generated word now comes from; -1: none."""

    def best_links(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """
        Position that each generated word most probably comes from, as recorded; -1: none.
        """

    def marginals(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """
        Recorded probability of each cell (generated, given) of all sentence pairs.
        """

    def take_marginals(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
        """
        The sums of what was recorded, which several samplers may add up; none are left here.
        """

def best_links(pairs: WordPairs, reverse: bool, marginals: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_recorded: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    What `LinkSampler.best_links` says of marginals that were taken and added up.
    """

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

class BlockTable:
    """A view of a block table's arrays for the kernels."""

    def __init__(self, arrays: dict[str, Any]) -> None: ...

    def find(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """The index of a source phrase, or -1."""

class AlignedCorpus:
    """Two sides and their links, checked."""

    def __init__(self, source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], source_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], links: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], link_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Phrases:
    """All phrases of one side, numbered by (length, word ids)."""

    @overload
    def __init__(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_words: int, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu')]) -> None:
        """Fills `ids` (max_words rows, one entry per word)."""

    @overload
    def __init__(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Phrases that are given in order of (length, word ids), each once."""

    @overload
    def __init__(self, words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], examples: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_ids: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Phrases from the arrays of others."""

    @property
    def words(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """The words that the phrases lie in."""

    @property
    def examples(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]:
        """Per phrase, a position among the words where it occurs."""

    @property
    def first_ids(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """
        The first phrase of one word, of two words, and so on, and the number of phrases.
        """

    def __len__(self) -> int: ...

    @property
    def n_words(self) -> int:
        """The number of phrases of one word, which have the first ids."""

    def lengths(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The number of words of each of these phrases."""

    def gather(self, ids: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """Fills `words` with the words of these phrases, one after the other."""

class LinkCounts:
    """How often words are linked, the null word included."""

    @overload
    def __init__(self, corpus: AlignedCorpus) -> None: ...

    @overload
    def __init__(self, sources: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def pairs(self) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.uint32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        All pairs, in no particular order: source words, target words and counts.
        """

    def count(self, source: int, target: int) -> int:
        """The number of links of two words; 2^32 - 1 is the null word."""

def extract_run(corpus: AlignedCorpus, source_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], target_ids: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)], first: int, last: int, max_records: int, target_counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], int]:
    """
    The counted blocks of sentence pairs first..last, and the pair to go on with.
    """

def score_blocks(runs: Sequence[Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]], first_source: int, last_source: int, sources: Phrases, targets: Phrases, target_counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], links: LinkCounts, max_targets: int, min_count: int, min_log_prob: float, oriented: bool) -> dict[str, Any]:
    """Scored, pruned, sorted blocks of the source phrases first..last."""

def partners(words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], corpus: AlignedCorpus, links: LinkCounts) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))]]:
    """
    The target word for each source word (-1: none) and whether it was linked.
    """

def n_slots(n_sources: int) -> int:
    """The size of the hash index, in slots."""

def index_sources(words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Fills the hash index of source phrases."""

class RuleLimits:
    """Which phrase pairs with gaps are rules."""

    def __init__(self, *, max_words: int, max_gaps: int, max_span: int, max_symbols: int, max_target_symbols: int, min_gap: int, adjacent_gaps: bool, gap_needs_words: bool, tight: bool) -> None: ...

def collect_sides(corpus: AlignedCorpus, limits: RuleLimits, first: int, last: int, max_sides: int) -> tuple[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]], tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]], int]:
    """
    The distinct source and target sides of the rules of sentence pairs first..last, sorted, as symbols and offsets, and the pair to go on with.
    """

def merged_size(runs: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> tuple[int, int]:
    """How many sides and symbols several runs of sides have together."""

def merge_sides(runs: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]]], symbols: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Fills the arrays with the sides of several runs, in order, each once."""

def extract_rules_run(corpus: AlignedCorpus, limits: RuleLimits, sources: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], source_slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], targets: tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]], target_slots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, max_records: int, target_counts: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu')]) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None))], int]:
    """
    The counted rules of sentence pairs first..last, and the pair to go on with.
    """

def index_prefixes(words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    The trie over source phrases, which are sorted by length and symbols: the symbol that leads to each node, where the children of each begin, and the phrase that ends there, or -1.
    """

class MosesReader:
    """Reads Moses's text tables."""

    def __init__(self, source: WordTable, target: WordTable, with_gaps: bool) -> None: ...

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

def moses_order(table: BlockTable, source: WordTable, target: WordTable, with_gaps: bool) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
    """Rows of (source phrase, block) in the order of a sorted Moses table."""

def moses_phrases(table: BlockTable, lines: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], source: WordTable, target: WordTable, with_gaps: bool) -> str:
    """Lines of a phrase table, or of one of rules."""

def moses_orientations(table: BlockTable, lines: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], source: WordTable, target: WordTable) -> str:
    """Lines of a reordering table."""

class Checksum:
    """A fast 64-bit checksum of bytes that come in pieces."""

    def __init__(self) -> None: ...

    def update(self, bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Take the bytes that follow."""

    def value(self) -> int:
        """The checksum of all bytes so far."""

def n_free_slots(table: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> int:
    """
    The free slots of a table of n-grams; -1 where a number in it is not finite.
    """

def tag_matchers() -> list[str]:
    """The ways to match tags that this processor has, the fastest last."""

def match_tags(matcher: str, lines: Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C', device='cpu', writable=False)], tags: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], differences: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], wants_tag: bool) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,))]:
    """
    What one way finds of a tag, and of those that differ from it so, in each line: the line, the number of the difference from 1 on, and the places as bits.
    """

class SparseTable:
    """Numbers (float32) by 64-bit key; absent keys have 0."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def __contains__(self, key: int) -> bool: ...

    def __copy__(self) -> SparseTable: ...

    @property
    def n_bytes(self) -> int:
        """Memory of the slots, used and free."""

    def get(self, key: int) -> float:
        """The value of the key; 0 where it is absent."""

    def get_many(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
        """The values (float32) of the keys."""

    def set(self, key: int, value: float) -> None:
        """Give the key a value."""

    def add(self, key: int, delta: float) -> None:
        """Add to the value of the key."""

    def set_many(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1) -> None:
        """Give each key its value; the last one counts."""

    def add_many(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], deltas: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Add to the values of keys, which may repeat."""

    def reserve(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Make room for these keys, none of which is present."""

    def merge(self, other: SparseTable, scale: float) -> None:
        """Add `scale` times every entry of the other."""

    def scale(self, factor: float) -> None:
        """Multiply every value."""

    def prune_magnitude(self, least: float) -> None:
        """Drop entries nearer to 0 than `least`."""

    def prune_count(self, counts: SparseTable, least: float) -> None:
        """Drop entries whose value in `counts` is below `least`."""

    def entries(self) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """All keys, ascending, and their values."""

class ClassExchange:
    """Words of a corpus that move between classes."""

    def __init__(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_words: int, n_classes: int) -> None: ...

    def sweep(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        Move each word to its best class; the gains (float64) of those that moved.
        """

    def objective(self) -> float:
        """Class bigrams: sum n ln n - 2 sum N ln N."""

    def classes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The class (int32) of each word; -1 for those that do not occur."""

def class_tree(ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int) -> tuple[list[str], list[tuple[int, int]], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """Bit strings by class, the merges in order and their losses (float64)."""

class BlockEvents:
    """Which blocks of a table follow one another."""

    def __init__(self, table: BlockTable, corpus: AlignedCorpus, max_words: int, max_placements: int, boundary_block: bool) -> None: ...

    def collect(self, first: int, last: int, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int8], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int16], dict(shape=(None,))], Annotated[NDArray[numpy.int16], dict(shape=(None,))]]:
        """
        Previous block, block, side, sentence, source and target begin of every event.
        """

    def count(self, first: int, last: int, counts: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu')], threads: int) -> None:
        """
        Adds the events of sentence pairs first..last to rows of (left, right, neutral).
        """

    def frequent_pairs(self, threshold: int, part: int, n_parts: int, threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """
        Pairs (previous << 32 | block) seen more often than `threshold`, of one share.
        """

def lexical_weights(table: BlockTable, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], probs: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], floor: float, threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
    """
    The lexical weight of every block; the lexicon has one row per target word.
    """

def fertility_counts(table: BlockTable, corpus: AlignedCorpus, max_words: int, threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    N(T, k) for every target phrase T and source length k = 1..max_words, flat.
    """

def merged_orientation_counts(table: BlockTable, corpus: AlignedCorpus, max_words: int, threads: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """
    How often every block was monotone, swapped and discontinuous towards merged blocks before it, and behind it, flat.
    """

class FeatureSet:
    """What scores a derivation, component by component."""

    def __init__(self) -> None: ...

    @property
    def names(self) -> list[str]:
        """The dense components, in the order in which they were added."""

    def add_block_column(self, name: str, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], column: int, copied: float, frequency: str = 'none', steps: str = 'all') -> None:
        """
        A column of a table with a row per block; `frequency` says whether it is a relative frequency, which leave-one-out changes: source given target, target given source; `steps` whether it counts in all steps, in adjacent or in neutral ones.
        """

    def add_orientation(self, name: str, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], columns: Sequence[int], copied: Sequence[float], next: bool, merged: bool = False) -> None:
        """
        The column of a block's row that its orientation chooses; -1: the value is 0. `merged`: its orientation towards merged blocks.
        """

    def add_count(self, name: str, of: str, sign: float) -> None:
        """A number of words or blocks."""

    def add_language_model(self, name: str, first: bool, rest: bool, steps: str = 'all') -> None:
        """
        The log probability of the words that begin a block, of the others, or of both; in all steps, in adjacent or in neutral ones.
        """

    def add_class_language_model(self, name: str, lm: object, classes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """The log probability of the classes of the words."""

    def add_distance(self, name: str) -> None:
        """Minus the source words jumped over."""

    def add_jump(self, name: str, values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], shift: int, row: str) -> None:
        """The log probability of a jump, in a row of a table."""

    def set_levels(self, n_source_levels: int, target_levels: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        How many levels source words have, and the hashes of target words at each of theirs.
        """

    def set_pairs(self, pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """The pairs of block rows that listed templates fire for."""

    def set_event_counts(self, counts: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """How often each block followed on the left, on the right, and none."""

    @property
    def has_event_counts(self) -> bool:
        """Whether it is known how often blocks were seen in events."""

    def add_template(self, name: str, slots: Sequence[str], levels: Sequence[int], kinds: Sequence[int], copies: bool, listed: bool, adjacent: bool) -> None:
        """
        Sparse features, one per combination of values. Levels of one kind tell words apart in much the same way.
        """

    @property
    def has_templates(self) -> bool:
        """Whether there are sparse features."""

    @property
    def n_history(self) -> int:
        """How many target words before a block the templates look at."""

def slot_names() -> list[str]:
    """What templates may look at."""

def block_decides(slots: Sequence[str]) -> bool:
    """Whether a block and its place in the sentence decide these values."""

def feature_key(template: str, slots: Sequence[str], values: Sequence[str]) -> int:
    """The key of a sparse feature from the texts of its values."""

def block_keys(template: str, table: BlockTable, source_words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    The keys of a template of block alone for all blocks; words are hashes of their texts.
    """

def block_pair_keys(template: str, table: BlockTable, source_words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], target_words: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
    """
    The keys of a template of previous.block and block for rows of such pairs; words are hashes of their texts.
    """

class WeightView:
    """The weights of one call."""

    def __init__(self, dense: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sparse: object | None) -> None:
        """
        `sparse` is a SparseTable; without it sparse features count for nothing.
        """

class Step:
    """One block of a derivation."""

    @property
    def begin(self) -> int: ...

    @property
    def end(self) -> int: ...

    @property
    def block(self) -> int:
        """Row of the block table; -1: a copied word or a required target."""

    @property
    def required(self) -> bool:
        """The user asked for this target."""

    @property
    def orientation(self) -> int:
        """0 monotone, 1 swap, 2 discontinuous; -1: rules have none."""

    @property
    def log_sum(self) -> float:
        """
        What its score was normalised by, with decode.normaliser=alternatives; else 0.
        """

    @property
    def target(self) -> list[int]:
        """
        Target word ids; -1 - i is a copy of source word i, and 1 and 2 are the gaps of a rule.
        """

    @property
    def gaps(self) -> tuple[int, int]:
        """The steps that fill the gaps of a rule, by their places; -1: no gap."""

class Derivation:
    """The blocks of a translation in target order."""

    @property
    def score(self) -> float:
        """Values times weights, minus what the steps were normalised by."""

    @property
    def features(self) -> list[float]:
        """Values in the order of the feature set."""

    @property
    def steps(self) -> list[Step]:
        """
        In target order where none has gaps; else a step comes before those in its gaps.
        """

    @property
    def words(self) -> list[tuple[int, int, int]]:
        """
        The target words, each with its step and its place in the target of that.
        """

class Decoded:
    """What the search found for one sentence."""

    @property
    def derivations(self) -> list[Derivation]:
        """Best first."""

    @property
    def n_generated(self) -> int:
        """Steps tried by the search."""

class DecodedBatch:
    """What the search found for many sentences, as arrays."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: int) -> Decoded:
        """One sentence with its derivations."""

    def derivation(self, at: int, rank: int) -> Derivation:
        """One derivation of a sentence; 0 is the best."""

    def used_blocks(self, at: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The rows of all blocks that derivations of a sentence use, rising."""

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]:
        """Candidates of sentence s are offsets[s]:offsets[s + 1], best first."""

    @property
    def scores(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]: ...

    @property
    def features(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), writable=False)]:
        """Dense features of all candidates, row after row."""

    @property
    def word_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), writable=False)]: ...

    @property
    def words(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,), writable=False)]:
        """Target word ids of all candidates; -1 - i is a copy of source word i."""

def target_words(derivations: Sequence[Derivation]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Where the words of each derivation begin, and these; -1 - i is a copy of source word i.
    """

def expected_bleu(words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], probabilities: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    The expected BLEU+1 of every candidate where one of its list is the reference.
    """

class TranslationGraph:
    """Every derivation that a search found."""

    class Node:
        @property
        def covered(self) -> list[int]:
            """The source words that are translated."""

        @property
        def score(self) -> float:
            """Of the best path to here."""

        @property
        def complete(self) -> bool:
            """A translation ends here."""

    class Edge:
        @property
        def begin_node(self) -> int: ...

        @property
        def end_node(self) -> int: ...

        @property
        def step(self) -> Step: ...

        @property
        def score(self) -> float:
            """What the step adds."""

    @property
    def nodes(self) -> list[TranslationGraph.Node]:
        """Each after those that lead to it."""

    @property
    def edges(self) -> list[TranslationGraph.Edge]:
        """By the node they lead to, the best one first."""

class Forced:
    """What forced decoding found for one sentence pair."""

    @property
    def reachable(self) -> bool:
        """Some derivation gives the whole reference."""

    @property
    def truncated(self) -> bool:
        """The pair was too large to search."""

    @property
    def n_states(self) -> int:
        """States of the gold lattice."""

    @property
    def n_derivations(self) -> float:
        """Derivations that give the reference."""

    @property
    def prefix_source(self) -> int:
        """Source words of the longest prefix pair."""

    @property
    def prefix_target(self) -> int:
        """Its target words."""

    @property
    def best(self) -> Derivation:
        """The best derivation of the pair or of the prefix pair."""

class TrainingCorpus:
    """What a block table was extracted from."""

    def __init__(self, corpus: object, blocks: object, limits: RuleLimits) -> None:
        """`limits` are those of the extraction."""

    def counts_of(self, pair: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        The share of a pair in the counts of source phrases, target phrases and blocks.
        """

class LeaveOneOut:
    """What to leave out for each sentence of a text."""

    def __init__(self, training: object, pairs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], what: str, unseen_log_prob: float | None, unseen_log_prob_per_word: float) -> None:
        """
        `pairs` holds the pair of every sentence, or -1; `what` is counts or one-count. A block that no other pair has gets the log probability, or is dropped where there is none.
        """

class SearchOptions:
    """How far the search goes."""

    def __init__(self, *, reordering: str, distortion_limit: int, distortion_rule: str, strict_single_gap: bool, least_left_count: int, first_block: str, stack_size: int, pop_limit: int, threshold: float, threshold_on: str, future_cost: bool, time_limit_s: float, normaliser: str) -> None: ...

class OptionLimits:
    """How many options are kept; 0: all."""

    def __init__(self, *, per_span: int, in_sentence: int, max_targets: int, by_count: bool) -> None: ...

class Source:
    """Source sentences as the decoder takes them."""

    def __init__(self, ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], copies: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], levels: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> None:
        """
        `copies` holds, for every source word, the target id of its text, or -1 - i where word i of a sentence has none; `levels` what templates see of it.
        """

class Decoder:
    """A loaded model that translates."""

    def __init__(self, blocks: object, lm: object, lm_words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], features: object) -> None:
        """
        `lm_words` holds the language-model id of each target id; empty: the same ids.
        """

    def decode(self, source: Source, weights: WeightView, search: SearchOptions, constraint_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], constraint_spans: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], constraint_target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], constraint_targets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], leave_one_out: LeaveOneOut | None, *, limits: OptionLimits, n_best: int, distinct: bool, threads: int) -> list[Decoded]:
        """
        The best derivations of every sentence. Constraints: how many come before each sentence, begin and end of each, where its target words begin, and these: ids, or numbers below 0 for other texts.
        """

    def decode_batch(self, source: Source, weights: WeightView, search: SearchOptions, leave_one_out: LeaveOneOut | None, *, limits: OptionLimits, n_best: int, distinct: bool, threads: int) -> DecodedBatch:
        """The same without constraints, as arrays."""

    def graph(self, source: Source, weights: WeightView, search: SearchOptions, *, limits: OptionLimits) -> TranslationGraph:
        """The translation graph of one sentence."""

    def oracle(self, source: Source, references: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]]], search: SearchOptions, leave_one_out: LeaveOneOut | None, *, brevity_penalty: bool, max_targets: int, n_best: int, distinct: bool, threads: int) -> DecodedBatch:
        """
        The derivations of highest sentence BLEU; their score is the BLEU. `references` are texts, each as ids and offsets.
        """

    def force(self, source: Source, references: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: WeightView, search: SearchOptions, leave_one_out: LeaveOneOut | None, *, max_bytes: int, max_words: int, min_prefix: int, derive_prefix: bool, threads: int) -> list[Forced]:
        """
        Which sentence pairs can be derived, in how many ways, and the best way.
        """

    def derive(self, source: Source, blocks: Sequence[tuple[int, int, Sequence[int]]], weights: WeightView, *, first_block: str) -> Derivation:
        """
        The derivation of one sentence that these blocks (begin, end, target words) make.
        """

    def features(self, source: Source, derivation: Derivation, n_steps: int, ends: bool) -> list[float]:
        """
        The dense features of the first steps of a derivation, recomputed from it alone.
        """

    def sparse_features(self, source: Source, derivations: Sequence[Sequence[Derivation]], *, ends: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """
        The sparse features of lists of derivations, a list per sentence, one derivation after the other: where each begins, ascending keys, counts.
        """

    def sparse_features_of(self, source: Source, batch: DecodedBatch, *, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """The same of everything that was decoded from a source."""

    def bags(self, source: Source, leave_one_out: LeaveOneOut | None, *, seed: int, first: int, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        Of every sentence a bag of blocks, one drawn for each span: sparse features as above, where the words of each bag begin, and these. `first` is the number of the first sentence in its text.
        """

    def find_gold(self, source: Source, references: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], search: SearchOptions, leave_one_out: LeaveOneOut | None, *, max_bytes: int, max_words: int, min_prefix: int, all_prefixes: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], int]:
        """
        The arrays of gold lattices in the order of their class, and how many pairs were too large.
        """

    def gold_scores(self, source: Source, references: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lattices: GoldLattices, weights: WeightView, search: SearchOptions, leave_one_out: LeaveOneOut | None, *, threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """
        The score of the best derivation in every bin of each lattice; minus infinity where there is none.
        """

    def violations(self, source: Source, references: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lattices: GoldLattices, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: WeightView, search: SearchOptions, limits: OptionLimits, leave_one_out: LeaveOneOut | None, *, selection: str, future_in_margin: bool, all_prefixes: bool, total: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """
        What is to be learned from each chosen lattice: the bin of the update, -1 for none; its margin; whether the beam's best gives the reference; then rows of differences, one dense row, a sparse offset per lattice, keys and counts. With `total`, one row: the sums.
        """

class GoldLattices:
    """Gold lattices of some sentence pairs."""

    def __init__(self, pairs: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_source: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_target: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], is_whole: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], later: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], last_end: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_words: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def __len__(self) -> int: ...

class ChartOptions:
    """How far a chart search goes."""

    def __init__(self, *, max_span: int, shallow: int, pop_limit: int, threshold: float, time_limit_s: float, stack_size: int) -> None: ...

class TargetLimits:
    """How many target sides of rules are kept; 0: all."""

    def __init__(self, *, per_source: int, in_sentence: int, max_targets: int) -> None: ...

class ChartDecoder:
    """A loaded model of rules that translates."""

    def __init__(self, blocks: object, lm: object, lm_words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], features: object, symbols: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_child: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], phrases: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """
        `lm_words` holds the language-model id of each target id; empty: the same ids. The last three are what `index_prefixes` gives.
        """

    def decode(self, source: Source, weights: WeightView, search: ChartOptions, constraint_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], constraint_spans: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], constraint_target_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], constraint_targets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], leave_one_out: LeaveOneOut | None, *, limits: TargetLimits, n_best: int, distinct: bool, threads: int) -> list[Decoded]:
        """
        The best derivations of every sentence; the arguments are those of `Decoder.decode`.
        """

    def decode_batch(self, source: Source, weights: WeightView, search: ChartOptions, leave_one_out: LeaveOneOut | None, *, limits: TargetLimits, n_best: int, distinct: bool, threads: int) -> DecodedBatch:
        """The same without constraints, as arrays."""

    def oracle(self, source: Source, references: Sequence[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]]], search: ChartOptions, leave_one_out: LeaveOneOut | None, *, brevity_penalty: bool, max_targets: int, n_best: int, distinct: bool, threads: int) -> DecodedBatch:
        """
        The derivations of highest sentence BLEU; the arguments are those of `Decoder.oracle`.
        """

    def force(self, source: Source, references: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: WeightView, search: ChartOptions, leave_one_out: LeaveOneOut | None, *, max_bytes: int, max_words: int, min_prefix: int, derive_prefix: bool, threads: int) -> list[Forced]:
        """
        Which sentence pairs can be derived, in how many ways, and the best way.
        """

    def find_gold(self, source: Source, references: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], search: ChartOptions, leave_one_out: LeaveOneOut | None, *, max_bytes: int, max_words: int, min_prefix: int, all_prefixes: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], Annotated[NDArray[numpy.uint16], dict(shape=(None,))], int]:
        """As `Decoder.find_gold`; the lattices have no states."""

    def violations(self, source: Source, references: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], lattices: GoldLattices, chosen: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: WeightView, search: ChartOptions, limits: TargetLimits, leave_one_out: LeaveOneOut | None, *, selection: str, future_in_margin: bool, all_prefixes: bool, total: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """As `Decoder.violations`; bins are spans in the order of the search."""

    def features(self, source: Source, derivation: Derivation) -> list[float]:
        """The dense features of a derivation, recomputed from it alone."""

    def step_features(self, source: Source, derivation: Derivation) -> list[list[float]]:
        """What each step adds to them."""

    def sparse_features(self, source: Source, derivations: Sequence[Sequence[Derivation]], *, ends: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """As `Decoder.sparse_features`; `ends` is true."""

    def sparse_features_of(self, source: Source, batch: DecodedBatch, *, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))]]:
        """The same of everything that was decoded from a source."""

class NBestReader:
    """N-best lists of Moses and Joshua, block by block."""

    def __init__(self) -> None: ...

    def feed(self, block: str) -> None:
        """Read a block of complete lines."""

    @property
    def line(self) -> int:
        """The number of lines read."""

    def names(self) -> list[str]:
        """The features in order of appearance."""

    def texts(self) -> list[str]:
        """The words of every candidate."""

    def sentences(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def row_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    def columns(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

    def values(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    def totals(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """One per candidate, or none."""

class RowSet:
    """Candidates that were seen, by a hash of 128 bits."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def add(self, sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], texts: list[str], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """1 for every candidate that is new, 0 for those seen before."""

class FeatureIndex:
    """Columns of sparse features by key, in order of appearance."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def add(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, threads: int = 1) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The columns of the keys; new keys get the next ones."""

    def find(self, keys: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
        """The columns of the keys, -1 for those that have none."""

    def keys(self, first: int = 0) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,))]:
        """The keys by column, from the column `first` on."""

@overload
def scatter_rows(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], destinations: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def scatter_rows(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], destinations: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')]) -> None: ...

@overload
def scatter_rows(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], data: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], destinations: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], out: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
    """Copy row i of `data` to `out[destinations[i]:]`."""

class LineSearch:
    """Corpus statistics along lines of weights."""

    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], statistics: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], threads: int) -> None: ...

    def start(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Make these weights the point through which lines go."""

    def statistics(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """The sum of the statistics of the best candidates at the point."""

    def along(self, direction: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None, None))]]:
        """
        Breakpoints, ascending, and the statistics of the intervals that they separate.
        """

    def move(self, gamma: float) -> None:
        """Move the point so far in the last direction."""

def best_candidates(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scores: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """The first candidate of highest score of every sentence."""

class LocalSetBuilder:
    """Candidate sets of events."""

    def __init__(self, table: object, counts: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], lm: object, lm_words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_alternatives: int) -> None:
        """
        `counts` has one number per block, `pairs` sorted rows (previous block, block).
        """

    def build(self, previous: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], block: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], side: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu', writable=False)], sentence: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], target_begin: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], words: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], word_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], allowed: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], allowed_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.float32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
        """
        Offsets of the sets; choices, log probabilities of first and other words, pairs of candidates; set and true candidate of events.
        """

class LocalProblem:
    """Candidate sets of events to learn from."""

    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], choices: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], rest: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], sets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], truths: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_pairs: int) -> None:
        """
        `values` has four numbers per block: log p(block), p(right), p(left), lexical weight.
        """

    def learn(self, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rule: str, dense_rates: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pair_rate: float, fixed_pairs: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], pairs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> tuple[float, int]:
        """
        Moves the weights event by event; the sum of the losses before each move, and how many events left no choice.
        """

    def losses(self, events: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """Minus the log probability of the truth of each event."""

@overload
def sparse_scores(row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

@overload
def sparse_scores(row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """What the sparse features of every row add to its score."""

class BundledLists:
    """Lists in which sparse features that go together are one."""

    def __init__(self, n_sparse: int) -> None: ...

    @property
    def n_bytes(self) -> int: ...

    @overload
    def append(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, threads: int) -> None: ...

    @overload
    def append(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, threads: int) -> None:
        """
        Add the sentences from `first` up to `last` of lists behind those that are there.
        """

def mira_pass(lists: BundledLists, dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], frozen: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], step: float, n_seen: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lag: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Move the weights sentence by sentence; the best-scoring candidate of each before its move.
    """

class CostmarginLoss:
    """See calque.tune.losses.costmargin."""

    def __init__(self, select: CostmarginLoss.Select, margin_factor: bool, all_truths: bool, near: int) -> None: ...

    class Select(enum.Enum):
        """Which alternative is learned from."""

        loss = 0

        linear = 1

        literal = 2

class PerceptronLoss:
    """See calque.tune.losses.perceptron."""

    def __init__(self, all_truths: bool, near: int) -> None: ...

class SgdUpdate:
    """See calque.tune.updates.sgd."""

    def __init__(self, dense_rate: float, sparse_rate: float) -> None: ...

class AdaGradUpdate:
    """See calque.tune.updates.adagrad."""

    def __init__(self, dense_rate: float, sparse_rate: float) -> None: ...

class PassiveAggressiveUpdate:
    """See calque.tune.updates.passive_aggressive."""

    def __init__(self, most: float) -> None: ...

@overload
def differences(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, kept: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], clip: bool, masks: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int16], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int16], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], int]: ...

@overload
def differences(offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: int, last: int, kept: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], clip: bool, masks: bool, threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int16], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.uint8], dict(shape=(None,))], int]:
    """
    In what the candidates of each sentence differ: numbers of features and features by sentence, numbers of entries by candidate, their places among the features, values; with `masks` also numbers of masks by sentence, values and numbers of members by mask, places of the members, bits, and how many entries these stand for.
    """

def column_counts(columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
    """How often each column occurs, up to 255."""

def move_columns(update: SgdUpdate | AdaGradUpdate | PassiveAggressiveUpdate, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_steps: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lag: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, *, threads: int) -> Annotated[NDArray[numpy.float32], dict(shape=(None,))]:
    """
    Move the weights of distinct columns after so many steps; gives them as they are then.
    """

class MaskedValues:
    """Values of features with a bit for each candidate of a sentence."""

    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], member_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bits: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

def mask_sums() -> list[str]:
    """The ways to sum up by masks that this processor has, the fastest last."""

def sum_by_masks(way: str, masks: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], by_mask: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], by_candidate: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    For each candidate the sum of the numbers of its masks, and for each mask that of the numbers of its candidates, in one way.
    """

class DifferenceLists:
    """Lists of that in which the candidates of a sentence differ."""

    @overload
    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], feature_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.int16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_sparse: int, masked: MaskedValues | None = None) -> None: ...

    @overload
    def __init__(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], dense: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], feature_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], places: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_sparse: int, masked: MaskedValues | None = None) -> None: ...

    def best(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
        """The first candidate of highest score of every sentence."""

    def add_directions(self, gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_truths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: CostmarginLoss | PerceptronLoss, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sum: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')]) -> None:
        """
        Add the directions of all sentences under these weights, which stay, to `sum`.
        """

    def learn(self, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], gains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_truths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], loss: CostmarginLoss | PerceptronLoss, update: SgdUpdate | AdaGradUpdate | PassiveAggressiveUpdate, dense_shrink: float, sparse_shrink: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], times: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], lag: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None, squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> None:
        """Move the weights on the sentences of the order, one after the other."""

class SgdStep:
    """See calque.tune.updates.sgd."""

    def __init__(self, dense_rate: float, sparse_rate: float, l1: float) -> None: ...

class AdaGradStep:
    """See calque.tune.updates.adagrad."""

    def __init__(self, dense_rate: float, sparse_rate: float, l1: float) -> None: ...

class RpropStep:
    """See calque.tune.updates.rprop."""

    def __init__(self, increase: float, decrease: float, least: float, most: float, as_printed: bool) -> None: ...

class SentenceCounts:
    """In how many sentences each of so many columns occurs."""

    def __init__(self, n_columns: int) -> None: ...

    def add(self, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Count more sentences, which were not counted before."""

    def counts(self) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]:
        """Up to 255."""

def expected_worth(lists: DifferenceLists, worths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> float:
    """
    The sum over sentences of the expected worth of a candidate; its derivatives are added to `gradient`.
    """

def sentence_worths(lists: DifferenceLists, worths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], derive: bool, threads: int) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    What `expected_worth` adds up, sentence by sentence: expected worths, derivatives by dense features (a row per sentence) and by the features of every sentence.
    """

def add_derivatives(dense: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sparse: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], features: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_dense: int, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """
    Add derivatives to a gradient, sentence after sentence, as `expected_worth` does.
    """

def small_steps(lists: DifferenceLists, worths: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: float, order: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], batch: int, factor: float, l2: float, moving: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], penalised: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], update: SgdStep | AdaGradStep, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> float:
    """
    Move the weights after every batch of sentences; the sum of their expected worths.
    """

def penalised_squares(weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], penalised: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> float:
    """The squares of the penalised weights, added up."""

def finish_gradient(gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], factor: float, l2: float, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], moving: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], penalised: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], threads: int) -> None:
    """
    Make the gradient of factor * f - l2 * (squares of penalised weights) out of that of f, in place; it is 0 where weights do not move.
    """

def gradient_step(update: SgdStep | AdaGradStep, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_dense: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], threads: int, squares: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | None = None) -> None:
    """Move every weight that has a gradient."""

def rprop_step(rule: RpropStep, gradient: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], before: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], steps: Annotated[NDArray[numpy.float32], dict(shape=(None,), order='C', device='cpu')], signs: Annotated[NDArray[numpy.int8], dict(shape=(None,), order='C', device='cpu')], threads: int) -> None:
    """Move every weight by the sign of its gradient."""

class ReferenceLength(enum.Enum):
    """Which of several reference lengths counts."""

    closest = 0

    shortest = 1

    average = 2

class EditKind(enum.Enum):
    """What counts as an edit."""

    words = 0

    bag = 1

    ter = 2

class NgramReferences:
    """References whose word n-grams are counted: BLEU and NIST."""

    def __init__(self, lines: list[str], n_sets: int, order: int) -> None:
        """Reference k of sentence s is line s * n_sets + k."""

    def bleu(self, hypotheses: list[str], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], length: ReferenceLength, clip: bool, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Per hypothesis: length, reference length, matches and n-grams of each order.
        """

    def weigh(self) -> None:
        """Computes the information of n-grams, once before `nist`."""

    def nist(self, hypotheses: list[str], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Per hypothesis: information and n-grams of each order, length, mean reference length.
        """

class ChrfReferences:
    """References whose character and word n-grams are counted: chrF."""

    def __init__(self, lines: list[str], n_sets: int, char_order: int, word_order: int, beta: float) -> None:
        """Reference k of sentence s is line s * n_sets + k."""

    def statistics(self, hypotheses: list[str], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """
        Per hypothesis and order: n-grams, those of the best reference, shared ones.
        """

class EditReferences:
    """References as words: error rates."""

    def __init__(self, lines: list[str], n_sets: int) -> None:
        """Reference k of sentence s is line s * n_sets + k."""

    def statistics(self, hypotheses: list[str], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], kind: EditKind, n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
        """Per hypothesis: edits and reference length."""

def meteor_statistics(ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], sentences: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_ids: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], reference_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_sets: int, stems: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], synset_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], synsets: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]:
    """
    Per hypothesis: matches, chunks, length, length of the best reference. Empty `stems` or `synset_offsets` leave that stage out.
    """

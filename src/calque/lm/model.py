from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from calque._core import LanguageModelCore, fill_table, n_free_slots
from calque.errors import ModelError
from calque.lm.scratch import Scratch
from calque.parallel import n_workers
from calque.text import UNKNOWN, Sentences, Vocabulary
from calque.text.mapped import check_finite, check_ids, pieces

ENTRY = np.dtype([("log_prob", "<f4"), ("backoff", "<f4")])
SLOT = np.dtype([("key", "<u8"), ("log_prob", "<f4"), ("backoff", "<f4")])
SLOTS_PER_NGRAM = 1.5
"""Room in the tables: more makes misses a little cheaper and the model larger."""
MAX_ORDER = 7


@dataclass(frozen=True)
class WordScores:
    """How each word of some sentences scored, the end of every sentence included."""

    log_probs: NDArray[np.float32]
    """One per word and one per sentence end, sentence after sentence."""
    matched: NDArray[np.uint8]
    """The length of the longest n-gram of the model that ended at each."""
    unknown: NDArray[np.bool_]
    """Whether each is a word that the model lacks."""


class LanguageModel:
    """An n-gram model with backoff over its own vocabulary; log probabilities are natural.

    It is made of flat arrays alone, so that a model folder maps it without a load:

    - `unigrams`: `ENTRY` by word id;
    - `ngrams.N` (N from 2): int32 rows of context and last word, where the context is a row of
      `ngrams.N-1`, or a word: the model's n-grams as a list;
    - `table.N`: `SLOT`, the same n-grams by hash: what scoring reads. A backoff of -0.0 marks an
      n-gram that no longer one continues.
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], vocabulary: Vocabulary) -> None:
        """Take the arrays as they are; see `from_arrays`."""
        self.vocabulary = vocabulary
        self._arrays = dict(arrays)
        tables = [self._arrays[f"table.{n}"] for n in range(2, _order(arrays) + 1)]
        self.core = LanguageModelCore(
            _rows(self._arrays["unigrams"], np.uint32),
            [_rows(table, np.uint64) for table in tables],
        )
        """The lookup itself, for other parts of the core."""

    def __repr__(self) -> str:
        n_ngrams = ", ".join(f"{n:,}" for n in self.n_ngrams)
        return f"<LanguageModel: order {self.order}, n-grams by order {n_ngrams}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return LanguageModel.from_arrays, (self._arrays, self.vocabulary)

    @property
    def order(self) -> int:
        """The length of the longest n-grams."""
        return self.core.order

    @property
    def n_ngrams(self) -> list[int]:
        """How many n-grams there are, by order from 1."""
        return [len(self.vocabulary), *(len(ngrams) for ngrams in self.ngrams)]

    @property
    def ngrams(self) -> list[NDArray[np.int32]]:
        """The n-grams of orders 2 and up; see the class."""
        return [self._arrays[f"ngrams.{n}"] for n in range(2, self.order + 1)]

    def words_of(self, vocabulary: Vocabulary) -> NDArray[np.int32]:
        """The model's word for each word of a vocabulary; empty where both are the same."""
        if vocabulary == self.vocabulary:
            return np.empty(0, np.int32)
        return np.array([self.vocabulary.id(word) for word in vocabulary], np.int32)

    def score(self, sentence: str | Sequence[int] | NDArray[np.int32]) -> float:
        """The log probability of a sentence, words or ids, and of its end."""
        if isinstance(sentence, str):
            sentences = self.vocabulary.encode(sentence.replace("\n", " ") + "\n")
        else:
            sentences = Sentences.from_lists([sentence])
        return float(self.score_sentences(sentences, threads=1)[0])

    def score_sentences(
        self, sentences: Sentences, threads: int | None = None
    ) -> NDArray[np.float64]:
        """The log probability of every sentence, its end included."""
        workers = _workers(sentences, threads)
        return self.core.score_sentences(sentences.ids, sentences.offsets, False, workers)[0]

    def score_words(self, sentences: Sentences, threads: int | None = None) -> WordScores:
        """The log probability of every word and sentence end."""
        workers = _workers(sentences, threads)
        _, log_probs, matched = self.core.score_sentences(
            sentences.ids, sentences.offsets, True, workers
        )
        outside = (sentences.ids <= UNKNOWN) | (sentences.ids >= len(self.vocabulary))
        return WordScores(log_probs, matched, np.insert(outside, sentences.offsets[1:], False))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the model by name; see the class."""
        return dict(self._arrays)

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], vocabulary: Vocabulary
    ) -> LanguageModel:
        """The model of which these are the arrays; they are kept, not copied.

        Raises `ModelError` where one is missing or has another form.
        """
        order = _order(arrays)
        if order > MAX_ORDER:
            raise ModelError(f"language model: order {order}, expected at most {MAX_ORDER}")
        expected: dict[str, tuple[np.dtype[Any], int]] = {"unigrams": (ENTRY, 1)}
        for n in range(2, order + 1):
            expected |= {f"ngrams.{n}": (np.dtype("<i4"), 2), f"table.{n}": (SLOT, 1)}
        for name, (dtype, ndim) in expected.items():
            if name not in arrays:
                raise ModelError(f"language model: the array {name} is missing")
            if arrays[name].dtype != dtype or arrays[name].ndim != ndim:
                raise ModelError(f"language model: the array {name} is of another kind")
            if name.startswith("table") and len(arrays[name]) <= len(arrays[f"ngrams{name[5:]}"]):
                raise ModelError(f"language model: the array {name} is too short")
        if len(arrays["unigrams"]) != len(vocabulary):
            raise ModelError(
                f"language model: {len(arrays['unigrams'])} unigrams for a vocabulary of "
                f"{len(vocabulary)} words"
            )
        return cls(arrays, vocabulary)

    def check(self) -> None:
        """Raise `ModelError` where a number in the arrays leads nowhere; reads all of them."""
        n_below = len(self.vocabulary)
        check_finite("language model: unigrams", _rows(self._arrays["unigrams"], np.float32))
        for n in range(2, self.order + 1):
            ngrams = self._arrays[f"ngrams.{n}"]
            if ngrams.shape[1] != 2:
                raise ModelError(f"language model: the array ngrams.{n} is of another kind")
            for column, end in enumerate((n_below, len(self.vocabulary))):
                check_ids(f"language model: ngrams.{n}", ngrams[:, column], end)
            free = [n_free_slots(_rows(p, np.uint64)) for p in pieces(self._arrays[f"table.{n}"])]
            if min(free) < 0:
                raise ModelError(f"language model: table.{n} has a value that is not finite")
            if not any(free):
                raise ModelError(f"language model: table.{n} has no free slot")
            n_below = len(ngrams)


def build(
    vocabulary: Vocabulary,
    ngrams: list[NDArray[np.int32]],
    log_probs: list[NDArray[np.float32]],
    backoffs: list[NDArray[np.float32]],
    scratch: Scratch,
) -> LanguageModel:
    """The model with these n-grams; log probabilities and backoffs are by order from 1."""
    unigrams = np.empty(len(vocabulary), ENTRY)
    unigrams["log_prob"] = log_probs[0]
    unigrams["backoff"] = backoffs[0] if backoffs else -0.0
    arrays: dict[str, NDArray[Any]] = {"unigrams": unigrams}
    nothing = np.empty(0, np.float32)
    for n, rows in enumerate(ngrams, start=2):
        table = scratch.zeros(int(len(rows) * SLOTS_PER_NGRAM) + 2, SLOT)
        weights = backoffs[n - 1] if n <= len(backoffs) else nothing
        fill_table(ngrams[: n - 1], log_probs[n - 1], weights, _rows(table, np.uint64))
        arrays |= {f"ngrams.{n}": rows, f"table.{n}": table}
    return LanguageModel(arrays, vocabulary)


def _order(arrays: Mapping[str, Any]) -> int:
    return 1 + sum(name.startswith("table.") for name in arrays)


def _rows(array: NDArray[Any], dtype: type) -> NDArray[Any]:
    """The memory of a structured array as rows of two plain numbers."""
    return array.view(dtype).reshape(-1, 2)


def _workers(sentences: Sentences, threads: int | None) -> int:
    """Threads to use: none for work that is done before a thread has started."""
    return n_workers(threads) if sentences.n_words > 10_000 else 1

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from calque._core import WordTable, encode_growing, meteor_statistics
from calque.errors import CalqueError
from calque.metrics.metric import PreparedReferences, Statistics
from calque.metrics.porter import stem
from calque.metrics.prepared import Prepared, interleave, ratio
from calque.metrics.signature import calque_signature
from calque.metrics.word_metric import WordMetric
from calque.metrics.wordnet import WordNet
from calque.parallel import n_workers

LONGEST = 5000
"""Words of a sentence, at most."""


@dataclass(frozen=True)
class Meteor(WordMetric):
    """METEOR in its first form: unigram matches, recall nine times precision, fewer chunks better.

    Words are matched when equal, then by stem, then as synonyms; the counts of the best reference
    of each sentence are pooled over the corpus.
    """

    name: ClassVar[str] = "meteor"
    higher_is_better = True
    statistics_names = ("matches", "chunks", "hypothesis_length", "reference_length")

    stem: bool = False
    """Match words of equal stem; the stemmer is English."""
    synonyms: Path | str | None = None
    """A folder with the text files of WordNet; its synonyms match too."""
    lowercase: bool = True

    @property
    def signature(self) -> str:
        """The settings; of the folder of synonyms its name."""
        return calque_signature(
            case=self.case,
            tok=self.tok,
            stem="porter" if self.stem else "no",
            syn="no" if self.synonyms is None else Path(self.synonyms).name,
        )

    def prepare(self, references: Sequence[Sequence[str]]) -> PreparedReferences:
        """References as words, with stems and synonyms where they are wanted."""
        wordnet = None if self.synonyms is None else WordNet(self.synonyms)
        words = _Words(self.stem, wordnet)
        reference_ids, reference_offsets = words.encode(self.split(interleave(references)))

        def count(hypotheses: list[str], sentences: NDArray[np.int64]) -> Statistics:
            ids, offsets = words.encode(hypotheses)
            return meteor_statistics(
                ids,
                offsets,
                sentences,
                reference_ids,
                reference_offsets,
                len(references),
                *words.classes(),
                n_workers(),
            )

        return Prepared(len(references[0]), len(self.statistics_names), self.split, count)

    def score(self, statistics: Statistics) -> NDArray[np.float64]:
        """Fmean = 10PR / (R + 9P) times 1 - 0.5 (chunks / matches)^3, from 0 to 100."""
        matches, chunks, length, reference_length = np.moveaxis(statistics, -1, 0)
        precision = ratio(matches, length)
        recall = ratio(matches, reference_length)
        f_mean = ratio(10 * precision * recall, recall + 9 * precision)
        return 100 * f_mean * (1 - 0.5 * ratio(chunks, matches) ** 3)


class _Words:
    """Ids of words, with the stem and the synsets of each; new words join as they come."""

    def __init__(self, stems: bool, wordnet: WordNet | None) -> None:
        self._table = WordTable()
        self._with_stems = stems
        self._wordnet = wordnet
        self._stem_ids: dict[str, int] = {}
        self._stems: list[int] = []
        self._synsets: list[list[int]] = []
        self._lock = threading.Lock()  # the core lets go of the GIL while the table grows

    def encode(self, lines: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        text = "".join(" ".join(line.split()) + "\n" for line in lines)
        with self._lock:
            ids, offsets = encode_growing(text, self._table)
            if self._with_stems:
                self._stems += [self._stem_id(word) for word in self._new(len(self._stems))]
            if self._wordnet is not None:
                new = self._new(len(self._synsets))
                self._synsets += [self._wordnet.synsets(word) for word in new]
        longest = int(np.diff(offsets).max(initial=0))
        if longest > LONGEST:
            raise CalqueError(
                f"METEOR: a sentence of {longest:,} words, expected at most {LONGEST:,}: time and"
                " memory grow with the square of the length"
            )
        return ids, offsets

    def classes(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        with self._lock:
            stems = np.array(self._stems, dtype=np.int32)
            flat = [synset for synsets in self._synsets for synset in synsets]
            ends = np.cumsum([0, *map(len, self._synsets)], dtype=np.int64)
        offsets = ends if self._wordnet is not None else np.zeros(0, dtype=np.int64)
        return stems, offsets, np.array(flat, dtype=np.int32)

    def _new(self, n_known: int) -> list[str]:
        return [self._table.word(i) for i in range(n_known, len(self._table))]

    def _stem_id(self, word: str) -> int:
        return self._stem_ids.setdefault(stem(word), len(self._stem_ids))

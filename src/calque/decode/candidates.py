"""N-best lists by the hundred thousand: arrays straight from the core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.config import LeaveOneOutOptions
from calque.decode.batches import behind
from calque.decode.candidate_texts import CandidateTexts
from calque.decode.derivation_features import SparseRows
from calque.decode.part_translator import Part
from calque.decode.prepared import BATCH, PreparedSentence, PreparedText, prepare
from calque.decode.sparse_sums import no_rows, summed_rows
from calque.decode.split import combine
from calque.decode.training_text import TrainingText, with_pairs
from calque.decode.translator import Translator
from calque.features import Weights
from calque.model import Model
from calque.parallel import Engine, Here, Shared
from calque.text.sentences import offsets_of

FEW = 16
"""Sentences at a time where candidates have sparse features: one of them may have thousands."""
REMEMBERED = 50_000
"""Sentences that stay prepared from one call to the next: 2 KB each."""

DecoderAndPart: TypeAlias = "tuple[Shared[PartDecoder], Part]"


@dataclass(frozen=True, eq=False)
class CandidateLists:
    """The candidates of some sentences, best first, one list after the other."""

    lengths: NDArray[np.int64]
    """The number of candidates of every sentence."""
    texts: list[str]
    """As the user reads them."""
    dense: NDArray[np.float64]
    """A row per candidate, in the order of `Decoder.feature_names`."""
    scores: NDArray[np.float64]
    sparse: SparseRows
    """A row per candidate; all empty where no family of sparse features is active."""

    @property
    def n_bytes(self) -> int:
        """The memory that the features take, which are most of it."""
        return self.dense.nbytes + sum(array.nbytes for array in self.sparse)

    @classmethod
    def concatenated(cls, parts: Sequence[CandidateLists]) -> CandidateLists:
        """The lists of several texts, one after the other."""
        n_entries = np.concatenate([np.diff(part.sparse.offsets) for part in parts])
        sparse = SparseRows(
            offsets_of(n_entries),
            np.concatenate([part.sparse.keys for part in parts]),
            np.concatenate([part.sparse.counts for part in parts]),
        )
        return cls(
            lengths=np.concatenate([part.lengths for part in parts]),
            texts=[text for part in parts for text in part.texts],
            dense=np.concatenate([part.dense for part in parts]),
            scores=np.concatenate([part.scores for part in parts]),
            sparse=sparse,
        )


@dataclass(frozen=True, eq=False)
class _Rows:
    """The candidates of all pieces of a text, one after the other."""

    batch: _core.DecodedBatch
    dense: NDArray[np.float64]
    scores: NDArray[np.float64]
    sparse: SparseRows
    words: list[list[str]]
    """As the model knows them."""


@dataclass(frozen=True, eq=False)
class DerivedList:
    """The candidates of one sentence, best first, with their derivations."""

    texts: list[str]
    """As the user reads them."""
    ways: list[list[int]]
    """For every candidate, the ranks of the derivations of its pieces."""
    pieces: Sequence[int]
    """The places of its pieces in the batch."""
    batch: _core.DecodedBatch

    def derivations(self, candidate: int) -> list[_core.Derivation]:
        """The derivations of all pieces that make a candidate."""
        way = zip(self.pieces, self.ways[candidate], strict=True)
        return [self.batch.derivation(piece, rank) for piece, rank in way]

    def used_blocks(self) -> list[NDArray[np.int32]]:
        """For every piece, the blocks of all of its derivations, rising."""
        return [self.batch.used_blocks(piece) for piece in self.pieces]


class CandidateSearch:
    """Finds the n-best lists of the same sentences under ever new weights.

    They are those of `Translator.n_best`, without a Python object per derivation. Only sentences
    with classes of numbers take the long way.
    """

    def __init__(
        self,
        translator: Translator,
        sentences: Sequence[str],
        leave_one_out: LeaveOneOutOptions | None = None,
    ) -> None:
        """Prepare the sentences; of the model, the weights do not matter.

        This is once for all calls, but anew for each where there are more than `REMEMBERED`.
        With `leave_one_out` they are the lines of the training text, and each is decoded as if the
        model had not seen its pair.
        """
        self._translator = translator
        self._sentences = sentences
        self._decoder = PartDecoder(translator, leave_one_out)
        self._parts: list[Part] | None = None
        if len(sentences) <= REMEMBERED:
            self._parts = list(self.parts())
        else:
            for _ in self.parts():  # mistakes show before the work
                pass

    def parts(self) -> Iterable[Part]:
        """All sentences in order, some together; how many does not depend on workers."""
        if self._parts is not None:
            return self._parts
        model, options = self._translator.model, self._translator.options
        prepared = prepare(
            self._sentences, model, options.max_words, least_agreement=options.least_agreement
        )
        texts = PreparedText.batches(prepared, model, _at_once(model))
        return with_pairs(texts, self._decoder.training)

    @property
    def n_remembered(self) -> int:
        """The number of restored texts that are kept for the next call; at most `RESTORED`."""
        return self._decoder.read.n_remembered

    def lists(
        self,
        weights: Weights,
        n: int,
        threads: int | None = None,
        *,
        skip: int = 0,
        engine: Engine | None = None,
    ) -> Iterator[CandidateLists]:
        """Up to `n` candidates of different words per sentence, some sentences at a time.

        The first `skip` sentences are left out: all of some batches. With an `engine` batches are
        decoded where it runs its tasks, else with `threads` here.
        """
        engine = engine or Here(threads)
        decoder = self._decoder.shared_by(engine)
        tasks = ((decoder, part) for part in behind(self.parts(), skip, n_sentences_of))
        return decode_parts(tasks, weights, n, engine)

    def derived(
        self, weights: Weights, n: int, threads: int | None = None
    ) -> Iterator[DerivedList]:
        """The lists with their derivations, sentence by sentence; without features."""
        for part in self.parts():
            yield from self._decoder.derived(part, weights, n, threads)


def n_sentences_of(part: Part) -> int:
    """How many sentences a part of a text has."""
    return len(part[0].sentences)


def decode_parts(
    parts: Iterable[DecoderAndPart], weights: Weights, n: int, engine: Engine
) -> Iterator[CandidateLists]:
    """The lists of parts of a text under the same weights, in order, each with its decoder."""
    work = partial(_decoded, engine.share(weights), n, engine.threads_per_task)
    return engine.ordered_map(work, parts)


def _decoded(
    weights: Shared[Weights], n: int, threads: int, decoder_and_part: DecoderAndPart
) -> CandidateLists:
    """The task of an engine: the lists of some sentences."""
    decoder, part = decoder_and_part
    return decoder.get().lists(part, weights.get(), n, threads)


class PartDecoder:
    """Decodes parts of a text, in whichever process: it can be pickled, and keeps no state."""

    def __init__(
        self, translator: Translator, leave_one_out: LeaveOneOutOptions | None = None
    ) -> None:
        """Take a translator, of which the weights do not matter."""
        self._translator = translator
        self._leave_one_out = leave_one_out
        self._shared: tuple[Engine, Shared[PartDecoder]] | None = None

    def shared_by(self, engine: Engine) -> Shared[PartDecoder]:
        """What tasks of an engine read: the same in every round, so that workers keep it."""
        if self._shared is None or self._shared[0] is not engine:
            self._shared = engine, engine.share(self)
        return self._shared[1]

    def __reduce__(self) -> tuple[Any, ...]:
        return PartDecoder, (self._translator, self._leave_one_out)

    @cached_property
    def read(self) -> CandidateTexts:
        """What makes texts of words, and remembers those it has made."""
        return CandidateTexts(self._translator)

    @cached_property
    def training(self) -> TrainingText | None:
        """The text that the model was learned from, where pairs of it are left out."""
        options = self._leave_one_out
        return None if options is None else TrainingText(self._translator.model, options)

    def lists(self, part: Part, weights: Weights, n: int, threads: int | None) -> CandidateLists:
        """Up to `n` candidates of different words for every sentence of a part."""
        text, _ = part
        rows = self._rows(part, weights, n, threads)
        by_sentence = text.by_sentence(range(len(rows.batch)))
        return CandidateLists.concatenated(
            [self._candidates(sentence, pieces, rows, n) for sentence, pieces in by_sentence]
        )

    def derived(
        self, part: Part, weights: Weights, n: int, threads: int | None
    ) -> Iterator[DerivedList]:
        """The lists with their derivations, sentence by sentence; without features."""
        text, _ = part
        rows = self._rows(part, weights, n, threads, with_sparse=False)
        for sentence, pieces in text.by_sentence(range(len(rows.batch))):
            ways = self._ways(pieces, rows, n)
            texts = self._texts_of(sentence, pieces, rows, ways)
            yield DerivedList(texts, list(ways.values()), pieces, rows.batch)

    def _rows(
        self,
        part: Part,
        weights: Weights,
        n: int,
        threads: int | None,
        with_sparse: bool = True,
    ) -> _Rows:
        text, pairs = part
        training, decoder = self.training, self._translator.decoder
        left_out = None if training is None or pairs is None else training.left_out(pairs)
        batch = decoder.decode_batch(
            text.source,
            weights,
            self._translator.options,
            n_best=n,
            leave_one_out=left_out,
            threads=threads,
        )
        n_rows = len(batch.scores)
        sparse = no_rows(n_rows)
        if decoder.features.templates and with_sparse:
            sparse = decoder.sparse_batch(batch, text.source, threads=threads)
        dense = batch.features.reshape(n_rows, -1)
        words = self.read.words(text, batch.offsets, batch.word_offsets, batch.words)
        return _Rows(batch, dense, batch.scores, sparse, words)

    def _candidates(
        self, sentence: PreparedSentence, pieces: Sequence[int], rows: _Rows, n: int
    ) -> CandidateLists:
        """The candidates of one sentence, whose pieces are given by their places."""
        ways = self._ways(pieces, rows, n)
        begins = rows.batch.offsets[[*pieces]]
        of_pieces = np.array(list(ways.values())) + begins  # for every candidate, its rows
        first, *others = of_pieces.T
        dense, totals = rows.dense[first], rows.scores[first]
        for other in others:
            dense += rows.dense[other]
            totals += rows.scores[other]
        return CandidateLists(
            lengths=np.array([len(ways)], np.int64),
            texts=self._texts_of(sentence, pieces, rows, ways),
            dense=dense,
            scores=totals,
            sparse=summed_rows(rows.sparse, of_pieces),
        )

    def _ways(self, pieces: Sequence[int], rows: _Rows, n: int) -> dict[str, list[int]]:
        """The best sums over the pieces of a sentence: ranks in each, by the words they make.

        Different words of neighbouring pieces may be the same in a row; these count once.
        """
        bounds = rows.batch.offsets[[*pieces, pieces[-1] + 1]].tolist()
        scores = [rows.scores[begin:end].tolist() for begin, end in pairwise(bounds)]
        ways: dict[str, list[int]] = {}
        for way in combine(scores, n):
            chosen = [begin + at for begin, at in zip(bounds, way, strict=False)]
            ways.setdefault(" ".join([word for row in chosen for word in rows.words[row]]), way)
        return ways

    def _texts_of(
        self,
        sentence: PreparedSentence,
        pieces: Sequence[int],
        rows: _Rows,
        ways: Mapping[str, list[int]],
    ) -> list[str]:
        """The candidates as the user reads them."""

        def derivations() -> list[list[_core.Derivation]]:
            lists = [rows.batch[at].derivations for at in pieces]
            return [
                [some[at] for some, at in zip(lists, way, strict=True)] for way in ways.values()
            ]

        return self.read.read(sentence, ways, derivations)


def _at_once(model: Model) -> int:
    """How many sentences are decoded together."""
    return FEW if model.features.templates else BATCH

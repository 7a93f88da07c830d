"""N-best lists by the hundred thousand: arrays straight from the core."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.decode.decoder import SparseRows
from calque.decode.source import SourceText
from calque.decode.split import Piece, combine, split
from calque.decode.translator import BATCH, Translator
from calque.features import SparseWeights, Weights
from calque.text import Prepared
from calque.text.numbers import is_class


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


@dataclass(frozen=True, eq=False)
class _Group:
    """Sentences of one piece each, or the pieces of one sentence."""

    prepared: list[Prepared]
    pieces: list[Piece]
    source: SourceText

    @property
    def is_cut(self) -> bool:
        return len(self.prepared) < len(self.pieces)


class CandidateSearch:
    """Finds the n-best lists of the same sentences under ever new weights.

    They are those of `Translator.n_best`, without a Python object per derivation. Only sentences
    that are cut into pieces, and those with classes of numbers, take the long way.
    """

    def __init__(self, translator: Translator, sentences: Sequence[str]) -> None:
        """Prepare the sentences, once for all calls; of the model, the weights do not matter."""
        self._translator = translator
        model = translator.model
        self._vocabulary = list(model.target_vocabulary)
        self._restored: dict[str, str] = {}  # of earlier calls: most candidates come again
        self._groups: list[_Group] = []
        prepared = [model.preprocessor.prepare(sentence) for sentence in sentences]
        cut = [(one, list(split(one.words, (), translator.options.max_words))) for one in prepared]
        for is_whole, run in groupby(cut, key=lambda one: len(one[1]) == 1):
            alike = list(run)
            size = BATCH if is_whole else 1
            for begin in range(0, len(alike), size):
                some = alike[begin : begin + size]
                pieces = [piece for _, its_pieces in some for piece in its_pieces]
                lines = (" ".join(piece.words) for piece in pieces)
                source = SourceText.encode(lines, model.source_vocabulary, model.target_vocabulary)
                self._groups.append(_Group([one for one, _ in some], pieces, source))

    def lists(
        self, weights: Weights, n: int, threads: int | None = None
    ) -> Iterator[CandidateLists]:
        """Up to `n` candidates of different words per sentence, some sentences at a time."""
        for group in self._groups:
            batch = self._translator.decoder.decode_batch(
                group.source, weights, self._translator.options, n_best=n, threads=threads
            )
            if group.is_cut:
                yield self._joined(group, batch, n)
            else:
                yield self._whole(group, batch, threads)

    def _whole(
        self, group: _Group, batch: _core.DecodedBatch, threads: int | None
    ) -> CandidateLists:
        decoder = self._translator.decoder
        n = len(batch.scores)
        sparse = _nothing(n)
        if decoder.features.templates:
            sparse = decoder.sparse_batch(batch, group.source, threads=threads)
        # Copies: views would keep the derivations of the whole batch alive.
        return CandidateLists(
            np.diff(batch.offsets),
            self._texts(group, batch),
            batch.features.reshape(n, -1).copy(),
            batch.scores.copy(),
            sparse,
        )

    def _texts(self, group: _Group, batch: _core.DecodedBatch) -> list[str]:
        offsets = batch.word_offsets.tolist()
        words = self._words(group, batch)
        preprocessor = self._translator.model.preprocessor
        if preprocessor.is_plain:
            return [" ".join(words[begin:end]) for begin, end in pairwise(offsets)]
        texts: list[str] = []
        bounds = batch.offsets.tolist()
        for at, prepared in enumerate(group.prepared):
            # Only numbers of the source make texts depend on more than their words.
            if any(is_class(word) for word in prepared.words):
                ways = [[one] for one in batch[at].derivations]
                read = self._translator.read_off(prepared, [group.pieces[at]], ways, distinct=False)
                texts += [one.text for one in read]
                continue
            for begin, end in pairwise(offsets[bounds[at] : bounds[at + 1] + 1]):
                some = words[begin:end]
                joined = " ".join(some)
                if joined not in self._restored:
                    self._restored[joined] = preprocessor.restore(some, prepared)
                texts.append(self._restored[joined])
        return texts

    def _words(self, group: _Group, batch: _core.DecodedBatch) -> list[str]:
        """The words of all candidates in a row, as the model knows them."""
        ids = batch.words
        words = [self._vocabulary[id] for id in np.maximum(ids, 0).tolist()]
        copies = np.flatnonzero(ids < 0)
        candidates = np.searchsorted(batch.word_offsets, copies, side="right") - 1
        sentences = np.searchsorted(batch.offsets, candidates, side="right") - 1
        for at, sentence in zip(copies.tolist(), sentences.tolist(), strict=True):
            words[at] = group.pieces[sentence].words[-1 - int(ids[at])]
        return words

    def _joined(self, group: _Group, batch: _core.DecodedBatch, n: int) -> CandidateLists:
        """The candidates of one sentence in pieces: the best sums over these."""
        translator = self._translator
        ways = combine([batch[at].derivations for at in range(len(batch))], n)
        read = translator.read_off(group.prepared[0], group.pieces, ways, distinct=False)
        first = dict[tuple[str, ...], int]()
        for at, one in enumerate(read):
            first.setdefault(one.words, at)
        kept = list(first.values())
        return CandidateLists(
            np.array([len(kept)], np.int64),
            [read[at].text for at in kept],
            np.array([list(read[at].features.values()) for at in kept]),
            np.array([read[at].score for at in kept]),
            self._joined_sparse([ways[at] for at in kept], group.source),
        )

    def _joined_sparse(self, ways: list[list[_core.Derivation]], source: SourceText) -> SparseRows:
        decoder = self._translator.decoder
        if not decoder.features.templates:
            return _nothing(len(ways))
        rows = decoder.sparse_rows(list(zip(*ways, strict=True)), source)
        # Rows come piece by piece; a candidate has one of each.
        at = np.repeat(np.tile(np.arange(len(ways)), len(ways[0])), np.diff(rows.offsets))
        sums = []
        for candidate in range(len(ways)):
            mine = at == candidate
            table = SparseWeights.summed(rows.keys[mine], rows.counts[mine]).to_arrays()
            sums.append((table["keys"], table["values"]))
        return SparseRows(
            np.cumsum([0, *(len(keys) for keys, _ in sums)], dtype=np.int64),
            np.concatenate([keys for keys, _ in sums]),
            np.concatenate([counts for _, counts in sums]),
        )


def _nothing(n: int) -> SparseRows:
    offsets = np.zeros(n + 1, np.int64)
    return SparseRows(offsets, np.empty(0, np.uint64), np.empty(0, np.float32))

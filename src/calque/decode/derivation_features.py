"""What fires in derivations, whatever search has found them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.decode.source import SourceText
from calque.errors import CalqueError
from calque.features import FeatureSet, Weights
from calque.features.naming import NamedStep
from calque.parallel import n_workers
from calque.text import RESERVED, UNKNOWN

UNKNOWN_TEXT = RESERVED[UNKNOWN]
ALTERNATIVES = "alternatives"
"""What a normalised step loses to the options that it left, as `explain` names it."""


class SparseRows(NamedTuple):
    """Sparse vectors, one after the other."""

    offsets: NDArray[np.int64]
    """Row i is `keys[offsets[i]:offsets[i + 1]]`."""
    keys: NDArray[np.uint64]
    """Ascending in each row."""
    counts: NDArray[np.floating[Any]]


class FiredFeature(NamedTuple):
    """A feature of a step, its value there and its weight."""

    name: str
    value: float
    weight: float


class DerivationFeatures:
    """Extracts the features of derivations, with names and weights, by the engine of a model.

    They depend on the blocks of a derivation alone, not on the search that found it.
    """

    def __init__(self, features: FeatureSet, engine: Any) -> None:
        """Take the features of a model, and the core's decoder that has them."""
        self.features = features
        self._core = engine

    @property
    def core(self) -> _core.Decoder:
        """The phrase engine; raises `CalqueError` where the model is for another."""
        engine: _core.Decoder = self._core
        return engine

    @property
    def any_core(self) -> Any:
        """The engine, whichever it is."""
        return self._core

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The dense features, in the order of the vectors of derivations."""
        return self.features.names

    def dense_features(self, derivation: _core.Derivation, source: SourceText) -> list[float]:
        """The values of a derivation of one sentence, extracted from its blocks alone."""
        return self.core.features(
            self.core_source(source), derivation, n_steps=len(derivation.steps), ends=True
        )

    def sparse_features(
        self, derivation: _core.Derivation, source: SourceText
    ) -> tuple[NDArray[np.uint64], NDArray[np.float32]]:
        """The sparse features of a derivation of one sentence: ascending keys, and counts."""
        rows = self.sparse_rows([[derivation]], source, threads=1)
        return rows.keys, rows.counts

    def sparse_rows(
        self,
        derivations: Sequence[Sequence[_core.Derivation]],
        source: SourceText,
        *,
        ends: bool = True,
        threads: int | None = None,
    ) -> SparseRows:
        """The sparse features of many derivations, of each sentence some.

        `ends` is false for derivations of prefixes of the sentences.
        """
        lists = [list(some) for some in derivations]
        arrays = self._core.sparse_features(
            self.core_source(source), lists, ends=ends, threads=n_workers(threads)
        )
        return SparseRows(*arrays)

    def sparse_batch(
        self, batch: _core.DecodedBatch, source: SourceText, *, threads: int | None = None
    ) -> SparseRows:
        """The sparse features of all that was decoded from a source, candidate by candidate."""
        arrays = self._core.sparse_features_of(
            self.core_source(source), batch, threads=n_workers(threads)
        )
        return SparseRows(*arrays)

    def explain(
        self, derivation: _core.Derivation, source: SourceText, weights: Weights
    ) -> list[list[FiredFeature]]:
        """What fired in each step of a derivation of one sentence, dense features first.

        Values times weights add up to the score. The end of the sentence belongs to the last step;
        sparse features of a step that fire several times are one. What normalises a step, with
        `decode.normaliser=alternatives`, is called `alternatives` and has weight 1.
        """
        steps: list[list[FiredFeature]] = []
        named = self._names(derivation, source)
        before = [0.0] * len(self.feature_names)
        for i in range(len(derivation.steps)):
            after = self.core.features(
                self.core_source(source),
                derivation,
                n_steps=i + 1,
                ends=i + 1 == len(derivation.steps),
            )
            fired = [
                FiredFeature(name, new - old, weights[name])
                for name, new, old in zip(self.feature_names, after, before, strict=True)
                if new != old
            ]
            if derivation.steps[i].log_sum:
                fired.append(FiredFeature(ALTERNATIVES, -derivation.steps[i].log_sum, 1.0))
            steps.append(fired + self._fired_sparse(named[i], weights))
            before = after
        return steps

    def _fired_sparse(self, names: Sequence[str], weights: Weights) -> list[FiredFeature]:
        """Sparse features of a step, those that fire several times once."""
        return [
            FiredFeature(name, float(count), weights.sparse[self.features.key_of(name)])
            for name, count in Counter(names).items()
        ]

    def sparse_names(self, derivation: _core.Derivation, source: SourceText) -> dict[int, str]:
        """The names of the sparse features of a derivation of one sentence, by key."""
        names = {name for step in self._names(derivation, source) for name in step}
        return {self.features.key_of(name): name for name in names}

    def _names(self, derivation: _core.Derivation, source: SourceText) -> list[list[str]]:
        self.dense_features(derivation, source)  # refuses a derivation of another model
        words = self.features.words
        if words is None:
            return [[] for _ in derivation.steps]
        ids = source.sentences.ids.tolist()
        texts = [
            source.unknown.get(i) or words.source_vocabulary.word(id) for i, id in enumerate(ids)
        ]
        target = words.target_vocabulary

        def text(word: int) -> str:
            if word >= 0:
                return target.word(word)
            return texts[-1 - word] if -1 - word < len(texts) else UNKNOWN_TEXT

        return self._names_of_steps(derivation, texts, text)

    def _names_of_steps(
        self, derivation: _core.Derivation, texts: list[str], text: Callable[[int], str]
    ) -> list[list[str]]:
        steps = [
            NamedStep(
                begin=step.begin,
                end=step.end,
                target=tuple(text(word) for word in step.target),
                copied=tuple(word < 0 for word in step.target),
                row=step.block,
                orientation=step.orientation,
            )
            for step in derivation.steps
        ]
        return self.features.namer.names(texts, steps)

    def core_source(self, source: SourceText) -> _core.Source:
        """A text as the core takes it, with what templates see of its words."""
        values = self.features.source_values(source.sentences.ids, source.unknown)
        return _core.Source(*source.arrays(), values)

    def core_weights(self, weights: Weights) -> _core.WeightView:
        """Weights as the core takes them; raises `CalqueError` where they are of other features."""
        vector = weights.vector(self.features.names)
        if not self.features.templates and len(weights.sparse):
            raise CalqueError(
                f"there are {len(weights.sparse):,} weights of sparse features, but no such"
                " features: choose families with features.sparse"
            )
        sparse = weights.sparse.core if self.features.templates else None
        return _core.WeightView(vector, sparse)

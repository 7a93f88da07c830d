from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from calque import _core
from calque.blocks import BlockTable
from calque.config import DecodeOptions, ForceOptions, OracleOptions, ReorderingOptions
from calque.decode.derivation_features import DerivationFeatures, SparseRows
from calque.decode.source import SourceText
from calque.errors import CalqueError, ModelError, OptionError
from calque.features import FeatureSet, Weights
from calque.lm import LanguageModel
from calque.model import Model
from calque.parallel import n_workers
from calque.text import Vocabulary

MEGABYTE = 1_000_000
MOST_BEST = 2**31 - 1
"""Longer lists cannot be: to ask for more is to ask for all."""


class Bags(NamedTuple):
    """Blocks drawn at random, a bag per sentence."""

    sparse: SparseRows
    word_offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    """Of the targets of a bag, by where the blocks begin; -1 - i is the text of source word i."""


class Decoder(DerivationFeatures):
    """Finds derivations of sentences under given weights, of references, or near references.

    The model is loaded once; weights and options come with each call and cost nothing to change.
    Results never depend on the number of threads.
    """

    def __init__(
        self,
        blocks: BlockTable,
        target_vocabulary: Vocabulary,
        lm: LanguageModel,
        features: FeatureSet | None = None,
    ) -> None:
        """Take the parts of a model; the language model may have a vocabulary of its own.

        Without `features` derivations have those of the standard set.
        """
        features = features or FeatureSet.standard(blocks)
        lm_words = lm.words_of(target_vocabulary)
        super().__init__(features, self._engine(blocks, lm, lm_words, features))

    def _engine(
        self,
        blocks: BlockTable,
        lm: LanguageModel,
        lm_words: NDArray[np.int32],
        features: FeatureSet,
    ) -> Any:
        for template in features.templates.values():
            if template.is_of_gaps:
                raise CalqueError(
                    f"sparse features of '{template.name}' look at gaps, which only rules have:"
                    " expected a model of decode.engine=chart"
                )
        return _core.Decoder(blocks.core, lm.core, lm_words, features.core)

    def _search(self, options: DecodeOptions) -> Any:
        """How far the search goes, as the engine takes it."""
        return self.core_search(options)

    def space(self, options: ReorderingOptions) -> Any:
        """Which derivations there are, whatever is searched for, as the engine takes it."""
        return self.core_search(DecodeOptions(**options.rules()))

    def learning_search(self, options: DecodeOptions) -> Any:
        """The search whose errors are learned from, as the engine takes it."""
        return self.core_search(options)

    def _oracle_search(self, options: OracleOptions) -> Any:
        """How far an oracle search goes, as the engine takes it."""
        return self.core_search(
            DecodeOptions(**options.rules(), stack_size=options.stack_size, future_cost=False)
        )

    def limits(self, options: DecodeOptions) -> Any:
        """How many translations of a span are kept, as the engine takes it."""
        return core_limits(options)

    @classmethod
    def of(cls, model: Model) -> Decoder:
        """The decoder of a model, of the engine that the model is for."""
        from calque.decode.chart import ChartDecoder

        engine = ChartDecoder if model.decode_options.engine == "chart" else Decoder
        return engine(model.blocks, model.target_vocabulary, model.lm, model.features)

    def decode(
        self,
        source: SourceText,
        weights: Weights,
        options: DecodeOptions,
        *,
        n_best: int = 1,
        distinct: bool = True,
        leave_one_out: _core.LeaveOneOut | None = None,
        threads: int | None = None,
    ) -> list[_core.Decoded]:
        """The `n_best` derivations of every sentence, best first.

        With `distinct`, derivations that give the same words count once. `leave_one_out` says what
        the model forgets for each sentence (`TrainingText.left_out`).
        """
        required = source.required
        found: list[_core.Decoded] = self._core.decode(
            self.core_source(source),
            self.core_weights(weights),
            self._search(options),
            required.offsets,
            required.spans,
            required.target_offsets,
            required.targets,
            leave_one_out,
            limits=self.limits(options),
            n_best=min(n_best, MOST_BEST),
            distinct=distinct,
            threads=n_workers(threads),
        )
        return found

    def decode_batch(
        self,
        source: SourceText,
        weights: Weights,
        options: DecodeOptions,
        *,
        n_best: int = 1,
        distinct: bool = True,
        leave_one_out: _core.LeaveOneOut | None = None,
        threads: int | None = None,
    ) -> _core.DecodedBatch:
        """The same as `decode` as arrays, which cost little; nothing can be required."""
        batch: _core.DecodedBatch = self._core.decode_batch(
            self.core_source(source),
            self.core_weights(weights),
            self._search(options),
            leave_one_out,
            limits=self.limits(options),
            n_best=min(n_best, MOST_BEST),
            distinct=distinct,
            threads=n_workers(threads),
        )
        return batch

    def graph(
        self, source: SourceText, weights: Weights, options: DecodeOptions
    ) -> _core.TranslationGraph:
        """Everything that the search of one sentence kept."""
        return self.core.graph(
            self.core_source(source),
            self.core_weights(weights),
            self.core_search(options),
            limits=core_limits(options),
        )

    def oracle(
        self,
        source: SourceText,
        references: Sequence[SourceText],
        options: OracleOptions,
        *,
        n_best: int = 5,
        distinct: bool = False,
        leave_one_out: _core.LeaveOneOut | None = None,
        threads: int | None = None,
    ) -> list[_core.Decoded]:
        """The `n_best` derivations of highest sentence BLEU; their score is the BLEU, 0 to 1.

        `references` are texts with a translation of every sentence each. BLEU has add-one smoothing
        from bigrams on and, unless `options` want it, no brevity penalty (Tillmann & Zhang 2008). A
        beam search: the best one is not guaranteed, unless the stacks are unlimited.
        """
        batch = self.oracle_batch(
            source,
            references,
            options,
            n_best=min(n_best, MOST_BEST),
            distinct=distinct,
            leave_one_out=leave_one_out,
            threads=threads,
        )
        return [batch[at] for at in range(len(batch))]

    def oracle_batch(
        self,
        source: SourceText,
        references: Sequence[SourceText],
        options: OracleOptions,
        *,
        n_best: int = 5,
        distinct: bool = False,
        leave_one_out: _core.LeaveOneOut | None = None,
        threads: int | None = None,
    ) -> _core.DecodedBatch:
        """The same as `oracle` as arrays, which cost little."""
        batch: _core.DecodedBatch = self._core.oracle(
            self.core_source(source),
            [(text.copies, text.sentences.offsets) for text in references],
            self._oracle_search(options),
            leave_one_out,
            brevity_penalty=options.brevity_penalty,
            max_targets=options.max_targets,
            n_best=min(n_best, MOST_BEST),
            distinct=distinct,
            threads=n_workers(threads),
        )
        return batch

    def force(
        self,
        source: SourceText,
        references: SourceText,
        weights: Weights,
        options: ForceOptions,
        *,
        derive_prefix: bool = True,
        leave_one_out: _core.LeaveOneOut | None = None,
        threads: int | None = None,
    ) -> list[_core.Forced]:
        """Whether each reference can be derived, in how many ways, and the best way.

        The search is exhaustive (Yu et al. 2013). Where the whole reference is out of reach, the
        longest reachable prefix pair is found and, with `derive_prefix`, its best derivation.
        """
        found: list[_core.Forced] = self._core.force(
            self.core_source(source),
            references.copies,
            references.sentences.offsets,
            self.core_weights(weights),
            self.space(options),
            leave_one_out,
            max_bytes=options.memory_mb * MEGABYTE,
            max_words=options.max_words,
            min_prefix=options.min_prefix,
            derive_prefix=derive_prefix,
            threads=n_workers(threads),
        )
        return found

    def derive(
        self,
        source: SourceText,
        blocks: Sequence[tuple[int, int, Sequence[int]]],
        weights: Weights,
        rules: ReorderingOptions | None = None,
    ) -> _core.Derivation:
        """The derivation of one sentence that given blocks make, features and score included.

        `blocks` are source spans (begin, end) with target word ids (-1 - i: the text of source
        word i), in the order of the translation. Of `rules` the orientation of the first block is
        taken; no reordering limit applies. Raises `CalqueError` where the model lacks a block or
        the spans do not cover every word once.
        """
        steps = [(begin, end, list(target)) for begin, end, target in blocks]
        first_block = (rules or ReorderingOptions()).first_block
        return self.core.derive(
            self.core_source(source), steps, self.core_weights(weights), first_block=first_block
        )

    def bags(
        self,
        source: SourceText,
        seed: int,
        *,
        first: int = 0,
        leave_one_out: _core.LeaveOneOut | None = None,
        threads: int | None = None,
    ) -> Bags:
        """Of every sentence a random block for each span that blocks match (`bags_of_blocks`).

        `first` is the number of the first sentence in its text: what is drawn for a span depends on
        the seed, the number of the sentence and the span alone. Raises `CalqueError` where a sparse
        feature looks beyond a block and its place in the sentence.
        """
        offsets, keys, counts, word_offsets, words = self.core.bags(
            self.core_source(source),
            leave_one_out,
            seed=seed,
            first=first,
            threads=n_workers(threads),
        )
        return Bags(SparseRows(offsets, keys, counts), word_offsets, words)

    def core_search(self, options: DecodeOptions) -> _core.SearchOptions:
        """Options as the core takes them; raises `CalqueError` where they do not fit the model."""
        options.check()
        if options.engine != "phrase":
            raise OptionError(f"engine={options.engine}: this decoder has blocks only, no rules")
        options.check_engine("phrase")
        counting = options.counting
        if counting and not self.features.core.has_event_counts:
            raise ModelError(
                f"{counting} needs counts of events, which the model lacks: train it with"
                f" local-model among its dense features, or with decode.{counting}"
            )
        values = asdict(options)
        limits = ("options_per_span", "options_by", "options_in_sentence", "max_targets")
        for name in (*limits, "engine", "max_words", "max_span", "shallow", "least_agreement"):
            del values[name]
        return _core.SearchOptions(**values)


def core_limits(options: DecodeOptions) -> _core.OptionLimits:
    """How many options of a span are kept, as the core takes it."""
    return _core.OptionLimits(
        per_span=options.options_per_span,
        in_sentence=options.options_in_sentence,
        max_targets=options.max_targets,
        by_count=options.options_by == "count",
    )

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from calque.config import DecodeOptions
from calque.decode.prepared import PreparedText, prepare
from calque.decode.split import combine_derivations
from calque.decode.translator import Translator
from calque.errors import OptionError
from calque.features import Weights
from calque.metrics.metric import Metric
from calque.metrics.registry import make_metric
from calque.model import Model
from calque.parallel import Engine, Here, Shared

AT_ONCE = 32
"""Sentences that are decoded together: a few seconds of a wide search."""


@dataclass(frozen=True)
class Evaluation:
    """What translating a text with given weights gives and costs."""

    scores: Mapping[str, float]
    """Of the whole text, by metric."""
    n_hypotheses: int
    """Steps that the search tried: its cost, whatever the machine and the threads."""
    n_words: int


class FullDecoding:
    """Translates a whole text with any weights and scores it; the model is loaded once.

    The search tries every extension of what a stack of `stack_size` hypotheses and the threshold
    leave over (no cube pruning, no time limit): the same weights always give the same evaluation.
    """

    def __init__(
        self,
        model: Model,
        sources: Sequence[str],
        references: Sequence[Sequence[str]],
        metrics: Iterable[Metric],
        *,
        stack_size: int,
        threshold: float,
        threads: int | None = None,
        engine: Engine | None = None,
    ) -> None:
        """Take source sentences, one or more complete sets of references, and the metrics.

        With an `engine` texts are translated where it runs its tasks, else with `threads` here.
        Raises `OptionError` for a model of rules, whose search has neither stacks nor a threshold.
        """
        if model.decode_options.engine == "chart":
            raise OptionError(
                "search effort is measured with stacks and a threshold, which decode.engine=chart"
                " does not have: expected a model of decode.engine=phrase"
            )
        self.model = model
        self.options = replace(
            model.decode_options,
            stack_size=stack_size,
            pop_limit=0,
            threshold=threshold,
            time_limit_s=0.0,
        )
        self._metrics = {metric.name: metric for metric in metrics}
        self._references = {n: metric.prepare(references) for n, metric in self._metrics.items()}
        self._threads = threads
        self._translator = Translator(model)
        self._engine = engine or Here(threads)
        self._shared = self._engine.share(self._translator)
        prepared = prepare(sources, model, self.options.max_words)
        # In batches: Ctrl-C is heard between them.
        self._texts = list(PreparedText.batches(prepared, model, AT_ONCE))

    def __call__(self, weights: Weights, options: DecodeOptions | None = None) -> Evaluation:
        """The scores of the translations under these weights, and what the search cost."""
        texts, n_hypotheses = self.translate(weights, options)
        scores = {
            name: float(metric.score(self._references[name].statistics(texts).sum(axis=0)))
            for name, metric in self._metrics.items()
        }
        n_words = sum(len(text.split()) for text in texts)
        return Evaluation(scores, n_hypotheses, n_words)

    def translate(
        self, weights: Weights, options: DecodeOptions | None = None
    ) -> tuple[list[str], int]:
        """The best translation of every sentence, and how many hypotheses it took."""
        engine, texts, n_hypotheses = self._engine, list[str](), 0
        given = engine.share((weights, options or self.options))
        work = partial(_translated, self._shared, given, engine.threads_per_task)
        for some, n in engine.ordered_map(work, self._texts):
            texts += some
            n_hypotheses += n
        return texts, n_hypotheses

    def constant_features(self, weights: Weights, n_best: int = 20) -> list[str]:
        """The features that never differ between the best derivations of a sentence.

        Their weights have no effect on what comes out.
        """
        varying = set[int]()
        for text in self._texts:
            for batch in self._translator.decoder.decode(
                text.source,
                weights,
                self.options,
                n_best=n_best,
                distinct=False,
                threads=self._threads,
            ):
                columns = zip(*(d.features for d in batch.derivations), strict=True)
                varying |= {at for at, values in enumerate(columns) if min(values) != max(values)}
        names = self._translator.decoder.feature_names
        return [name for column, name in enumerate(names) if column not in varying]


def _translated(
    shared: Shared[Translator],
    given: Shared[tuple[Weights, DecodeOptions]],
    threads: int,
    text: PreparedText,
) -> tuple[list[str], int]:
    """The task of an engine: the best translations of some sentences, and what they cost."""
    translator, (weights, options) = shared.get(), given.get()
    decoded = translator.decoder.decode(text.source, weights, options, threads=threads)
    texts = []
    for sentence, lists in text.by_sentence(piece.derivations for piece in decoded):
        [best] = translator.read_off(sentence, combine_derivations(lists, 1))
        texts.append(best.text)
    return texts, sum(piece.n_generated for piece in decoded)


def error_of(metric: Metric, score: float) -> float:
    """What a search for weights makes small: 1 - BLEU, - NIST, TER, each for a text."""
    scale = 1.0 if metric.name == "nist" else 100.0
    if not metric.higher_is_better:
        return score / scale
    return -score if metric.name == "nist" else 1.0 - score / scale


def companions(metric: Metric) -> list[Metric]:
    """The metric, and BLEU and NIST with its way of splitting words: what a log should tell."""
    words = ("tokenize", "lowercase")
    shared = {key: getattr(metric, key) for key in words if hasattr(metric, key)}
    others = [make_metric(name, **shared) for name in ("bleu", "nist") if name != metric.name]
    return [metric, *others]

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from calque.errors import CalqueError, OptionError
from calque.hyps import Lists
from calque.metrics.bleu import BLEU_STATISTICS
from calque.metrics.expected_bleu import ExpectedBleu
from calque.metrics.word_metric import WordMetric
from calque.tune.gain import sentence_gains
from calque.tune.judge import Judge
from calque.tune.problem import Vector

USUAL = ExpectedBleu(clip_bp=True)
"""What the options ask for where the user says nothing."""


def worths_of(
    judge: Judge, *, clip_bp: bool, clip_counts: bool, smoothing: float
) -> Callable[[int, Lists], Vector]:
    """Gives what candidates are worth, about 0 to 1, from their lists and the first sentence.

    Where BLEU is counted, that is the sentence BLEU of `ExpectedBleu` with these settings;
    otherwise the metric of the task, each candidate as a text of its own.
    """
    metric = judge.metric
    bleu = ExpectedBleu(clip_bp=clip_bp, clip_counts=clip_counts, smoothing=smoothing)
    if metric.statistics_names != BLEU_STATISTICS or not isinstance(metric, WordMetric):
        if bleu != USUAL:
            raise OptionError(
                f"clip_bp, clip_counts and smoothing are about sentence BLEU, not {metric.name}"
            )
        return lambda first, lists: sentence_gains(metric, lists.statistics, brevity_penalty=True)
    if clip_counts:
        return lambda first, lists: bleu.sentence_scores(lists.statistics) / 100
    bleu = ExpectedBleu(
        tokenize=metric.tokenize,
        lowercase=metric.lowercase,
        clip_bp=clip_bp,
        clip_counts=False,
        smoothing=smoothing,
    )
    if getattr(metric, "length", "closest") != "closest":
        raise CalqueError("clip_counts=false takes the closest reference length only")
    references = bleu.bleu_references(judge.reference_lines)

    def counted_again(first: int, lists: Lists) -> Vector:
        sentences = np.repeat(np.arange(lists.n_sentences), np.diff(lists.offsets)) + first
        statistics = references.statistics(list(lists.texts), sentences)
        return bleu.sentence_scores(statistics) / 100

    return counted_again

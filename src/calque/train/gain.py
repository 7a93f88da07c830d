"""How good single candidates are, for methods that compare candidates rather than corpora."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque.metrics.bleu import BLEU_STATISTICS, brevity, geometric_mean, split_statistics
from calque.metrics.metric import Metric, Statistics

POINTS = 100.0
"""Gains are scores over this: BLEU, chrF and TER run from 0 to 1."""


def background_gains(
    metric: Metric, statistics: Statistics, background: Statistics, n_sentences: float
) -> NDArray[np.float64]:
    """What each candidate adds to the score of a corpus of `n_sentences`, per sentence.

    Higher is better, whatever the metric. Any metric becomes smooth on sentences this way, and
    length is judged against the length of the corpus.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    alone = metric.score(background) if n_sentences else np.float64(0)
    return sign * (metric.score(background + statistics) - alone) * (n_sentences + 1) / POINTS


def sentence_gains(
    metric: Metric, statistics: Statistics, mean: Statistics, smooth_brevity: bool
) -> NDArray[np.float64]:
    """Sentence scores: BLEU+1 for BLEU; for other metrics what is added to one mean sentence.

    With `smooth_brevity` the reference of BLEU+1 counts one word more: without it the smoothed
    precisions favour short output, the more the shorter the reference (Nakov et al. 2012).
    """
    if metric.statistics_names != BLEU_STATISTICS or metric.name != "bleu":
        return background_gains(metric, statistics, mean, 1.0)
    length, reference_length, matches, ngrams = split_statistics(statistics)
    one = np.array([0.0, *[1.0] * (matches.shape[-1] - 1)])
    precisions = (matches + one) / np.maximum(ngrams + one, 1.0)
    penalty = brevity(length, reference_length + (1.0 if smooth_brevity else 0.0))
    return np.asarray(penalty * geometric_mean(precisions))

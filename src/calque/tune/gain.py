"""How good single candidates are, for methods that compare candidates rather than corpora."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from calque.metrics.avg_bleu import AvgBleu
from calque.metrics.bleu import BLEU_STATISTICS
from calque.metrics.metric import Metric, Statistics

RANGE = 0.4
"""How far the best and the worst candidate of a list lie apart on average: BLEU's, from 0 to 1."""


def background_gains(
    metric: Metric,
    statistics: Statistics,
    offsets: NDArray[np.int64],
    background: Statistics,
) -> NDArray[np.float64]:
    """What each candidate adds to the score of a background corpus; higher is better.

    Any metric becomes smooth on sentences this way, and length is judged against that of the
    corpus. Lists begin at `offsets`. Gains of every metric have the same mean range within lists,
    so that steps and margins need not know its unit.
    """
    sign = 1.0 if metric.higher_is_better else -1.0
    gains = sign * (metric.score(background + statistics) - metric.score(background))
    begins = offsets[:-1]
    ranges = np.maximum.reduceat(gains, begins) - np.minimum.reduceat(gains, begins)
    return np.asarray(gains * (RANGE / (float(ranges.mean()) or 1.0)))


def sentence_gains(
    metric: Metric, statistics: Statistics, brevity_penalty: bool
) -> NDArray[np.float64]:
    """The score of each candidate as a corpus of its own, about 0 to 1; higher is better.

    Where BLEU is counted, precisions from order 2 on are smoothed by one, with or without the
    brevity penalty (Tillmann & Zhang 2008). Error rates count as 1 minus the rate, which may be
    below 0.
    """
    if metric.statistics_names == BLEU_STATISTICS:
        return AvgBleu(smooth=True, bp=brevity_penalty).sentence_scores(statistics) / 100
    scores = metric.score(statistics) / 100
    return np.asarray(scores if metric.higher_is_better else 1 - scores)

"""How good single candidates are, for methods that compare candidates rather than corpora."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from calque.metrics.avg_bleu import AvgBleu
from calque.metrics.bleu import BLEU_STATISTICS
from calque.metrics.metric import Metric, Statistics

ROWS = 1 << 18
RANGE = 0.4
"""How far the best and the worst candidate of a list lie apart on average: BLEU's, from 0 to 1."""


def in_pieces(
    score: Callable[[Statistics], NDArray[np.float64]], statistics: Statistics
) -> NDArray[np.float64]:
    """What `score` gives for every row, some at a time: it takes several times their memory."""
    scores = np.empty(len(statistics))
    for first in range(0, len(statistics), ROWS):
        scores[first : first + ROWS] = score(statistics[first : first + ROWS])
    return scores


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
    alone = metric.score(background)
    gains = in_pieces(lambda some: sign * (metric.score(background + some) - alone), statistics)
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
        bleu = AvgBleu(smooth=True, bp=brevity_penalty)
        return in_pieces(lambda some: bleu.sentence_scores(some) / 100, statistics)
    scores = in_pieces(lambda some: metric.score(some) / 100, statistics)
    return np.asarray(scores if metric.higher_is_better else 1 - scores)

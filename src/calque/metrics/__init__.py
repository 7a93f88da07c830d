"""How good a translation is: additive statistics per hypothesis, and the scores of their sums."""

from calque.metrics.corpus import METRICS, Score, score
from calque.metrics.external import ExternalScores
from calque.metrics.metric import Metric, PreparedReferences, Statistics
from calque.metrics.registry import METRIC_NAMES, make_metric, settings_of
from calque.metrics.signature import full_signature
from calque.metrics.words import TOKENIZERS

__all__ = [
    "METRICS",
    "METRIC_NAMES",
    "TOKENIZERS",
    "ExternalScores",
    "Metric",
    "PreparedReferences",
    "Score",
    "Statistics",
    "full_signature",
    "make_metric",
    "score",
    "settings_of",
]

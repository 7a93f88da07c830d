"""How good a translation is: scores that equal sacreBLEU's."""

from calque.metrics.corpus import METRICS, TOKENIZERS, Score, score

__all__ = ["METRICS", "TOKENIZERS", "Score", "score"]

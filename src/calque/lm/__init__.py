"""N-gram language models: estimation, lookup, interpolation, pruning, ARPA files, perplexity."""

from calque.lm.arpa import read_arpa, write_arpa
from calque.lm.estimate import estimate
from calque.lm.mixture import interpolated, mixture_weights
from calque.lm.model import LanguageModel, WordScores
from calque.lm.perplexity import Perplexity, perplexity
from calque.lm.pruning import pruned

__all__ = [
    "LanguageModel",
    "Perplexity",
    "WordScores",
    "estimate",
    "interpolated",
    "mixture_weights",
    "perplexity",
    "pruned",
    "read_arpa",
    "write_arpa",
]

"""N-gram language models: estimation, lookup, ARPA files, perplexity."""

from calque.lm.arpa import read_arpa, write_arpa
from calque.lm.estimate import estimate
from calque.lm.model import LanguageModel, WordScores
from calque.lm.perplexity import Perplexity, perplexity

__all__ = [
    "LanguageModel",
    "Perplexity",
    "WordScores",
    "estimate",
    "perplexity",
    "read_arpa",
    "write_arpa",
]

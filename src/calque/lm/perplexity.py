from __future__ import annotations

import math
from dataclasses import dataclass

from calque.lm.model import LanguageModel
from calque.text import Sentences


@dataclass(frozen=True)
class Perplexity:
    """How well a model predicts a text; ends of sentences count as words."""

    n_sentences: int
    n_words: int
    """Without the ends of sentences."""
    n_unknown: int
    log_prob: float
    """Of the whole text."""
    log_prob_known: float
    """Without the unknown words."""

    @property
    def value(self) -> float:
        """Perplexity over all words."""
        return _perplexity(self.log_prob, self.n_words + self.n_sentences)

    @property
    def known(self) -> float:
        """Perplexity over the words that the model has."""
        n_known = self.n_words + self.n_sentences - self.n_unknown
        return _perplexity(self.log_prob_known, n_known)

    def __str__(self) -> str:
        return (
            f"{self.n_sentences:,} sentences, {self.n_words:,} words, {self.n_unknown:,} unknown; "
            f"perplexity {self.value:.2f} (without unknown words {self.known:.2f})"
        )


def perplexity(
    model: LanguageModel, sentences: Sentences, threads: int | None = None
) -> Perplexity:
    """How well the model predicts the sentences, which are ids of its vocabulary."""
    scores = model.score_words(sentences, threads)
    return Perplexity(
        n_sentences=len(sentences),
        n_words=sentences.n_words,
        n_unknown=int(scores.unknown.sum()),
        log_prob=float(scores.log_probs.sum(dtype="f8")),
        log_prob_known=float(scores.log_probs[~scores.unknown].sum(dtype="f8")),
    )


def _perplexity(log_prob: float, n: int) -> float:
    if n == 0:
        return math.nan
    exponent = -log_prob / n
    return math.exp(exponent) if exponent < 700 else math.inf

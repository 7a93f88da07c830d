"""Learning how far to trust the posteriors of words, and measuring how far one can."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from calque.decode.confidence import UNCALIBRATED, Array, Calibration, Evidence, inputs
from calque.decode.edits import edit
from calque.errors import CalqueError

SCALES = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Of scores, that are tried."""
RIDGE = 1e-3
"""Keeps the weights finite where a feature tells right from wrong without exception."""
N_BINS = 10
LEAST_WORDS = 200
Labels = NDArray[np.bool_]


@dataclass(frozen=True)
class Judged:
    """The evidence on a sentence, and which words of its best candidate are right."""

    evidence: Evidence
    is_right: Labels


@dataclass(frozen=True)
class Quality:
    """How well confidences tell right words from wrong ones."""

    auc: float
    """The probability that a right word has a higher confidence than a wrong one."""
    calibration_error: float
    """Mean distance, over ten bins, of confidence from the share of right words in the bin."""
    share_right: float
    n_words: int


@dataclass(frozen=True)
class Calibrated:
    """A calibration and how good it is on sentences that it was not learned from."""

    calibration: Calibration
    quality: Quality
    """Of calibrations of either half on the other half."""
    raw: Quality
    """Of the posteriors themselves, on the same words."""


def right_words(words: Sequence[str], references: Sequence[Sequence[str]]) -> Labels:
    """Which words of a translation stay when it is edited into a reference with fewest edits.

    Of several references the nearest counts; of several ways to edit, one that keeps most words.
    """
    numbers: dict[str, int] = {}
    lines = [
        [numbers.setdefault(word, len(numbers)) for word in line] for line in (words, *references)
    ]
    edited = edit(lines[0], lines[1:])
    return np.asarray(edited.stays[edited.costs.argmin()])


def calibrate(judged: Sequence[Judged]) -> Calibrated:
    """The calibration of sentences, and what it is worth by cross-validation on halves."""
    n_words = sum(len(sentence.is_right) for sentence in judged)
    labels = (
        np.concatenate([sentence.is_right for sentence in judged]) if judged else np.zeros(0, bool)
    )
    if n_words < LEAST_WORDS or labels.all() or not labels.any():
        raise CalqueError(
            f"{n_words:,} words, {int(labels.sum()):,} of them right: expected at least"
            f" {LEAST_WORDS}, right and wrong ones"
        )
    halves = judged[0::2], judged[1::2]
    confidences, right, raw = [], [], []
    for learned, held in (halves, halves[::-1]):
        calibration = _fit(learned)
        for sentence in held:
            confidences.append(calibration.confidences(sentence.evidence))
            raw.append(UNCALIBRATED.confidences(sentence.evidence))
            right.append(sentence.is_right)
    truth = np.concatenate(right)
    quality = [quality_of(np.concatenate(some), truth) for some in (confidences, raw)]
    return Calibrated(_fit(judged), *quality)


def quality_of(confidences: Array, is_right: Labels) -> Quality:
    """What confidences of words are worth, given which words are right."""
    n_right = int(is_right.sum())
    n_wrong = len(is_right) - n_right
    # Ranks of ties are their mean, so that equal confidences count half.
    _, places, sizes = np.unique(confidences, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(sizes) - (sizes - 1) / 2)[places]
    above = ranks[is_right].sum() - n_right * (n_right + 1) / 2
    auc = above / (n_right * n_wrong) if n_right and n_wrong else float("nan")
    bins = np.minimum((confidences * N_BINS).astype(int), N_BINS - 1)
    distance = sum(
        abs(float(confidences[bins == bin].sum() - is_right[bins == bin].sum()))
        for bin in range(N_BINS)
    )
    n_words = len(is_right)
    return Quality(float(auc), distance / n_words, n_right / n_words, n_words)


def _fit(judged: Sequence[Judged]) -> Calibration:
    """The most likely calibration of all scales."""
    labels = np.concatenate([sentence.is_right for sentence in judged]).astype(float)
    fits: list[tuple[float, Calibration]] = []
    for scale in SCALES:
        rows = np.concatenate([inputs(sentence.evidence, scale) for sentence in judged])
        loss, weights = _logistic_regression(rows, labels)
        fits.append((loss, Calibration(scale, *map(float, weights))))
    return min(fits, key=lambda fit: fit[0])[1]


def _logistic_regression(rows: Array, labels: Array) -> tuple[float, Array]:
    """The mean loss and the weights of a logistic regression."""

    def loss(weights: Array) -> tuple[float, Array]:
        values = rows @ weights
        total = np.logaddexp(0, values).mean() - (labels * values).mean()
        errors = 0.5 * (1 + np.tanh(0.5 * values)) - labels
        gradient = rows.T @ errors / len(labels) + RIDGE * weights
        return float(total + RIDGE * weights @ weights / 2), gradient

    optimum = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B")
    return float(optimum.fun), np.asarray(optimum.x)

"""A smaller language model that predicts nearly as well."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from calque.errors import CalqueError
from calque.lm.lists import Logs, NgramLists, masses_left, selected
from calque.lm.model import LanguageModel

START, END = 1, 2
"""The ids of the marks of a sentence's start and end."""


def pruned(model: LanguageModel, threshold: float) -> LanguageModel:
    """The model without n-grams that hardly matter (Stolcke 1998).

    An n-gram goes where that raises the perplexity of the model, measured on its own text, by a
    share of less than `threshold`, all others staying. What is the context or the end of an n-gram
    that stays, stays too. Probabilities stay as they are, backoffs are made anew.
    """
    if not 0 <= threshold < math.inf:
        raise CalqueError(f"prune={threshold}: expected a number of at least 0")
    if threshold == 0 or model.order == 1:
        return model
    lists = NgramLists.of(model)
    kept: list[NDArray[np.bool_]] = [np.zeros(len(rows), bool) for rows in lists.ngrams]
    weights = _context_log_probs(lists)
    for at in reversed(range(len(kept))):
        kept[at] |= losses(lists, weights, at) >= math.log1p(threshold)
        if at > 0:
            rows, ends = lists.ngrams[at][kept[at]], lists.ends[at][kept[at]]
            kept[at - 1][rows[:, 0]] = True
            kept[at - 1][ends] = True
    return selected(lists, kept).to_model()


def losses(lists: NgramLists, context_log_probs: list[Logs], at: int) -> Logs:
    """For each n-gram of a list, by how much the log of the perplexity grows without it.

    That is the divergence of the model without the n-gram from the model with it (eq. 4 to 8 of
    Stolcke 1998): the n-gram then has the probability that backing off gives, and the backoff of
    its context changes.
    """
    rows = lists.ngrams[at]
    contexts = rows[:, 0]
    log_probs, below = lists.log_probs[at + 1], lists.log_probs[at][lists.ends[at]]
    left, left_below = masses_left(contexts, log_probs, below, len(lists.log_probs[at]))
    old = (np.log(left) - np.log(left_below))[contexts]
    new = np.log(left[contexts] + np.exp(log_probs)) - np.log(left_below[contexts] + np.exp(below))
    of_ngram = np.exp(log_probs) * (log_probs - below - new)
    of_others = left[contexts] * (old - new)
    total: Logs = np.exp(context_log_probs[at][contexts]) * (of_ngram + of_others)
    return total


def _context_log_probs(lists: NgramLists) -> list[Logs]:
    """How probable each n-gram is as the history of a word, by order from 1 to the last but one.

    The start of a sentence comes as often as its end.
    """
    first = lists.log_probs[0].copy()
    first[START] = first[END]
    joint = [first]
    for rows, log_probs in zip(lists.ngrams[:-1], lists.log_probs[1:-1], strict=True):
        joint.append(joint[-1][rows[:, 0]] + log_probs)
    return joint

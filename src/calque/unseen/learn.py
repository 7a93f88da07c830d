"""How to tell which known words can stand for one that was never seen: learned from rare words."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit

from calque.align import Alignments
from calque.align.word_pairs import WordPairs
from calque.text import RESERVED, Bitext
from calque.unseen.candidates import (
    COPY,
    KINDS,
    Candidate,
    Evidence,
    candidates,
    endings,
)
from calque.unseen.known_words import KnownWords
from calque.unseen.substitutes import UnseenWords

RARE = 2
"""Words that occur no more often than this are taken for such as a new text brings."""
MOST_PAIRS = 200_000
"""Sentence pairs that are looked at: the first so many."""
MOST_WORDS = 4000
"""Words that endings and fillers are looked at in."""
MOST_RARE = 2000
"""Rare words that coefficients are learned from."""
MOST_NAMES = 20_000
"""Pairs of endings that are kept, and fillers."""
LEAST_CASES = 10
"""Candidates of a kind without which nothing is learned of it."""
START = -3.0
"""The first coefficient where there is no evidence: some 5 % agreement."""
RIDGE = 1.0
SEED = 1


def learn_unseen(bitext: Bitext, alignments: Alignments, known: KnownWords) -> UnseenWords:
    """What the rare words of the text tell about words that it lacks.

    Every rare word is looked at as if it had never been seen: how far would the translations of
    each candidate have been its own? `known` are the words that can be translated. Words that
    are looked at are drawn at random with a seed of their own, so that equal text gives equal
    results.
    """
    text = _Translations(bitext, alignments)
    order = np.random.default_rng(SEED).permutation(len(text.words))
    there = [text.words[at] for at in order if text.words[at] in known]
    evidence = _evidence([word for word in there if len(word) > 1][:MOST_WORDS], known, text)
    rare = [word for word in there if text.count(word) <= RARE and text.of_word(word)]
    cases: dict[str, tuple[list[Candidate], list[float]]] = {kind: ([], []) for kind in KINDS}
    for word in rare[:MOST_RARE]:

        def agreement(words: tuple[str, ...], word: str = word) -> float:
            return text.agreement(word, words)

        for candidate in candidates(word, known, evidence, bitext.target_vocabulary, agreement):
            some, agreements = cases[candidate.kind]
            some.append(candidate)
            copy = candidate.kind == COPY
            agreements.append(text.of_copy(word) if copy else agreement(candidate.words))
    return UnseenWords(
        evidence,
        {
            kind: _fitted(np.array([candidate.facts for candidate in some]), np.array(agreements))
            for kind, (some, agreements) in cases.items()
            if len(some) >= LEAST_CASES
        },
    )


def _evidence(words: list[str], known: KnownWords, text: _Translations) -> Evidence:
    evidence = Evidence()
    for word in words:
        for form in known.forms(word):
            name = endings(form.ending, form.known_ending)
            evidence.endings.add(name, text.agreement(word, (form.word,)))
        for parts, filler in known.splits(word):
            if filler:
                evidence.fillers.add(filler, text.agreement(word, parts))
    return Evidence(evidence.endings.finish(MOST_NAMES), evidence.fillers.finish(MOST_NAMES))


def _fitted(facts: NDArray[np.float64], agreements: NDArray[np.float64]) -> tuple[float, ...]:
    """The coefficients of a logistic regression of shares, drawn towards little agreement."""
    prior = np.zeros(facts.shape[1])
    prior[0] = START

    def loss(values: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores, moved = facts @ values, values - prior
        value = np.sum(np.logaddexp(0, scores) - agreements * scores) + RIDGE / 2 * moved @ moved
        return float(value), facts.T @ (expit(scores) - agreements) + RIDGE * moved

    return tuple(minimize(loss, prior, jac=True, method="L-BFGS-B").x.tolist())


class _Translations:
    """What source words are linked to: per occurrence, how often to each target word."""

    def __init__(self, bitext: Bitext, alignments: Alignments) -> None:
        n_pairs = min(len(bitext), MOST_PAIRS)
        source, target = (side.part(0, n_pairs) for side in (bitext.source, bitext.target))
        sets = [
            some.select(np.arange(len(some)) < n_pairs)
            for some in alignments.unstacked(len(bitext))
        ]
        self._pairs = WordPairs.counted(source, target, Alignments.stacked(sets))
        n_sets = len(sets)
        words = list(bitext.source_vocabulary)
        n_times = np.bincount(source.ids, minlength=len(words))
        self._n_times = n_times * n_sets
        self._counts = n_times
        self._ids = {words[id]: id for id in range(len(RESERVED), len(words)) if n_times[id]}
        self._target = bitext.target_vocabulary
        self._begins = np.searchsorted(self._pairs.source, np.arange(len(words) + 1))
        self._known: dict[str, dict[int, float]] = {}

    @cached_property
    def words(self) -> list[str]:
        """The words of the source text."""
        return list(self._ids)

    def count(self, word: str) -> int:
        """How often the word occurs."""
        return int(self._counts[self._ids[word]])

    def of_word(self, word: str) -> dict[int, float]:
        """The target words that it is linked to, and how often per occurrence."""
        if word not in self._ids:
            return {}
        if word not in self._known:
            id = self._ids[word]
            begin, end = self._begins[id], self._begins[id + 1]
            targets = self._pairs.target[begin:end].tolist()
            shares = (self._pairs.counts[begin:end] / self._n_times[id]).tolist()
            self._known[word] = dict(zip(targets, shares, strict=True))
        return self._known[word]

    def agreement(self, word: str, others: tuple[str, ...]) -> float:
        """The F score of the translations of other words, together, against those of a word."""
        first, *rest = map(self.of_word, others)
        together = dict(first) if rest else first
        for more in rest:
            for target, share in more.items():
                together[target] = together.get(target, 0.0) + share
        return _agreement(self.of_word(word), together)

    def of_copy(self, word: str) -> float:
        """The same of the word itself in the target text."""
        if word not in self._target:
            return 0.0
        return _agreement(self.of_word(word), {self._target.id(word): 1.0})


def _agreement(one: dict[int, float], other: dict[int, float]) -> float:
    shared = sum(min(share, other.get(word, 0.0)) for word, share in one.items())
    total = sum(one.values()) + sum(other.values())
    return 2 * shared / total if total else 0.0

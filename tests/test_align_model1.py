"""Model 1 against a reference of a few lines, and what EM promises."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from calque._core import Aligner, exp_digamma
from calque.align import Lexicon, train_model1
from calque.text import Sentences

Corpus = list[tuple[list[int], list[int]]]
Table = dict[tuple[int | None, int], float]

words = st.lists(st.integers(0, 5), min_size=1, max_size=6)
corpora = st.lists(st.tuples(words, words), min_size=1, max_size=6)


def aligner_of(corpus: Corpus, alpha: float = 0, tension: float = 0) -> Aligner:
    source = Sentences.from_lists([pair[0] for pair in corpus])
    target = Sentences.from_lists([pair[1] for pair in corpus])
    return Aligner(
        source.ids,
        source.offsets,
        target.ids,
        target.offsets,
        null_prob=0.2,
        alpha=alpha,
        tension=tension,
        jump_smoothing=0,
        jump_width=4,
        max_words=100,
        threads=1,
    )


def reference(
    corpus: Corpus, n_iterations: int, given_null: float | None, tension: float
) -> tuple[Table, float]:
    """p(target | source) by Model 1, None being the null word, and the last log-likelihood.

    Without a probability given the null word is a position like any other.
    """
    n_targets = 1 + max(t for _, target in corpus for t in target)
    prob: Table = defaultdict(lambda: 1 / n_targets)
    for _ in range(n_iterations):
        count: Table = defaultdict(float)
        log_likelihood = 0.0
        for source, target in corpus:
            null_prob = 1 / (len(source) + 1) if given_null is None else given_null
            for j, t in enumerate(target, 1):
                distances = [
                    abs(i / len(source) - j / len(target)) for i in range(1, 1 + len(source))
                ]
                weights = [math.exp(-tension * distance) for distance in distances]
                priors = [(1 - null_prob) * weight / sum(weights) for weight in weights]
                origins = [*zip(source, priors, strict=True), (None, null_prob)]
                total = sum(prior * prob[s, t] for s, prior in origins)
                log_likelihood += math.log(total)
                for s, prior in origins:
                    count[s, t] += prior * prob[s, t] / total
        sums: dict[int | None, float] = defaultdict(float)
        for (s, _), c in count.items():
            sums[s] += c
        prob = {(s, t): c / sums[s] for (s, t), c in count.items()}
    return prob, log_likelihood


@given(corpora, st.sampled_from([0.0, 4.0]), st.booleans())
@example([(list(range(n)), list(range(n, 0, -1))) for n in (40, 41)], 4.0, False)
def test_model_1_is_the_textbook_em_in_both_directions(
    corpus: Corpus, tension: float, null_is_position: bool
) -> None:
    aligner = aligner_of(corpus, tension=tension)
    for _ in range(3):
        forward, reverse = aligner.model1_step(1, null_is_position)
    swapped = [(target, source) for source, target in corpus]
    for is_reverse, pairs, found in ((False, corpus, forward), (True, swapped, reverse)):
        table, log_likelihood = reference(pairs, 3, None if null_is_position else 0.2, tension)
        assert found == pytest.approx(log_likelihood, rel=1e-5, abs=1e-5)
        lexicon = Lexicon(*aligner.lexicon(is_reverse))
        for (s, t), prob in table.items():
            ours = lexicon.null_probs[t] if s is None else lexicon.prob(s, t)
            assert ours == pytest.approx(prob, abs=1e-6)


@given(corpora, st.sampled_from([0.0, 4.0]))
def test_the_likelihood_of_model_1_never_falls(corpus: Corpus, tension: float) -> None:
    aligner = aligner_of(corpus, tension=tension)
    steps = [aligner.model1_step(1) for _ in range(6)]
    for before, after in pairwise(steps):
        for direction in (0, 1):
            assert after[direction] >= before[direction] - 1e-4


def test_a_lexicon_knows_only_pairs_that_share_a_sentence() -> None:
    aligner = aligner_of([([0, 1], [0]), ([2], [1, 1])])
    aligner.model1_step(1)
    lexicon = Lexicon(*aligner.lexicon(False))
    assert lexicon.offsets.tolist() == [0, 1, 2, 3]
    assert lexicon.words.tolist() == [0, 0, 1]
    assert lexicon.prob(0, 1) == 0
    assert lexicon.prob(7, 0) == 0
    assert lexicon.prob(2, 1) == pytest.approx(1)


@given(corpora)
def test_a_prior_keeps_rows_below_one_in_sum(corpus: Corpus) -> None:
    """The mean-field weights of a row sum to less than one, and by less the more was seen."""
    aligner = aligner_of(corpus, alpha=0.1)
    aligner.model1_step(1)
    for is_reverse in (False, True):
        lexicon = Lexicon(*aligner.lexicon(is_reverse))
        for begin, end in pairwise(lexicon.offsets):
            assert lexicon.probs[begin:end].sum() <= 1 + 1e-6


@given(st.floats(1e-2, 1e6))
def test_exp_digamma_is_the_derivative_of_log_gamma(x: float) -> None:
    h = 1e-5 * x
    slope = (math.lgamma(x + h) - math.lgamma(x - h)) / (2 * h)
    # The slope loses digits where log gamma is large: compare logarithms.
    assert math.log(exp_digamma(x)) == pytest.approx(slope, rel=1e-3, abs=1e-3)


def test_exp_digamma_at_one_is_euler() -> None:
    assert exp_digamma(1.0) == pytest.approx(math.exp(-np.euler_gamma), rel=1e-7)
    assert exp_digamma(0.5) == pytest.approx(math.exp(-np.euler_gamma) / 4, rel=1e-7)


def test_model_1_proper_has_the_null_word_as_a_position() -> None:
    corpus = [([0, 1, 2], [0, 1]), ([1, 3], [2, 0, 0]), ([2], [1])]
    source, target = (Sentences.from_lists([pair[side] for pair in corpus]) for side in (0, 1))
    lexicon = train_model1(source, target, 4, 1)
    table, _ = reference([(target, source) for source, target in corpus], 4, None, 0.0)
    for (t, s), prob in table.items():
        ours = lexicon.null_probs[s] if t is None else lexicon.prob(t, s)
        assert ours == pytest.approx(prob, abs=1e-6)

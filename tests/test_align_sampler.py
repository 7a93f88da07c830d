"""The sampling aligner against the enumeration of all links, and what it promises."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from calque import _core
from calque.align import Alignments, align
from calque.config.align import AlignOptions, SamplerOptions
from calque.progress import Silent
from calque.text import Sentences

OPTIONS = AlignOptions(aligner="sampler")
PRIORS = {
    "null_prob": 0.3,
    "lexical_prior": 0.2,
    "null_prior": 0.3,
    "jump_prior": 0.7,
    "fertility_prior": 0.5,
    "jump_width": 1,
}
Corpus = list[tuple[list[int], list[int]]]
Links = tuple[tuple[int, ...], ...]
"""Per sentence pair and target word, the position of its source word; -1: none."""

CORPORA: list[Corpus] = [
    [([0, 1], [0, 1]), ([0], [0, 2])],
    [([0, 0], [1, 1]), ([1, 0], [0])],  # equal words within a sentence
    [([0, 1, 2], [0, 1, 0])],
]


def sides(corpus: Corpus) -> tuple[Sentences, Sentences]:
    source, target = zip(*corpus, strict=True)
    return Sentences.from_lists(source), Sentences.from_lists(target)


def sampler_of(corpus: Corpus, *, reverse: bool = False, **changes: Any) -> _core.LinkSampler:
    source, target = sides(corpus)
    arrays = source.ids, source.offsets, target.ids, target.offsets
    pairs = _core.WordPairs(*arrays, max_words=10, threads=1)
    options: dict[str, Any] = PRIORS | {"chains": 1, "batch": 1, "seed": 1} | changes
    return _core.LinkSampler(pairs, reverse=reverse, **options)


def dirichlet(counts: Mapping[int, int], priors: Mapping[int, float]) -> float:
    """The log probability of a series of draws from a distribution with a Dirichlet prior."""
    total = sum(priors.values())
    log_prob = math.lgamma(total) - math.lgamma(sum(counts.values()) + total)
    return log_prob + sum(
        math.lgamma(n + priors[outcome]) - math.lgamma(priors[outcome])
        for outcome, n in counts.items()
    )


def flat(prior: float, n_outcomes: int) -> dict[int, float]:
    return dict.fromkeys(range(n_outcomes), prior)


def log_score(corpus: Corpus, links: Links, stage: str) -> float:
    """The log of the joint probability of words and links, distributions integrated out."""
    n_types = 1 + max(t for _, target in corpus for t in target)
    words: dict[int, Counter[int]] = defaultdict(Counter)
    fertilities: dict[int, Counter[int]] = defaultdict(Counter)
    jumps: Counter[int] = Counter()
    score = 0.0
    for (source, target), places in zip(corpus, links, strict=True):
        real = (1 - PRIORS["null_prob"]) / (len(source) if stage == "model1" else 1)
        for word, place in zip(target, places, strict=True):
            words[-1 if place < 0 else source[place]][word] += 1
            score += math.log(PRIORS["null_prob"] if place < 0 else real)
        for i, word in enumerate(source):
            fertilities[word][places.count(i)] += 1
        stops = [-1, *(place for place in places if place >= 0), len(source)]
        jumps.update(max(-1, min(1, to - at)) for at, to in itertools.pairwise(stops))
    for given, counts in words.items():
        prior = PRIORS["null_prior" if given < 0 else "lexical_prior"]
        score += dirichlet(counts, flat(prior, n_types))
    if stage != "model1":
        score += dirichlet(jumps, {d: PRIORS["jump_prior"] / (2 - d) ** 2 for d in (-1, 0, 1)})
    if stage == "fertility":
        for counts in fertilities.values():
            score += dirichlet(counts, flat(PRIORS["fertility_prior"], 10))
    return score


def posterior(corpus: Corpus, stage: str) -> dict[Links, float]:
    """The probability of all links of the corpus, by enumeration."""
    choices = [
        list(itertools.product(range(-1, len(source)), repeat=len(target)))
        for source, target in corpus
    ]
    scores = {links: log_score(corpus, links, stage) for links in itertools.product(*choices)}
    total = math.log(sum(map(math.exp, scores.values())))
    return {links: math.exp(score - total) for links, score in scores.items()}


def marginals_of(corpus: Corpus, probs: dict[Links, float]) -> list[float]:
    """The probability of every cell (target, source) of every sentence pair."""
    return [
        sum(prob for links, prob in probs.items() if links[n][j] == i)
        for n, (source, target) in enumerate(corpus)
        for j in range(len(target))
        for i in range(len(source))
    ]


@pytest.mark.parametrize("corpus", CORPORA)
@pytest.mark.parametrize("stage", ["model1", "hmm", "fertility"])
def test_links_are_drawn_as_often_as_they_are_probable(corpus: Corpus, stage: str) -> None:
    expected = posterior(corpus, stage)
    sampler = sampler_of(corpus)
    n_sweeps, n_at_once = 20_000, 4000
    drawn: Counter[bytes] = Counter()
    means = []
    for _ in range(n_sweeps // n_at_once):
        for _ in range(n_at_once):
            sampler.sweep(stage, True, 1)
            drawn[sampler.links(0).tobytes()] += 1
        means.append(sampler.marginals())
        sampler.take_marginals()
    # Half the sum of absolute differences: of so many independent draws it would be some 0.02.
    distance = 0.0
    for links, prob in expected.items():
        key = np.array([place for places in links for place in places], np.int32).tobytes()
        distance += abs(drawn[key] / n_sweeps - prob) / 2
    assert distance < 0.04
    np.testing.assert_allclose(np.mean(means, axis=0), marginals_of(corpus, expected), atol=0.02)


def test_the_reverse_direction_is_the_forward_one_of_the_swapped_bitext() -> None:
    corpus = [([0, 1], [0, 1, 2]), ([0], [2]), ([1, 2, 2], [1, 0])]
    swapped = [(target, source) for source, target in corpus]
    one, two = sampler_of(corpus, reverse=True), sampler_of(swapped)
    for sampler in (one, two):
        for _ in range(50):
            sampler.sweep("fertility", True, 1)
    assert one.links(0).tolist() == two.links(0).tolist()
    assert one.best_links().tolist() == two.best_links().tolist()


def noisy_bitext(n_sentences: int) -> tuple[Sentences, Sentences, Alignments]:
    """A bitext whose target is the source word for word, with swaps, extra words, and true links.

    Word 0 of the target comes from nowhere; source words from 50 on have no translation.
    """
    random = np.random.default_rng(1)
    source, target, truth = [], [], []
    for _ in range(n_sentences):
        words = random.choice(60, random.integers(1, 12), replace=False).tolist()
        order = list(range(len(words)))
        for i in range(len(order) - 1):
            if random.random() < 0.2:
                order[i], order[i + 1] = order[i + 1], order[i]
        made: list[int] = []
        links = []
        for i in order:
            if random.random() < 0.1:
                made.append(0)
            if words[i] < 50:
                links.append((i, len(made)))
                made.append(1 + words[i] * 7 % 50)
        source.append(words)
        target.append(made)
        truth.append(links)
    return Sentences.from_lists(source), Sentences.from_lists(target), Alignments.from_lists(truth)


def error_rate(found: Alignments, truth: Alignments) -> float:
    """One minus the harmonic mean of precision and recall (Och & Ney 2003, all links sure)."""
    n_both = sum(
        len(set(map(tuple, links.tolist())) & set(map(tuple, true.tolist())))
        for links, true in zip(found, truth, strict=True)
    )
    return 1 - 2 * n_both / (len(found.links) + len(truth.links))


def test_true_links_are_found_whatever_the_seed() -> None:
    source, target, truth = noisy_bitext(600)
    links = set()
    for seed in (1, 2, 3):
        found = align(source, target, with_sampler(seed=seed), 2)
        assert error_rate(found, truth) < 0.03
        links.add(found.links.tobytes())
    assert len(links) == 3


def with_sampler(**changes: Any) -> AlignOptions:
    return replace(OPTIONS, sampler=replace(SamplerOptions(), **changes))


def test_links_do_not_depend_on_the_number_of_threads() -> None:
    source, target, _ = noisy_bitext(500)
    one, *others = (align(source, target, OPTIONS, threads) for threads in (1, 2, 3))
    for other in others:
        assert other.links.tobytes() == one.links.tobytes()
        assert other.offsets.tobytes() == one.offsets.tobytes()


@pytest.mark.parametrize(
    ("source", "target", "links"),
    [
        ([[0]], [[0]], [[[0, 0]]]),
        ([[0], [], [0]], [[0], [1], []], [[[0, 0]], [], []]),
        ([[]], [[]], [[]]),
        ([], [], []),
    ],
)
def test_the_smallest_bitexts_are_aligned(
    source: list[list[int]], target: list[list[int]], links: list[list[list[int]]]
) -> None:
    found = align(Sentences.from_lists(source), Sentences.from_lists(target), OPTIONS, 2)
    assert [x.tolist() for x in found] == links
    assert found.links.dtype == np.int32


def test_a_word_repeated_through_a_corpus_is_aligned() -> None:
    side = Sentences.from_lists([[0] * n for n in (1, 2, 3, 4, 5)])
    found = align(side, side, OPTIONS, 2)
    assert found[0].tolist() == [[0, 0]]
    assert all(len(links) for links in found)


def test_very_different_lengths_are_aligned() -> None:
    source = Sentences.from_lists([[0], range(80), range(80), [5]])
    target = Sentences.from_lists([range(80), [0], range(80), [5]])
    found = align(source, target, OPTIONS, 1)
    assert len(found) == 4
    for links in found:
        assert links.tolist() == sorted(links.tolist())


def test_a_sentence_beyond_the_limit_stays_without_links_and_is_told() -> None:
    told = []

    class Listener(Silent):
        def warn(self, message: str) -> None:
            told.append(message)

    source = Sentences.from_lists([range(300), [3], [4, 5]])
    found = align(source, source, replace(OPTIONS, max_words=299), 2, Listener())
    assert len(found[0]) == 0
    assert found[1].tolist() == [[0, 0]]
    assert told == [
        "1 of 3 sentence pairs have more than 299 words on a side and stay without links"
    ]

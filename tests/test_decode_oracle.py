"""Oracle decoding against the enumeration of every derivation."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from decode_reference import Rules, as_source, derivations, tiny_model, words_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_decode_exact import rules, seeds, sources

from calque.config import OracleOptions
from calque.decode import Decoder, SourceText
from calque.errors import CalqueError
from calque.metrics.avg_bleu import AvgBleu
from calque.text import Sentences

few = settings(max_examples=80, deadline=None)
references = st.lists(st.integers(3, 6), min_size=1, max_size=8)


def bleu(words: tuple[int, ...], references: list[list[int]], brevity_penalty: bool) -> float:
    """Sentence BLEU: add-one from bigrams on, every n-gram as often as some reference has it."""

    def ngrams(text: tuple[int, ...] | list[int], n: int) -> Counter[tuple[int, ...]]:
        return Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))

    logs = []
    for n in range(1, 5):
        theirs: Counter[tuple[int, ...]] = Counter()
        for reference in references:
            theirs |= ngrams(reference, n)
        ours = ngrams(words, n)
        matches, total = sum((ours & theirs).values()), sum(ours.values())
        if n > 1:
            matches, total = matches + 1, total + 1
        if matches == 0:
            return 0.0
        logs.append(math.log(matches / total))
    mean = math.exp(sum(logs) / 4)
    closest = min((abs(len(other) - len(words)), len(other)) for other in references)[1]
    if brevity_penalty and len(words) < closest:
        mean *= math.exp(1 - closest / len(words))
    return mean


def as_references(texts: list[list[int]]) -> list[SourceText]:
    return [
        SourceText(Sentences.from_lists([text]), np.array(text, dtype=np.int32)) for text in texts
    ]


def oracle_options(by: Rules, brevity_penalty: bool = False) -> OracleOptions:
    return OracleOptions(
        reordering=by.mode,
        distortion_limit=by.limit,
        distortion_rule=by.distortion,
        strict_single_gap=by.strict,
        stack_size=0,
        max_targets=0,
        brevity_penalty=brevity_penalty,
    )


@few
@example(29, [3, 4, 5], Rules(), [[3], [3, 3, 3, 4, 5, 6, 3, 4]], True)
@given(seeds, sources, rules, st.lists(references, min_size=1, max_size=3), st.booleans())
def test_without_pruning_the_list_is_the_best_of_all_derivations(
    seed: int, source: list[int], by: Rules, texts: list[list[int]], brevity_penalty: bool
) -> None:
    parts = tiny_model(seed)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    options = oracle_options(by, brevity_penalty)
    found = decoder.oracle(as_source([source]), as_references(texts), options, n_best=5)
    every = sorted(
        (bleu(words_of(d), texts, brevity_penalty) for d in derivations(parts, source, by)),
        reverse=True,
    )
    scores = [derivation.score for derivation in found[0].derivations]
    assert scores == pytest.approx(every[:5], abs=1e-5)
    blocks = [tuple((s.begin, s.block) for s in d.steps) for d in found[0].derivations]
    assert len(set(blocks)) == len(blocks)
    for derivation in found[0].derivations:
        words = tuple(word for step in derivation.steps for word in step.target)
        assert derivation.score == pytest.approx(bleu(words, texts, brevity_penalty), abs=1e-5)


@few
@given(seeds, st.lists(st.integers(3, 7), min_size=3, max_size=6), references, st.booleans())
def test_a_narrow_beam_scores_what_it_finds_and_finds_nothing_better(
    seed: int, source: list[int], reference: list[int], brevity_penalty: bool
) -> None:
    parts = tiny_model(seed)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    exact = oracle_options(Rules("phrase", 2), brevity_penalty)
    wanted = as_references([reference])
    best = []
    for size in (0, 10, 1):
        options = replace(exact, stack_size=size)
        [found] = decoder.oracle(as_source([source]), wanted, options, n_best=1)
        best.append(found.derivations[0].score)
        words = tuple(word for step in found.derivations[0].steps for word in step.target)
        assert best[-1] == pytest.approx(bleu(words, [reference], brevity_penalty), abs=1e-5)
    assert best[0] >= max(best) - 1e-5


def test_the_score_is_that_of_the_metric() -> None:
    parts = tiny_model(11)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    source, texts = [3, 4, 5, 6], [[3, 4, 4, 6, 3, 5, 3], [6, 5, 4]]
    for brevity_penalty in (False, True):
        options = oracle_options(Rules(), brevity_penalty)
        [found] = decoder.oracle(as_source([source]), as_references(texts), options)
        metric = AvgBleu(smooth=True, bp=brevity_penalty)
        prepared = metric.prepare([[" ".join(map(str, text))] for text in texts])
        for derivation in found.derivations:
            line = " ".join(str(word) for step in derivation.steps for word in step.target)
            expected = float(metric.score(prepared.statistics([line]))[0])
            assert 100 * derivation.score == pytest.approx(expected, abs=1e-3)


def test_the_brevity_penalty_makes_translations_longer() -> None:
    # Word 3 may become one word of the reference, or that and another.
    lengths = {}
    for brevity_penalty in (False, True):
        total = 0
        for seed in range(40):
            parts = tiny_model(seed)
            decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
            options = oracle_options(Rules(), brevity_penalty)
            wanted = as_references([[3, 4, 5, 6, 3, 4, 5, 6]])
            [found] = decoder.oracle(as_source([[3, 4, 5]]), wanted, options, n_best=1)
            total += sum(len(step.target) for step in found.derivations[0].steps)
        lengths[brevity_penalty] = total
    assert lengths[True] > lengths[False]


def test_as_many_targets_as_in_translating_are_looked_at() -> None:
    parts = tiny_model(5, n_pairs=30)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    for limit in (1, 2, 0):
        options = replace(oracle_options(Rules("mon")), max_targets=limit)
        wanted = as_references([[6, 6, 5, 4]])
        [found] = decoder.oracle(as_source([[3, 4, 5]]), wanted, options, n_best=200)
        places = set()
        for derivation in found.derivations:
            for step in derivation.steps:
                phrase = parts.blocks.find([3, 4, 5][step.begin : step.end])
                places.add(step.block - parts.blocks.blocks(phrase)[0])
        assert max(places) == limit - 1 if limit else max(places) > 2


def test_a_text_without_references_is_refused() -> None:
    parts = tiny_model(1)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    with pytest.raises(CalqueError, match="at least one reference"):
        decoder.oracle(as_source([[3]]), [], OracleOptions())


def test_results_do_not_depend_on_the_number_of_threads() -> None:
    parts = tiny_model(5, n_pairs=40, n_words=12)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    rng = np.random.default_rng(1)
    sentences = [rng.integers(3, 15, rng.integers(1, 15)).tolist() for _ in range(40)]
    texts = SourceText(
        Sentences.from_lists(sentences[::-1]), np.concatenate([*sentences[::-1]]).astype(np.int32)
    )

    def run(threads: int) -> list[tuple[float, list[int]]]:
        found = decoder.oracle(as_source(sentences), [texts], OracleOptions(), threads=threads)
        return [
            (d.score, [s.block for s in d.steps])
            for sentence in found
            for d in sentence.derivations
        ]

    assert run(1) == run(2) == run(8)

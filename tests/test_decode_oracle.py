"""Oracle decoding against the enumeration of every derivation."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from decode_reference import Rules, as_source, derivations, tiny_model, words_of
from hypothesis import given, settings
from hypothesis import strategies as st
from test_decode_exact import rules, search_options, seeds, sources

from calque.decode import Decoder, SourceText
from calque.text import Sentences


def bleu(words: tuple[int, ...], reference: list[int]) -> float:
    """Sentence BLEU: add-one from bigrams on, no brevity penalty."""
    logs = []
    for n in range(1, 5):
        ours = Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))
        theirs = Counter(tuple(reference[i : i + n]) for i in range(len(reference) - n + 1))
        matches, total = sum((ours & theirs).values()), sum(ours.values())
        if n > 1:
            matches, total = matches + 1, total + 1
        if matches == 0:
            return 0.0
        logs.append(math.log(matches / total))
    return math.exp(sum(logs) / 4)


references = st.lists(st.integers(3, 6), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(seeds, sources, rules, references)
def test_scores_are_the_sentence_bleu_and_never_above_the_best(
    seed: int, source: list[int], by: Rules, reference: list[int]
) -> None:
    parts = tiny_model(seed)
    decoder = Decoder(parts.blocks, parts.vocabulary, parts.lm)
    wanted = SourceText(Sentences.from_lists([reference]), np.array(reference, np.int32))
    options = search_options(by)
    found = decoder.oracle(as_source([source]), wanted, options, n_best=5)[0].derivations
    every = sorted(bleu(words_of(d), reference) for d in derivations(parts, source, by))
    scores = [derivation.score for derivation in found]
    assert scores == sorted(scores, reverse=True)
    blocks = [tuple((s.begin, s.block) for s in derivation.steps) for derivation in found]
    assert len(set(blocks)) == len(blocks) == min(5, len(every))
    for derivation in found:
        words = tuple(word for step in derivation.steps for word in step.target)
        assert derivation.score == pytest.approx(bleu(words, reference), abs=1e-5)
    if len(every) <= 100:  # nothing was pruned: the best is among them
        assert scores == pytest.approx(every[::-1][:5], abs=1e-5)

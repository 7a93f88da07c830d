"""Lexical weights against the printed formula, with either kind of lexicon."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
import pytest
from blocks_reference import Pair, corpora, few, rows, to_arrays
from hypothesis import given
from hypothesis import strategies as st
from test_align_model1 import reference as model1

from calque.align import Alignments, train_model1
from calque.blocks import BlockTable, extract
from calque.config import LexicalOptions
from calque.errors import CalqueError
from calque.features import RelevantSetData, learn_local_model, learn_relevant_set
from calque.features.lexical import lexical_column, single_word_lexicon

Prob = Callable[[int, int], float]
N_WORDS = 9


def weight(s: tuple[int, ...], t: tuple[int, ...], prob: Prob) -> float:
    """The natural log of prod_j 1/N(s_j, T) sum_i p(s_j | t_i)."""
    total = 0.0
    for word in s:
        probs = [p for p in (prob(word, given) for given in t) if p > 0]
        total += math.log(max(1e-10, sum(probs) / len(probs)) if probs else 1e-10)
    return total


def check(table: BlockTable, values: np.ndarray, prob: Prob) -> None:
    for (s, t), block in rows(table).items():
        assert values[block] == pytest.approx(weight(s, t, prob), rel=1e-4, abs=1e-5)


def single_words(table: BlockTable, counts: list[int], norm: Literal["source", "target"]) -> Prob:
    singles = {
        (s[0], t[0]): counts[block]
        for (s, t), block in rows(table).items()
        if len(s) == len(t) == 1
    }

    def prob(s: int, t: int) -> float:
        same = [n for (a, b), n in singles.items() if (a == s if norm == "source" else b == t)]
        return singles[s, t] / sum(same) if singles.get((s, t)) else 0.0

    return prob


@few
@given(corpora, st.sampled_from(["source", "target"]), st.integers(0, 2**32 - 1))
def test_single_word_blocks_give_the_weights_of_the_formula(
    pairs: list[Pair], norm: Literal["source", "target"], seed: int
) -> None:
    table = extract(*to_arrays(pairs), threads=1)
    counts = np.random.default_rng(seed).integers(0, 4, len(table))
    lexicon = single_word_lexicon(table, counts, norm)
    values = lexical_column(table, lexicon, threads=2).values
    check(table, values, single_words(table, counts.tolist(), norm))


@few
@given(corpora)
def test_the_local_model_takes_its_counts_from_events(pairs: list[Pair]) -> None:
    table = extract(*to_arrays(pairs), threads=1)
    data = learn_local_model(table, *to_arrays(pairs)[:2], threads=1)
    counts = data.counts.sum(axis=1).tolist()
    check(table, data.lexical.values, single_words(table, counts, "source"))


@few
@given(corpora)
def test_the_relevant_set_takes_model_1_or_the_counts_of_extraction(pairs: list[Pair]) -> None:
    source, target, links, offsets = to_arrays(pairs)
    table = extract(source, target, links, offsets, threads=1)
    arguments = (table, source, target, Alignments(links, offsets), N_WORDS)
    by_blocks = learn_relevant_set(*arguments, LexicalOptions(lexicon="blocks"), threads=1)
    check(
        table, by_blocks.lexical.values, single_words(table, table.joint_counts.tolist(), "target")
    )

    by_model1 = learn_relevant_set(*arguments, LexicalOptions(model1_iterations=3), threads=1)
    full = [(t, s) for s, t, _ in pairs if s and t]  # generated from the target
    probs = model1(full, 3, None, 0)[0] if full else {}
    check(table, by_model1.lexical.values, lambda s, t: probs.get((t, s), 0.0))


def test_a_table_without_counts_is_one_clear_line() -> None:
    table = extract(*to_arrays([([3], [7], [(0, 0)])]), threads=1)
    with pytest.raises(CalqueError, match="0 counts for 1 blocks"):
        single_word_lexicon(table, table.joint_counts[:0], "target")


def test_model_1_learns_which_words_translate_each_other() -> None:
    pairs: list[Pair] = [([3, 4], [7, 8], []), ([3, 5], [7, 9], []), ([4, 5], [8, 9], [])]
    lexicon = train_model1(*to_arrays(pairs)[:2], 20, 1)
    assert min(lexicon.prob(7, 3), lexicon.prob(8, 4), lexicon.prob(9, 5)) > 0.9


def test_the_data_of_the_relevant_set_survives_as_arrays() -> None:
    source, target, links, offsets = to_arrays([([3, 4], [7, 8], [(0, 0), (1, 1)])])
    table = extract(source, target, links, offsets, threads=1)
    data = learn_relevant_set(table, source, target, Alignments(links, offsets), N_WORDS)
    arrays = data.to_arrays()
    again = RelevantSetData.from_arrays(arrays).to_arrays()
    assert arrays.keys() == again.keys()
    assert all(np.array_equal(arrays[name], again[name]) for name in arrays)
    assert data.lexical.copied == pytest.approx(math.log(1e-10))
    assert data.outbound.log_probs.shape == data.inbound.log_probs.shape == (N_WORDS + 1, 19)

"""Updates on the bins of the beam equal those of a slow reference that enumerates derivations."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from decode_reference import Rules, words_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_decode_exact import rules, search_options, seeds
from test_decode_gold import force_options, wanted_text
from test_decode_leave_one_out import corpus
from test_features_families import Task, families, sources, task
from violation_reference import Pair, Update, beam, covered_by, gold, select

from calque.config import DecodeOptions, ForceOptions, LeaveOneOutOptions
from calque.decode import Decoder, GoldLattices, GoldText, TrainingText
from calque.decode.gold import Good, Selection, Violations
from calque.decode.source import NO_WORD
from calque.errors import CalqueError
from calque.features import Weights
from calque.features.sparse import SparseWeights

few = settings(max_examples=40, deadline=None)
RULES: tuple[Selection, ...] = ("maxviolation", "early", "standard", "localupdate")
LOCAL = ("P1", "W1", "ruleid")
"""Families that the state of a hypothesis knows nothing of."""
goods: Any = st.sampled_from(["lattice", "all_prefixes"])


def drawn_pair(
    seed: int, source: list[str], by: Rules, chosen: tuple[str, ...], data: st.DataObject
) -> Pair:
    """A pair or a prefix pair in reach, under random weights."""
    toy = task(seed, source, chosen)
    empty = Pair(toy, Weights.default(), by, len(source), (), True)
    every = list(empty.partial())
    assume(len(every) < 1500)
    n_source = data.draw(st.integers(1, len(source)))
    ends = [d for d in every if covered_by(d) == frozenset(range(n_source))]
    assume(ends)
    reference = words_of(data.draw(st.sampled_from(ends)))
    fired = {name for d in every for ends in (False, True) for name in toy.names(d, ends=ends)}
    return replace(
        empty,
        weights=toy.weights(seed, fired),
        n_source=n_source,
        reference=reference,
        is_whole=n_source == len(source),
    )


def found_by_core(
    pair: Pair, rule: Selection, good: Good, size: int, weights: Weights | None = None
) -> Violations:
    """The update of the core; a prefix pair is one of an unreachable pair with a word more."""
    toy: Task = pair.toy
    reference = list(pair.reference) + ([] if pair.is_whole else [NO_WORD])
    wanted = wanted_text(reference)
    lattices = GoldLattices.find(
        toy.decoder, toy.text, wanted, force_options(pair.by), prefixes="all"
    )
    ends = zip(lattices.n_source.tolist(), lattices.n_target.tolist(), strict=True)
    at = list(ends).index((pair.n_source, len(pair.reference)))
    text = GoldText(toy.decoder, toy.text, wanted, lattices)
    options = search_options(pair.by, future_cost=pair.future != "none", max_targets=0)
    return text.violations(
        np.array([at]),
        pair.weights if weights is None else weights,
        replace(options, stack_size=size),
        rule,
        good=good,
        future_in_margin=pair.future == "margin",
    )


def check(pair: Pair, found: Violations, expected: Update | None) -> None:
    if expected is None:
        assert found.bins.tolist() == [-1]
        assert not found.dense.any()
        assert found.sparse.keys.size == 0
        return
    difference = Counter(pair.vector(expected.good))
    difference.subtract(pair.vector(expected.bad))
    names = pair.toy.decoder.feature_names
    assert found.bins.tolist() == [expected.bin]
    margin = pair.value(expected.good) - pair.value(expected.bad)
    assert found.margins[0] == pytest.approx(margin, abs=1e-4)
    assert found.dense[0] == pytest.approx([difference.pop(name) for name in names], abs=1e-4)
    sparse = dict(zip(found.sparse.keys.tolist(), found.sparse.counts.tolist(), strict=True))
    assert sparse == {key: count for key, count in difference.items() if count}


def is_close(pair: Pair, found: list[Any]) -> bool:
    """Whether two of the scores are too close to call."""
    scores = sorted(pair.value(d) for d in found)
    return any(b - a < 1e-4 for a, b in itertools.pairwise(scores))


@few
@given(seeds, sources, rules, families, goods, st.data())
def test_without_pruning_updates_are_those_of_enumeration(
    seed: int,
    source: list[str],
    by: Rules,
    chosen: tuple[str, ...],
    good: Good,
    data: st.DataObject,
) -> None:
    """With features of every kind, which split the states of lattice and beam."""
    assume(not by.strict and (good == "lattice" or by.mode != "swap"))
    pair = drawn_pair(seed, source, by, chosen, data)
    every = list(pair.partial())
    whole = [d for d in every if len(covered_by(d)) == pair.n_source]
    ways = {(covered_by(d[:n]), d[n - 1].end if n else 0) for d in whole for n in range(len(d) + 1)}
    bins: list[list[Any]] = [[] for _ in range(pair.n_source + 1)]
    for d in every:
        if (covered_by(d), d[-1].end if d else 0) in ways:
            bins[len(covered_by(d))].append(d)
    for held in bins:
        held.sort(key=lambda d: -pair.score(d))
    gold_found = gold(pair, every, good)
    rule = data.draw(st.sampled_from(RULES[:3]))
    expected = select(pair, bins, gold_found, rule, good)
    if expected is not None:
        rivals = [d for d in bins[expected.bin] if abs(pair.score(d)) < 1e9]
        assume(not is_close(pair, rivals))
        margins = margins_of(pair, bins, gold_found, good)
        assume(not any(abs(a - b) < 1e-4 for a in margins for b in margins if a is not b))
        assume(not any(abs(margin) < 1e-4 for margin in margins))
    check(pair, found_by_core(pair, rule, good, 0), expected)


def margins_of(pair: Pair, bins: list[list[Any]], found: Any, good: Good) -> list[float]:
    """Of every bin where there is an update; as lists of one, so that equal ones stay apart."""
    margins = []
    for i in range(1, pair.n_source + 1):
        best = found.best[i]
        last = i == pair.n_source
        bad = [
            d
            for d in bins[i]
            if pair.n_words(d) < 0 or (last and pair.n_words(d) < len(pair.reference))
        ]
        if bad and best is not None:
            margins.append(best[0] - max(pair.value(d) for d in bad))
    return margins


@settings(max_examples=100, deadline=None)
@given(
    seeds,
    sources,
    rules,
    st.sampled_from([1, 2, 3, 5]),
    goods,
    st.sampled_from(["none", "ranking", "margin"]),
    st.data(),
)
def test_updates_are_those_of_a_beam_in_plain_python(
    seed: int,
    source: list[str],
    by: Rules,
    size: int,
    good: Good,
    future: str,
    data: st.DataObject,
) -> None:
    # A swap leaves no gap that the words of the reference cannot fill, whatever is good.
    assume(not by.strict and (good == "lattice" or by.mode != "swap"))
    pair = replace(drawn_pair(seed, source, by, LOCAL, data), future=future)
    every = list(pair.partial())
    bins = beam(pair, every, size)
    assume(bins is not None)
    assert bins is not None
    assume(not any(is_close(pair, held) for held in bins))
    gold_found = gold(pair, every, good)
    margins = margins_of(pair, bins, gold_found, good)
    assume(not any(abs(margin) < 1e-4 for margin in margins))
    assume(len({round(margin, 4) for margin in margins}) == len(margins))
    for rule in RULES:
        expected = select(pair, bins, gold_found, rule, good)
        found = found_by_core(pair, rule, good, size)
        check(pair, found, expected)
        if rule in ("maxviolation", "early"):
            assert found.n_invalid == 0
        last = bins[pair.n_source]
        assert found.is_won.tolist() == [words_of(last[0]) == pair.reference]


@few
@given(seeds, sources, rules, st.data())
def test_learning_starts_from_weights_of_zero(
    seed: int, source: list[str], by: Rules, data: st.DataObject
) -> None:
    """All scores are equal: a violation of 0 counts, in the last bin that has one."""
    assume(not by.strict)
    pair = drawn_pair(seed, source, by, LOCAL, data)
    zero = replace(pair, weights=Weights(dict.fromkeys(pair.toy.decoder.feature_names, 0.0)))
    found = found_by_core(zero, "maxviolation", "lattice", 0)
    every = list(pair.partial())
    gold_found = gold(zero, every, "lattice")
    whole = [d for d in every if len(covered_by(d)) == pair.n_source]
    ways = {(covered_by(d[:n]), d[n - 1].end if n else 0) for d in whole for n in range(len(d) + 1)}
    sites = []
    for d in every:
        i, j = len(covered_by(d)), pair.n_words(d)
        bad = j < 0 or (i == pair.n_source and j < len(pair.reference))
        if d and bad and gold_found.best[i] and (covered_by(d), d[-1].end) in ways:
            sites.append(i)
    assert found.bins[0] == max(sites, default=-1)
    assert found.margins[0] == 0
    assert found.n_invalid == 0


def toy_text(seed: int) -> tuple[Any, GoldText, Weights]:
    toy = corpus(seed, n_pairs=60, n_words=6)
    training = TrainingText(toy.model, LeaveOneOutOptions(what="one-count"))
    pairs = range(len(toy.pairs))
    decoder, left_out = Decoder.of(toy.model), training.left_out(pairs)
    source, references = training.source(pairs), training.references(pairs)
    lattices = GoldLattices.find(
        decoder, source, references, ForceOptions(min_prefix=1), leave_one_out=left_out
    )
    text = GoldText(decoder, source, references, lattices, leave_one_out=left_out)
    return toy, text, toy.model.weights


@pytest.mark.parametrize("rule", RULES)
def test_threads_change_nothing_and_sums_are_sums(rule: Selection) -> None:
    _, text, weights = toy_text(5)
    options = DecodeOptions(stack_size=3, distortion_rule="jump")
    chosen = np.random.default_rng(1).permutation(len(text))
    one, four = (text.violations(chosen, weights, options, rule, threads=n) for n in (1, 4))
    for name in ("bins", "margins", "is_won", "dense"):
        assert np.array_equal(getattr(one, name), getattr(four, name)), name
    assert one.n_updates > 5
    total = text.violations(chosen, weights, options, rule, total=True)
    assert total.dense[0] == pytest.approx(one.dense.sum(axis=0), abs=1e-9)
    assert np.array_equal(total.bins, one.bins)


def test_the_rate_of_invalid_standard_updates_falls_with_the_beam() -> None:
    """Figure 9 of Yu et al. 2013: a larger beam loses the reference less often."""
    rates: dict[int, float] = {}
    for size in (1, 0):
        n_invalid = n_updates = 0
        for seed in range(8):
            _, text, weights = toy_text(seed)
            lively = weights.with_dense({"language_model": 0.5, "word_count": 0.3})
            options = DecodeOptions(
                stack_size=size,
                pop_limit=0,
                options_per_span=0,
                max_targets=0,
                distortion_rule="jump",
                future_cost=False,
            )
            found = text.violations(np.arange(len(text)), lively, options, "standard")
            n_invalid += found.n_invalid
            n_updates += found.n_updates
        rates[size] = n_invalid / n_updates
    assert rates[1] > 0.02
    assert rates[0] == 0, "an exact search makes no search errors"


def test_own_one_count_blocks_win_nothing() -> None:
    """With leave-one-out neither lattice nor beam may use what only the pair itself has."""
    toy, text, weights = toy_text(2)
    table = toy.model.blocks
    options = DecodeOptions(distortion_rule="jump")
    found = text.violations(np.arange(len(text)), weights, options, "maxviolation")
    assert found.n_updates > 0
    training = TrainingText(toy.model)
    pairs = range(len(toy.pairs))
    lattices = GoldLattices.find(
        Decoder.of(toy.model),
        training.source(pairs),
        training.references(pairs),
        ForceOptions(min_prefix=1),
    )
    assert lattices.n_states > text.lattices.n_states
    assert (table.joint_counts == 1).any()


def test_what_cannot_be_is_refused() -> None:
    _, text, weights = toy_text(2)
    everything = np.arange(len(text))
    normalised = DecodeOptions(normaliser="alternatives")
    with pytest.raises(CalqueError, match="not normalised"):
        text.violations(everything, weights, normalised, "standard")
    blind = DecodeOptions(future_cost=False)
    with pytest.raises(CalqueError, match="the search has no future cost"):
        text.violations(everything, weights, blind, "standard", future_in_margin=True)
    with pytest.raises(CalqueError, match="chosen lattices"):
        text.violations(everything + 1, weights, DecodeOptions(), "standard")
    wrong: Literal["maxviolation"] = "bold"  # type: ignore[assignment]  # the mistake
    with pytest.raises(CalqueError, match="a selection is maxviolation"):
        text.violations(everything, weights, DecodeOptions(), wrong)


def test_weights_of_sparse_features_count() -> None:
    """The update of word edges cancels what two derivations share."""
    toy = task(3, ["w0", "w1", "w2"], ("wordedges",))
    pair = Pair(toy, Weights.default(), Rules("mon"), 3, (), True)
    ends = [d for d in pair.partial() if len(covered_by(d)) == 3]
    pair = replace(pair, reference=words_of(ends[-1]), weights=Weights(Weights.default()))
    found = found_by_core(pair, "standard", "lattice", 0)
    every = list(pair.partial())
    bins: list[list[Any]] = [[], [], [], sorted(ends, key=lambda d: -pair.score(d))]
    check(pair, found, select(pair, bins, gold(pair, every, "lattice"), "standard", "lattice"))
    keys = found.sparse.keys
    better = Weights(pair.weights, SparseWeights.summed(keys, found.sparse.counts * 10))
    assert found_by_core(pair, "standard", "lattice", 0, better).n_updates == 0

"""Gold lattices hold exactly the derivations that give the reference, under any weights."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from decode_reference import Rules, Step, partial_derivations, words_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from test_decode_exact import rules, seeds
from test_decode_forced import repetitive
from test_decode_leave_one_out import corpus
from test_features_families import Task, families, sources, task

from calque.config import ForceOptions, LeaveOneOutOptions, ReorderingOptions
from calque.decode import Decoder, GoldLattices, GoldText, SourceText, TrainingText
from calque.decode.gold import Prefixes
from calque.decode.source import NO_WORD
from calque.errors import CalqueError
from calque.features import Weights
from calque.text import Sentences

few = settings(max_examples=40, deadline=None)
Partial = tuple[tuple[Step, ...], frozenset[int]]


def force_options(by: Rules) -> ForceOptions:
    return ForceOptions(
        reordering=by.mode,
        distortion_limit=by.limit,
        distortion_rule=by.distortion,
        min_prefix=1,
    )


def wanted_text(reference: list[int]) -> SourceText:
    ids = [max(word, 0) for word in reference]
    return SourceText(Sentences.from_lists([ids]), np.array(reference, np.int32))


def gold_of(
    toy: Task, reference: list[int], by: Rules, prefixes: Prefixes = "longest"
) -> tuple[GoldLattices, GoldText]:
    wanted, options = wanted_text(reference), force_options(by)
    found = GoldLattices.find(toy.decoder, toy.text, wanted, options, prefixes=prefixes)
    return found, GoldText(toy.decoder, toy.text, wanted, found)


def golden(partial: list[Partial], reference: list[int], n_source: int) -> list[Partial]:
    """The partial derivations that a derivation of the prefix pair or pair begins with."""
    ends = [
        steps
        for steps, covered in partial
        if covered == frozenset(range(n_source)) and list(words_of(steps)) == reference
    ]
    # A state leads to the end however it was reached: what went before does not matter.
    states = {state(d[:n]) for d in ends for n in range(len(d) + 1)}
    return [
        (steps, covered)
        for steps, covered in partial
        if state(steps) in states and list(words_of(steps)) == reference[: len(words_of(steps))]
    ]


def state(steps: tuple[Step, ...]) -> Any:
    covered = frozenset(i for step in steps for i in range(step.begin, step.end))
    return covered, steps[-1].end if steps else 0, len(words_of(steps))


def states_of(lattices: GoldLattices, at: int) -> set[Any]:
    rows = range(int(lattices.offsets[at]), int(lattices.offsets[at + 1]))
    states = set()
    for i in rows:
        first, later = int(lattices.first[i]), int(lattices.later[i])
        covered = {*range(first), *(first + 1 + k for k in range(64) if later >> k & 1)}
        states.add((frozenset(covered), int(lattices.last_end[i]), int(lattices.n_words[i])))
    assert len(states) == len(rows), "no state twice"
    return states


def check_bins(
    toy: Task, gold: GoldText, partial: list[Partial], reference: list[int], by: Rules, seed: int
) -> None:
    """States, and the best score per bin under random weights, equal enumeration."""
    lattices = gold.lattices
    n_words = len(toy.source)
    every = {
        name
        for steps, _ in partial
        for ends in (False, True)
        for name in toy.names(steps, ends=ends)
    }
    weights = toy.weights(seed, every)
    for at, scores in enumerate(gold.scores(weights, force_options(by))):
        n_source, n_target = int(lattices.n_source[at]), int(lattices.n_target[at])
        good = golden(partial, reference[:n_target], n_source)
        assert states_of(lattices, at) == {state(steps) for steps, _ in good}
        best = np.full(n_source + 1, -np.inf)
        for steps, covered in good:
            complete = len(covered) == n_source
            if complete and len(words_of(steps)) < n_target:
                continue
            ends = complete and bool(lattices.is_whole[at])
            assert not ends or n_source == n_words
            best[len(covered)] = max(best[len(covered)], toy.score(weights, steps, ends=ends))
        np.testing.assert_allclose(scores, best, atol=1e-4)


@few
@given(seeds, sources, rules, families, st.data())
def test_the_best_score_of_every_bin_is_that_of_enumeration(
    seed: int, source: list[str], by: Rules, chosen: tuple[str, ...], data: st.DataObject
) -> None:
    assume(not by.strict)
    toy = task(seed, source, chosen)
    partial = list(partial_derivations(toy.parts, toy.text.sentences.ids.tolist(), by))
    assume(len(partial) < 4000)
    complete = [steps for steps, covered in partial if len(covered) == len(source)]
    reference = list(words_of(data.draw(st.sampled_from(complete))))
    lattices, gold = gold_of(toy, reference, by)
    assert lattices.n_source.tolist() == [len(source)]
    assert lattices.is_whole.all()
    check_bins(toy, gold, partial, reference, by, seed)


@few
@given(seeds, sources, rules, families, st.data())
def test_prefix_pairs_stand_for_pairs_out_of_reach(
    seed: int, source: list[str], by: Rules, chosen: tuple[str, ...], data: st.DataObject
) -> None:
    assume(not by.strict)
    toy = task(seed, source, chosen)
    partial = list(partial_derivations(toy.parts, toy.text.sentences.ids.tolist(), by))
    assume(len(partial) < 4000)
    prefixes = [(d, n) for d, n in partial if d and n == frozenset(range(len(n)))]
    reference = [*words_of(data.draw(st.sampled_from(prefixes))[0]), NO_WORD]
    pairs = {
        (len(covered), len(words_of(steps)))
        for steps, covered in prefixes
        if list(words_of(steps)) == reference[: len(words_of(steps))]
    }
    longest, gold = gold_of(toy, reference, by)
    assert [(*longest.n_source, *longest.n_target)] == [max(pairs)]
    check_bins(toy, gold, partial, reference, by, seed)
    every, gold = gold_of(toy, reference, by, "all")
    assert list(zip(every.n_source, every.n_target, strict=True)) == sorted(pairs)
    assert not every.is_whole.any()
    check_bins(toy, gold, partial, reference, by, seed)
    none, _ = gold_of(toy, reference, by, "none")
    assert len(none) == 0
    assert none.n_pairs == 1


def test_own_blocks_are_left_out_of_lattices_and_scores() -> None:
    """With leave-one-out a lattice is that of forced decoding with leave-one-out."""
    toy = corpus(3, n_pairs=60, n_words=5)
    decoder, weights, options = Decoder.of(toy.model), toy.model.weights, ForceOptions(min_prefix=1)
    pairs = range(len(toy.pairs))
    n_lost = 0
    for how in (LeaveOneOutOptions(what="one-count"), LeaveOneOutOptions()):
        training = TrainingText(toy.model, how)
        source, references = training.source(pairs), training.references(pairs)
        left_out = training.left_out(pairs)
        lattices = GoldLattices.find(decoder, source, references, options, leave_one_out=left_out)
        gold = GoldText(decoder, source, references, lattices, leave_one_out=left_out)
        forced = decoder.force(source, references, weights, options, leave_one_out=left_out)
        scores = dict(zip(lattices.pairs.tolist(), gold.scores(weights, options), strict=True))
        for pair, found in enumerate(forced):
            n_lost += not found.reachable
            assert (pair in scores) == (found.prefix_source > 0)
            if pair in scores:
                assert scores[pair][-1] == pytest.approx(found.best.score, abs=1e-4)
                assert len(scores[pair]) == found.prefix_source + 1
    assert n_lost > 5


def test_threads_and_files_change_nothing() -> None:
    toy = corpus(4, n_pairs=40, n_words=6)
    decoder, options = Decoder.of(toy.model), ForceOptions(min_prefix=1)
    training = TrainingText(toy.model)
    source, references = training.source(range(40)), training.references(range(40))
    first, other = (
        GoldLattices.find(decoder, source, references, options, prefixes="all", threads=n)
        for n in (1, 4)
    )
    arrays = first.to_arrays()
    assert sum(arrays[name].nbytes for name in ("later", "first", "last_end", "n_words")) <= (
        5 * first.n_states
    )
    for again in (other, GoldLattices.from_arrays(arrays)):
        for name, values in first.to_arrays().items():
            assert np.array_equal(values, again.to_arrays()[name]), name
            assert getattr(first, name) is not None
        assert again.core is not None
        assert again.later.dtype == first.later.dtype
    with pytest.raises(CalqueError, match="gold lattices: later is missing"):
        GoldLattices.from_arrays({k: v for k, v in arrays.items() if k != "later"})


@pytest.mark.parametrize(
    ("name", "value"),
    [("first", 65535), ("later", 1 << 40), ("last_end", 60000), ("n_words", 60000)],
)
def test_states_outside_their_pair_are_refused(name: str, value: int) -> None:
    toy = corpus(4, n_pairs=10, n_words=6)
    decoder, training = Decoder.of(toy.model), TrainingText(toy.model)
    source, references = training.source(range(10)), training.references(range(10))
    options = ForceOptions(min_prefix=1)
    arrays = GoldLattices.find(decoder, source, references, options).to_arrays()
    states = arrays[name].astype(np.int64)
    states[-1] = value
    damaged = GoldLattices.from_arrays({**arrays, name: states})
    with pytest.raises(CalqueError, match="a state of a gold lattice lies outside its pair"):
        GoldText(decoder, source, references, damaged).scores(toy.model.weights, options)


def test_pairs_that_are_too_large_are_counted() -> None:
    decoder, source, wanted = repetitive(16)
    for options, n in (
        (ForceOptions(distortion_limit=4, memory_mb=1), 1),
        (ForceOptions(max_words=15), 1),
        (ForceOptions(distortion_limit=2), 0),
    ):
        found = GoldLattices.find(decoder, source, wanted, options)
        assert found.n_too_large == n
        assert len(found) == 1 - n


def test_lattices_of_other_texts_are_refused() -> None:
    decoder, source, wanted = repetitive(4)
    found = GoldLattices.find(decoder, source, wanted, ForceOptions())
    _, short, short_wanted = repetitive(3)
    gold = GoldText(decoder, short, short_wanted, found)
    with pytest.raises(CalqueError, match="a gold lattice is longer than its pair"):
        gold.scores(Weights.default(), ReorderingOptions())
    found.pairs[0] = 1
    with pytest.raises(CalqueError, match="pairs of lattices"):
        GoldText(decoder, source, wanted, found).scores(Weights.default(), ReorderingOptions())
    with pytest.raises(CalqueError, match="states of lattices"):
        GoldLattices(**{**vars(found), "offsets": found.offsets + 1}).core  # noqa: B018

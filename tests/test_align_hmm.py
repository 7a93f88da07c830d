"""The HMM of one sentence pair against the enumeration of all its paths."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from calque._core import hmm_best_path, hmm_posteriors

WIDTH = 2


class Case(NamedTuple):
    emission: NDArray[np.float32]
    null_emission: NDArray[np.float32]
    within: NDArray[np.float32]
    start: NDArray[np.float32]
    null_prob: float


@st.composite
def cases(draw: st.DrawFn) -> Case:
    n_steps, n_states = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))

    def numbers(*shape: int) -> NDArray[np.float32]:
        return random.uniform(0.01, 1, shape).astype(np.float32)

    null_prob = draw(st.sampled_from([0.0, 0.1, 0.5]))
    return Case(
        numbers(n_steps, n_states),
        numbers(n_steps),
        numbers(2 * WIDTH + 1),
        numbers(WIDTH + 1),
        null_prob,
    )


def paths(case: Case) -> dict[tuple[tuple[int, bool], ...], float]:
    """Every path, as (position, whether null) per step, with its probability."""
    n_steps, n_states = case.emission.shape
    positions = range(n_states)

    def jump(origin: int | None, to: int) -> float:
        def weight(end: int) -> float:
            if origin is None:
                return float(case.start[min(end, WIDTH)])
            return float(case.within[max(-WIDTH, min(WIDTH, end - origin)) + WIDTH])

        return weight(to) / sum(weight(end) for end in positions)

    found = {}
    for path in itertools.product(itertools.product(positions, (False, True)), repeat=n_steps):
        prob, origin = 1.0, None
        for step, (place, null) in enumerate(path):
            if null:
                # A null word stays where the last word was; at the start it first finds a place.
                move = jump(None, place) if origin is None else float(place == origin)
                prob *= case.null_prob * move * float(case.null_emission[step])
            else:
                emission = float(case.emission[step, place])
                prob *= (1 - case.null_prob) * jump(origin, place) * emission
            origin = place
        found[path] = prob
    return found


@given(cases())
def test_posteriors_are_those_of_the_enumerated_paths(case: Case) -> None:
    n_steps, n_states = case.emission.shape
    all_paths = paths(case)
    total = sum(all_paths.values())
    posterior, null = np.zeros((n_steps, n_states)), np.zeros(n_steps)
    jumps, firsts = np.zeros(2 * WIDTH + 1), np.zeros(WIDTH + 1)
    for path, prob in all_paths.items():
        firsts[min(path[0][0], WIDTH)] += prob / total
        for step, (place, is_null) in enumerate(path):
            if is_null:
                null[step] += prob / total
                continue
            posterior[step, place] += prob / total
            if step > 0:
                distance = max(-WIDTH, min(WIDTH, place - path[step - 1][0]))
                jumps[distance + WIDTH] += prob / total
    log_prob, ours, our_null, our_jumps, our_firsts = hmm_posteriors(*case)
    assert log_prob == pytest.approx(math.log(total), abs=1e-5)
    np.testing.assert_allclose(ours.reshape(n_steps, n_states), posterior, atol=1e-5)
    np.testing.assert_allclose(our_null, null, atol=1e-5)
    np.testing.assert_allclose(our_jumps, jumps, atol=1e-5)
    np.testing.assert_allclose(our_firsts, firsts, atol=1e-5)


@given(cases())
def test_the_best_path_is_the_best_of_all_paths(case: Case) -> None:
    all_paths = paths(case)
    states = hmm_best_path(*case).tolist()
    seen = [
        prob
        for path, prob in all_paths.items()
        if [-1 if is_null else place for place, is_null in path] == states
    ]
    assert max(seen) == pytest.approx(max(all_paths.values()), rel=1e-5)


def test_long_sentences_neither_vanish_nor_overflow() -> None:
    random = np.random.default_rng(1)
    emission = (random.uniform(0, 1, (80, 80)) ** 20 + 1e-10).astype(np.float32)
    null = np.full(80, 1e-9, np.float32)
    within, start = np.ones(41, np.float32), np.ones(21, np.float32)
    log_prob, posterior, null_posterior, _, _ = hmm_posteriors(emission, null, within, start, 0.1)
    assert math.isfinite(log_prob)
    sums = posterior.reshape(80, 80).sum(axis=1) + null_posterior
    np.testing.assert_allclose(sums, 1, atol=1e-4)
    assert len(hmm_best_path(emission, null, within, start, 0.1)) == 80

"""The kernel of MIRA against a reference of a few lines."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tuning_lists import add, random_lists, with_sparse

from calque._core import mira_pass
from calque.hyps import CandidatePool


@given(seed=st.integers(0, 10**6))
@settings(max_examples=30, deadline=None)
def test_a_pass_moves_weights_as_the_formulas_say(seed: int) -> None:
    rng = np.random.default_rng(seed)
    nbest, references = random_lists(rng, 5, 4, 2)
    nbest = with_sparse(nbest, rng.random(len(nbest)) < 0.4)
    pool = CandidatePool(len(references), ["f0", "f1"])
    add(pool, nbest, lambda texts, sentences: np.zeros((len(texts), 1)))
    lists = pool.lists()
    gains = rng.random(len(lists)).round(2)
    order = np.concatenate([rng.permutation(5), rng.permutation(5)])
    weights, lag = rng.normal(size=lists.n_features), np.zeros(lists.n_features)
    frozen = np.array([0, 1] + [0] * (lists.n_features - 2), np.uint8)

    rows = np.zeros((len(lists), lists.n_features))
    rows[:, :2] = lists.dense
    for at in range(len(lists)):
        for i in range(lists.row_offsets[at], lists.row_offsets[at + 1]):
            rows[at, 2 + lists.columns[i]] = lists.values[i]
    expected, history, best = weights.copy(), [], []
    for sentence in order:
        some = np.arange(lists.offsets[sentence], lists.offsets[sentence + 1])
        scores = rows[some] @ expected
        best.append(some[np.argmax(scores)])
        hope = some[np.argmax(scores + gains[some])]
        fear = some[np.argmax(scores - gains[some])]
        moved = np.where(frozen, 0.0, rows[hope] - rows[fear])
        loss = gains[hope] - gains[fear] - (rows[hope] - rows[fear]) @ expected
        if loss > 0 and moved.any():
            expected = expected + min(0.1, loss / (moved @ moved)) * moved
        history.append(expected)

    chosen = mira_pass(
        lists.offsets, lists.dense, lists.row_offsets, lists.columns, lists.values, order, gains,
        frozen, 0.1, 0, weights, lag,
    )  # fmt: skip
    assert chosen.tolist() == best
    assert np.allclose(weights, expected)
    assert np.allclose(weights - lag / len(order), np.mean(history, axis=0))

"""The kernel of MIRA against a reference of a few lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from calque._core import BundledLists, mira_pass
from calque.hyps import Lists
from calque.hyps.lists import PackedTexts
from calque.tune.methods.mira import bundled


def lists_of(offsets: NDArray[np.int64], dense: Any, sparse: Any, kind: Any) -> Lists:
    """Lists with these dense and sparse features, a row per candidate."""
    rows, columns = np.nonzero(sparse)
    n = len(dense)
    row_offsets = np.searchsorted(rows, np.arange(n + 1)).astype(np.int64)
    return Lists(
        dense_names=tuple(f"f{i}" for i in range(dense.shape[1])),
        keys=np.arange(sparse.shape[1], dtype=np.uint64),
        offsets=offsets,
        dense=dense,
        row_offsets=row_offsets,
        columns=columns.astype(np.int32),
        values=sparse[rows, columns].astype(kind),
        statistics=np.zeros((n, 1)),
        n_words=np.zeros(n, np.int32),
        texts=PackedTexts(np.empty(0, np.uint8), np.zeros(n + 1, np.int64)),
    )


def random_features(rng: np.random.Generator, n_candidates: int) -> NDArray[np.float64]:
    """Sparse features of which many are copies of others, and some are on all candidates."""
    own = rng.integers(0, 3, (n_candidates, 4)) * (rng.random((n_candidates, 4)) < 0.5)
    copied = own[:, rng.integers(0, 4, 6)]
    always = np.full((n_candidates, 2), 2)
    features = np.hstack([own, copied, always]).astype(float)
    return features[:, rng.permutation(features.shape[1])]


@given(seed=st.integers(0, 10**6), kind=st.sampled_from([np.uint8, np.float64]))
@settings(max_examples=60, deadline=None)
def test_a_pass_moves_weights_as_the_formulas_say(seed: int, kind: Any) -> None:
    rng = np.random.default_rng(seed)
    offsets = np.cumsum([0, *rng.integers(1, 6, 5)]).astype(np.int64)
    n = int(offsets[-1])
    dense, sparse = rng.normal(size=(n, 2)).round(2), random_features(rng, n)
    lists = lists_of(offsets, dense, sparse, kind)
    gains = rng.random(n).round(2)
    order = np.concatenate([rng.permutation(5), rng.permutation(5)])
    weights, lag = rng.normal(size=lists.n_features), np.zeros(lists.n_features)
    frozen = (rng.random(lists.n_features) < 0.3).astype(np.uint8)

    rows = np.hstack([dense, sparse])
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

    chosen = mira_pass(bundled(lists, 2), lists.dense, order, gains, frozen, 0.1, 0, weights, lag)
    assert chosen.tolist() == best
    assert np.allclose(weights, expected)
    assert np.allclose(weights - lag / len(order), np.mean(history, axis=0))


def test_features_that_go_together_take_no_room_of_their_own() -> None:
    rng = np.random.default_rng(3)
    blocks = (rng.random((50, 6)) < 0.5).astype(float)
    offsets = np.array([0, 50], np.int64)
    few, many = (
        bundled(lists_of(offsets, np.zeros((50, 1)), np.repeat(blocks, n, axis=1), np.uint8), 1)
        for n in (1, 1000)
    )
    assert many.n_bytes - few.n_bytes < 2 * 4 * 6 * 1000  # their columns, once a sentence


def test_lists_may_come_in_any_pieces() -> None:
    rng = np.random.default_rng(4)
    offsets = np.arange(0, 41, 4)
    dense, sparse = rng.normal(size=(40, 1)), random_features(rng, 40)
    lists = lists_of(offsets, dense, sparse, np.uint8)
    gains, order = rng.random(40), np.arange(10)

    def learned(pieces: list[int]) -> Any:
        bundles = BundledLists(len(lists.keys))
        for first, last in zip([0, *pieces], [*pieces, 10], strict=True):
            rows = lists.row_offsets, lists.columns, lists.values
            bundles.append(lists.offsets, *rows, first, last, 1)
        weights, lag = np.zeros(lists.n_features), np.zeros(lists.n_features)
        frozen = np.zeros(lists.n_features, np.uint8)
        mira_pass(bundles, dense, order, gains, frozen, 0.1, 0, weights, lag)
        return weights

    assert np.array_equal(learned([]), learned([1, 2, 7]))
    assert np.any(learned([]))

"""Values of features with a bit per candidate: the sums, and lists that have them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from border_calls import add_directions, int32, int64, learn, online_lists
from hypothesis import given, settings
from hypothesis import strategies as st
from test_tune_relevant_set import lists_of, matrix

from calque import _core
from calque.errors import CalqueError
from calque.hyps import Lists
from calque.tune.working_copy import WorkingCopy


@pytest.mark.parametrize("way", _core.mask_sums())
@pytest.mark.parametrize("n_bytes", [1, 2, 4, 13, 16, 17, 40])
def test_every_way_to_sum_up_by_masks_has_the_bits_of_a_slow_one(way: str, n_bytes: int) -> None:
    rng = np.random.default_rng(n_bytes)
    n, wide = 50, 8 * n_bytes
    masks = rng.integers(0, 256, (n, n_bytes), np.uint8)
    masks[7] = 0
    by_mask = rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, n)
    by_candidate = rng.normal(size=wide) * 10.0 ** rng.integers(-9, 9, wide)
    by_candidate[:3] = -0.0
    has = np.unpackbits(masks, axis=1, bitorder="little").astype(bool)
    expected = np.zeros(wide)
    for mask in range(n):
        expected[has[mask]] += by_mask[mask]
    sums, found = _core.sum_by_masks(way, masks, by_mask, by_candidate)
    assert sums.tobytes() == expected.tobytes()
    for mask in range(n):
        lanes = np.zeros(8)
        for at in range(0, wide, 8):
            lanes += np.where(has[mask], by_candidate, 0.0)[at : at + 8]
        for half in (4, 2, 1):
            lanes = lanes[:half] + lanes[half:]
        assert found[mask].tobytes() == lanes[0].tobytes()


def crowded(rng: np.random.Generator) -> Lists:
    """Lists of up to 30 candidates; features come on one of them, a few, or most; some twice."""
    rows = []
    for _ in range(5):
        shares = rng.random(15) ** 2
        n = int(rng.integers(1, 31))
        has = rng.random((n, 15)) < shares
        times = 1 + rng.integers(0, 2, 15) * rng.integers(0, 2, (n, 15))
        rows.append(
            [
                {
                    "f0": float(rng.normal()),
                    **{
                        str(k): float(t)
                        for k, (h, t) in enumerate(zip(*candidate, strict=True))
                        if h
                    },
                }
                for candidate in zip(has, times, strict=True)
            ]
        )
    return lists_of(rows, ("f0",))


def copy_of(lists: Lists, **options: Any) -> WorkingCopy:
    moving = np.ones(lists.n_features, bool)
    return WorkingCopy([lists], moving, np.zeros(lists.n_features), np.ones(1), **options)


@given(seed=st.integers(0, 10**6), clip=st.booleans())
@settings(max_examples=60, deadline=None)
def test_masks_and_entries_together_are_all_differences(seed: int, clip: bool) -> None:
    lists = crowded(np.random.default_rng(seed))
    copy = copy_of(lists, masks=True, clip=clip)
    plain = copy_of(lists, clip=clip)
    full = matrix(lists, clip)[:, 1:]
    assert copy.features.tolist() == plain.features.tolist()
    assert copy.n_entries == plain.n_entries
    for number in range(lists.n_sentences):
        first, last = lists.offsets[number : number + 2].tolist()
        own = copy.features[slice(*copy.feature_offsets[number : number + 2])]
        found = np.zeros((last - first, full.shape[1]))
        for row in range(first, last):
            entries = slice(*copy.row_offsets[row : row + 2])
            found[row - first, own[copy.places[entries]]] = copy.values[entries]
        if masked := copy.masked_of(number, number + 1):
            _, values, member_offsets, members, bits = masked
            masks = bits.reshape(len(values), (last - first + 7) // 8)
            has = np.unpackbits(masks, axis=1, bitorder="little")
            assert not has[:, last - first :].any()
            assert (has.sum(axis=1) >= 2).all()
            alike = {(*mask.tolist(), value) for mask, value in zip(has, values, strict=True)}
            assert len(alike) == len(values), "features that are alike share a mask"
            for mask, (value, rows) in enumerate(
                zip(values, has[:, : last - first].astype(bool), strict=True)
            ):
                some_members = own[members[slice(*member_offsets[mask : mask + 2])]]
                assert len(some_members)
                assert not found[np.ix_(rows, some_members)].any()
                found[np.ix_(rows, some_members)] = value
        some = full[first:last]
        assert (found - found[0]).tolist() == (some - some[0]).tolist()


def test_what_a_candidate_has_twice_counts_twice() -> None:
    twice = _core.differences(
        int64(0, 7), int64(0, 2, *[3] * 6), int32(0, 0, 0), np.ones(3, np.uint8), 0, 1,
        np.ones(1, np.uint8), False, True, 1,
    )  # fmt: skip
    n_entries, bits, n_masked = twice[2], twice[-2], twice[-1]
    assert int(np.unpackbits(bits).sum()) == n_masked
    assert n_entries.sum() + n_masked == 3


def test_lists_with_masks_are_checked() -> None:
    def masked(**changed: Any) -> _core.DifferenceLists:
        given = {
            "offsets": int64(0, 1, 1),
            "values": np.ones(1, np.int16),
            "member_offsets": int64(0, 1),
            "members": int32(0),
            "bits": np.ones(1, np.uint8),
        }
        whole = np.ones(2, np.int16)
        return online_lists(values=whole, masked=_core.MaskedValues(**{**given, **changed}))

    lists = masked()
    for wrong in (
        {"offsets": int64(0, 1)},
        {"offsets": int64(0, 0, 2)},
        {"members": int32(1)},
        {"members": int32(-1)},
        {"members": int32(0, 0)},
        {"member_offsets": int64(0)},
        {"member_offsets": int64(0, 2)},
        {"member_offsets": int64(1, 1)},
        {"values": np.ones(2, np.int16)},
        {"bits": np.ones(2, np.uint8)},
    ):
        with pytest.raises(CalqueError):
            masked(**wrong)
    none = _core.MaskedValues(
        int64(0, 0, 0), np.ones(0, np.int16), int64(0), int32(), np.ones(0, np.uint8)
    )
    with pytest.raises(CalqueError, match="whole values"):
        online_lists(masked=none)
    for call, method in ((learn(), "learn"), (add_directions(), "add_directions")):
        with pytest.raises(CalqueError, match="lists with masks"):
            getattr(lists, method)(**call.arguments)
    with pytest.raises(CalqueError, match="one of the ways"):
        _core.sum_by_masks("none", np.zeros((1, 1), np.uint8), np.ones(1), np.ones(8))


@pytest.mark.parametrize("masks", [True, False])
def test_the_best_candidate_is_the_first_of_the_highest_score(masks: bool) -> None:
    lists = crowded(np.random.default_rng(3))
    weights = np.random.default_rng(4).integers(-2, 3, lists.n_features).astype(float)
    weights[0] = 0
    scores = matrix(lists) @ weights
    expected = [
        first + int(np.argmax(scores[first:last]))
        for first, last in zip(lists.offsets[:-1].tolist(), lists.offsets[1:].tolist(), strict=True)
    ]
    copy = copy_of(lists, masks=masks)
    assert copy.has_masks == masks
    assert copy.lists.best(weights, 2).tolist() == expected

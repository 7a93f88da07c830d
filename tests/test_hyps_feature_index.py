"""The index of sparse features against a dictionary."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from calque._core import FeatureIndex

KEYS = st.lists(st.one_of(st.integers(0, 20), st.integers(0, 2**64 - 1)), max_size=60)


@given(batches=st.lists(KEYS, max_size=5), asked=KEYS, threads=st.integers(1, 3))
def test_columns_are_those_of_a_dictionary_that_numbers_keys_as_they_come(
    batches: list[list[int]], asked: list[int], threads: int
) -> None:
    index, expected = FeatureIndex(), dict[int, int]()
    for keys in batches:
        columns = [expected.setdefault(key, len(expected)) for key in keys]
        assert index.add(np.array(keys, np.uint64), threads=threads).tolist() == columns
    assert index.keys().tolist() == list(expected)
    assert index.keys(3).tolist() == list(expected)[3:]
    found = index.find(np.array(asked, np.uint64)).tolist()
    assert found == [expected.get(key, -1) for key in asked]
    assert len(index) == len(expected)


def test_a_million_keys_keep_their_columns() -> None:
    rng = np.random.default_rng(1)
    keys = np.unique(rng.integers(0, 2**63, 1_000_000).astype(np.uint64))
    rng.shuffle(keys)
    index = FeatureIndex()
    assert (index.add(keys) == np.arange(len(keys))).all()
    assert (index.add(keys[::-1].copy(), threads=2) == np.arange(len(keys))[::-1]).all()
    assert (index.keys() == keys).all()
    restored = FeatureIndex()
    restored.add(index.keys())
    assert (restored.find(keys) == index.find(keys)).all()

"""The trie over source sides against a dictionary of all prefixes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calque import _core
from calque.errors import CalqueError

phrases = st.sets(
    st.lists(st.integers(1, 6), min_size=1, max_size=5).map(tuple), min_size=1, max_size=30
)


def arrays(sides: list[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
    words = np.array([symbol for side in sides for symbol in side], np.int32)
    return words, np.cumsum([0, *map(len, sides)]).astype(np.int64)


@given(phrases)
def test_every_prefix_is_one_node(sides: set[tuple[int, ...]]) -> None:
    ordered = sorted(sides, key=lambda side: (len(side), side))
    symbols, first_child, ends = _core.index_prefixes(*arrays(ordered))
    prefixes = sorted(
        {side[:n] for side in sides for n in range(len(side) + 1)} | {()},
        key=lambda side: (len(side), side),
    )
    found: list[tuple[int, ...]] = [()]
    for node in range(len(symbols)):
        children = range(first_child[node], first_child[node + 1])
        found += [(*found[node], int(symbols[child])) for child in children]
    assert found == prefixes
    numbers = {side: i for i, side in enumerate(ordered)}
    assert ends.tolist() == [numbers.get(prefix, -1) for prefix in prefixes]


@pytest.mark.parametrize("sides", [[(3, 4), (3,)], [(4,), (3,)], [(3,), (3,)], [(3,), ()]], ids=str)
def test_phrases_out_of_order_are_refused(sides: list[tuple[int, ...]]) -> None:
    with pytest.raises(CalqueError):
        _core.index_prefixes(*arrays(sides))

"""Symmetrisation against a direct transcription of its definition."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calque.align import Alignments, symmetrize
from calque.align.symmetrize import links_to_source, links_to_target
from calque.config.align import Symmetrization
from calque.text import Sentences

Link = tuple[int, int]
METHODS: tuple[Symmetrization, ...] = get_args(Symmetrization)
NEIGHBOURS = [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)]


def slow(forward: set[Link], reverse: set[Link], size: Link, method: str) -> set[Link]:
    links, union = forward & reverse, forward | reverse
    if method == "intersection":
        return links
    if method == "union":
        return union

    def free(link: Link) -> tuple[bool, bool]:
        return all(i != link[0] for i, _ in links), all(j != link[1] for _, j in links)

    before = None
    while before != links:
        before = set(links)
        for link in np.ndindex(size):
            if link not in links:
                continue
            for di, dj in NEIGHBOURS:
                neighbour = (link[0] + di, link[1] + dj)
                if neighbour in union and any(free(neighbour)):
                    links.add(neighbour)
    if method == "grow-diag-final":
        for link in sorted(union):
            if any(free(link)):
                links.add(link)
    if method == "grow-diag-final-and":
        for link in sorted(union):
            if all(free(link)):
                links.add(link)
    return links


@st.composite
def two_directions(draw: st.DrawFn) -> tuple[Link, set[Link], set[Link]]:
    size = (draw(st.integers(1, 6)), draw(st.integers(1, 6)))
    link = st.tuples(st.integers(0, size[0] - 1), st.integers(0, size[1] - 1))
    return size, draw(st.sets(link, max_size=12)), draw(st.sets(link, max_size=12))


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=40)
@given(cases=st.lists(two_directions(), min_size=1, max_size=4))
def test_every_method_follows_its_definition(
    method: Symmetrization, cases: list[tuple[Link, set[Link], set[Link]]]
) -> None:
    source = Sentences.from_lists([[0] * size[0] for size, _, _ in cases])
    target = Sentences.from_lists([[0] * size[1] for size, _, _ in cases])
    forward = Alignments.from_lists([links for _, links, _ in cases])
    reverse = Alignments.from_lists([links for _, _, links in cases])
    found = symmetrize(forward, reverse, source, target, method)
    assert len(found) == len(cases)
    for links, (size, forward_links, reverse_links) in zip(found, cases, strict=True):
        assert links.tolist() == [
            list(link) for link in sorted(slow(forward_links, reverse_links, size, method))
        ]


def test_best_positions_become_sorted_links() -> None:
    side = Sentences.from_lists([[0, 0], [], [0, 0, 0]])
    positions = np.array([1, 0, -1, 2, 1], np.int32)
    to_source, to_target = links_to_source(positions, side), links_to_target(positions, side)
    assert [x.tolist() for x in to_source] == [[[0, 1], [1, 0]], [], [[1, 2], [2, 1]]]
    assert [x.tolist() for x in to_target] == [[[0, 1], [1, 0]], [], [[1, 2], [2, 1]]]

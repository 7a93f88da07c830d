"""Chains of the sampling aligner drawn apart, wherever an engine runs its tasks: the same links."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from test_align_sampler import OPTIONS, PRIORS, noisy_bitext, with_sampler
from test_train_on_cluster import Killing

from calque import _core
from calque.align import align, align_sets
from calque.config.align import AlignOptions
from calque.errors import CalqueError, OptionError
from calque.parallel import Engine, Here, Processes
from calque.text import Sentences
from calque.text.shared_folder import Cluster, SharedFolder, cluster_beside

FEW_SWEEPS = with_sampler(
    chains=3, model1_sweeps=2, hmm_sweeps=1, fertility_sweeps=4, averaged_sweeps=2
)
CHANGES = [
    {},
    {"chains": 1},
    {"averaged_sweeps": 30},  # more than there are
    {"seed": 7, "fertility_sweeps": 1},
]


@pytest.fixture(scope="module")
def processes() -> Iterator[Engine]:
    with Processes(2) as engine:
        yield engine


def bytes_of(found: Any) -> bytes:
    return bytes(found.links.tobytes() + found.offsets.tobytes())


@pytest.mark.parametrize("reverse", [False, True])
def test_chains_drawn_apart_are_those_drawn_side_by_side(reverse: bool) -> None:
    source, target, _ = noisy_bitext(200)
    sides = source.ids, source.offsets, target.ids, target.offsets
    pairs = _core.WordPairs(*sides, max_words=20, threads=1)
    again = _core.WordPairs(
        *sides, max_words=20, threads=1, pairs=_core.pair_arrays(*sides, max_words=20, threads=1)
    )

    def swept(pairs: _core.WordPairs, **which: int) -> _core.LinkSampler:
        options: dict[str, Any] = {**PRIORS, "reverse": reverse, "batch": 0, "seed": 3, **which}
        sampler = _core.LinkSampler(pairs, **options)
        for kind in ("model1", "hmm", "fertility", "fertility"):
            sampler.sweep(kind, kind == "fertility", 1)
        return sampler

    together = swept(pairs, chains=3)
    apart = [swept(again, chains=1, first_chain=number) for number in range(3)]
    for number, sampler in enumerate(apart):
        np.testing.assert_array_equal(sampler.links(0), together.links(number))
    expected, means = together.best_links(), together.marginals()
    first, second, third = (sampler.take_marginals() for sampler in apart)
    sums = first + second + third
    np.testing.assert_array_equal(_core.best_links(pairs, reverse, sums, 6), expected)
    np.testing.assert_allclose(sums / 2**20 / 6, means, rtol=1e-6)
    np.testing.assert_array_equal(sums, together.take_marginals())
    assert len(together.take_marginals()) == 0


@pytest.mark.parametrize("changes", CHANGES)
def test_links_are_the_same_through_files(tmp_path: Path, changes: dict[str, int]) -> None:
    source, target, _ = noisy_bitext(100)
    options = replace(FEW_SWEEPS, sampler=replace(FEW_SWEEPS.sampler, **changes), max_words=9)
    cluster = Cluster(Here(1), SharedFolder(tmp_path))
    [found] = align_sets(source, target, options, 1, cluster=cluster)
    assert bytes_of(found) == bytes_of(align(source, target, options, 2))
    assert not list(tmp_path.iterdir()), "what is no longer needed is gone"


def test_links_are_the_same_where_a_worker_is_lost(processes: Engine, tmp_path: Path) -> None:
    source, target, _ = noisy_bitext(150)
    options = replace(FEW_SWEEPS, aligner="hmm, sampler")
    marks = tmp_path / "marks"
    marks.mkdir()
    killing = Killing(processes, marks)
    with cluster_beside(tmp_path / "model", killing) as cluster:
        found = align_sets(source, target, options, 1, cluster=cluster)
    assert len(list(marks.iterdir())) == killing.n_maps
    expected = align_sets(source, target, options, 1)
    assert list(map(bytes_of, found)) == list(map(bytes_of, expected))
    assert list(tmp_path.iterdir()) == [marks]


def test_a_bitext_without_pairs_of_words_has_no_links(tmp_path: Path) -> None:
    cluster = Cluster(Here(1), SharedFolder(tmp_path))
    for source, target in (([[]], [[]]), ([[0], []], [[], [1]])):
        sides = Sentences.from_lists(source), Sentences.from_lists(target)
        [found] = align_sets(*sides, FEW_SWEEPS, 1, cluster=cluster)
        assert [links.tolist() for links in found] == [[]] * len(source)


def test_more_sweeps_than_a_sum_can_hold_are_refused() -> None:
    options: AlignOptions = with_sampler(chains=100, averaged_sweeps=41, fertility_sweeps=41)
    with pytest.raises(OptionError, match="100 chains times 41 averaged sweeps are 4,100"):
        options.check()
    replace(OPTIONS, sampler=replace(OPTIONS.sampler, chains=39, averaged_sweeps=105)).check()


def test_marginals_and_options_that_do_not_fit_are_refused() -> None:
    words, at = np.array([0, 1], np.int32), np.array([0, 2])
    pairs = _core.WordPairs(words, at, words, at, max_words=9, threads=1)
    few: NDArray[np.uint32] = np.zeros(3, np.uint32)
    with pytest.raises(CalqueError, match="marginals"):
        _core.best_links(pairs, False, few, 1)
    options: dict[str, Any] = {**PRIORS, "reverse": False, "batch": 0, "seed": 1}
    with pytest.raises(CalqueError, match="first_chain"):
        _core.LinkSampler(pairs, **options, chains=1, first_chain=-1)
    sampler = _core.LinkSampler(pairs, **options, chains=819)
    for _ in range(5):
        sampler.sweep("hmm", True, 1)
    with pytest.raises(CalqueError, match="more than 4095 sweeps"):
        sampler.sweep("hmm", True, 1)

"""The table finds every phrase it has, none that it lacks, and refuses arrays that misfit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from blocks_reference import Pair, corpora, equal, few, to_arrays
from hypothesis import given

from calque.blocks import BlockTable, extract
from calque.errors import ModelError

PAIRS: list[Pair] = [([3, 4, 5], [6, 7], [(0, 0), (2, 1)]), ([4, 3], [7, 6], [(0, 0), (1, 1)])]


@few
@given(corpora)
def test_every_source_phrase_is_found_and_no_other(pairs: list[Pair]) -> None:
    table = extract(*to_arrays(pairs), threads=1)
    phrases = [tuple(table.source(i).tolist()) for i in range(table.n_sources)]
    assert [table.find(list(phrase)) for phrase in phrases] == list(range(len(phrases)))
    for absent in ([2], [3, 99], [], [4] * 9, [-1]):
        assert table.find(absent) == (
            phrases.index(tuple(absent)) if tuple(absent) in phrases else -1
        )
    assert sorted(phrases, key=lambda phrase: (len(phrase), phrase)) == phrases


def test_a_table_maps_from_disk_as_it_was(tmp_path: Path) -> None:
    table = extract(*to_arrays(PAIRS))
    for name, array in table.to_arrays().items():
        np.save(tmp_path / f"{name}.npy", array)
    mapped = BlockTable.from_arrays(
        {file.stem: np.load(file, mmap_mode="r") for file in tmp_path.iterdir()}
    )
    assert equal(table, mapped)
    assert isinstance(mapped.scores, np.memmap)
    assert mapped.find([3, 4, 5]) == table.find([3, 4, 5]) >= 0


@pytest.mark.parametrize("name", list(extract(*to_arrays(PAIRS)).to_arrays()))
def test_an_array_that_misfits_is_named(name: str) -> None:
    arrays = extract(*to_arrays(PAIRS)).to_arrays()
    whole = arrays[name]
    for wrong in (whole[:-1] if len(whole) > 2 else whole[:0], whole.astype(np.float64)):
        if name in ("joint_counts", "source_counts") and len(wrong) == 0:
            continue
        with pytest.raises(ModelError, match=r"block table: '\w+'"):
            BlockTable.from_arrays({**arrays, name: wrong})
    del arrays[name]
    with pytest.raises(ModelError, match=f"lacks the array '{name}'"):
        BlockTable.from_arrays(arrays)

"""On the same alignments, our table is the one that Moses makes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from calque.blocks import BlockTable, extract, read_moses_table
from calque.config.blocks import BlockOptions
from calque.text import CorpusEncoder, Sentences, Vocabulary, offsets_of, read_blocks, read_lines

DATA = Path(__file__).parents[1].parent / "shared" / "data"
MODEL = DATA / "moses" / "eutrans.model"
pytestmark = pytest.mark.skipif(not MODEL.exists(), reason=f"needs {MODEL}")


def encode(path: Path) -> tuple[Vocabulary, Sentences]:
    encoder = CorpusEncoder()
    for block in read_blocks(path):
        encoder.feed(block)
    return encoder.finish()


@pytest.fixture(scope="module")
def tables() -> tuple[BlockTable, BlockTable]:
    """Our table without the blocks that were made, and Moses's."""
    source_words, source = encode(DATA / "eutrans" / "train.es")
    target_words, target = encode(DATA / "eutrans" / "train.en")
    rows = [
        sorted(tuple(map(int, point.split("-"))) for point in line.split())
        for line in read_lines(DATA / "moses" / "eutrans.eflomal.gdfa.gz")
    ]
    links = np.array([link for row in rows for link in row], np.int32)
    offsets = offsets_of([len(row) for row in rows])
    ours = extract(source, target, links, offsets, BlockOptions(max_targets=None))
    moses, *_ = read_moses_table(
        MODEL / "phrase-table.gz", MODEL / "reordering-table.gz", source_words, target_words
    )
    return ours, moses


@pytest.fixture(scope="module")
def same(tables: tuple[BlockTable, BlockTable]) -> tuple[list[int], list[int]]:
    """The blocks of both tables, pair by pair; made blocks are left out."""
    ours, moses = (
        {
            (tuple(table.source(source).tolist()), tuple(table.target(block).tolist())): block
            for source in range(table.n_sources)
            for block in table.blocks(source)
            if table.joint_counts[block] > 0
        }
        for table in tables
    )
    assert ours.keys() == moses.keys()
    return list(ours.values()), [moses[pair] for pair in ours]


def test_the_phrase_pairs_are_the_same(same: tuple[list[int], list[int]]) -> None:
    assert len(same[0]) == 85_236


def test_the_counts_are_the_same(
    tables: tuple[BlockTable, BlockTable], same: tuple[list[int], list[int]]
) -> None:
    for counts in (
        lambda table: table.joint_counts,
        lambda table: table.target_counts[table.target_phrase],
        lambda table: np.repeat(table.source_counts, np.diff(table.block_offsets)),
    ):
        ours, moses = (counts(table)[blocks] for table, blocks in zip(tables, same, strict=True))
        assert np.array_equal(ours, moses)


def test_the_scores_are_the_same(
    tables: tuple[BlockTable, BlockTable], same: tuple[list[int], list[int]]
) -> None:
    ours, moses = (table.scores[blocks] for table, blocks in zip(tables, same, strict=True))
    error = np.abs(np.expm1(ours - moses))
    assert error[:, [0, 2]].max() < 1e-5  # six printed digits
    # Moses rounds word probabilities to seven decimals before it multiplies them.
    assert (error < 1e-4).mean() > 0.999
    assert error.max() < 1e-3


def test_the_orientations_are_the_same(
    tables: tuple[BlockTable, BlockTable], same: tuple[list[int], list[int]]
) -> None:
    ours, moses = (table.orientation[blocks] for table, blocks in zip(tables, same, strict=True))
    assert np.abs(np.expm1(ours - moses)).max() < 1e-5


def test_the_inner_alignments_are_the_same(
    tables: tuple[BlockTable, BlockTable], same: tuple[list[int], list[int]]
) -> None:
    for ours, moses in zip(*same, strict=True):
        assert np.array_equal(tables[0].inner_links(ours), tables[1].inner_links(moses))

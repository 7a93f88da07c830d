"""Block tables from and to the text tables of Moses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from calque import _core
from calque.blocks.table import WIDTHS, BlockTable
from calque.errors import CalqueError, FileError, LineError
from calque.progress import SILENT, Progress
from calque.text import RESERVED, Vocabulary, open_output, read_blocks

LINES_PER_PIECE = 20_000


def read_moses_table(
    phrase_table: Path | str,
    reordering_table: Path | str | None = None,
    source_vocabulary: Vocabulary | None = None,
    target_vocabulary: Vocabulary | None = None,
    *,
    progress: Progress = SILENT,
) -> tuple[BlockTable, Vocabulary, Vocabulary]:
    """The table of a Moses phrase table and msd-bidirectional-fe reordering table, and its words.

    Words keep the ids of the vocabularies given; new ones come behind, in order of appearance.
    Counts are empty where the text has none, and so are orientations without a reordering table;
    orientation counts always are. Raises `FileError` or `LineError`: for a wrong number of fields
    or scores, scores that are no numbers or not above 0, empty phrases, alignment points outside
    the phrases, phrase pairs that come twice or in one of the two tables only.
    """
    reader = _core.MosesReader(_word_table(source_vocabulary), _word_table(target_vocabulary))
    with progress.stage("read phrase table"):
        _feed(phrase_table, reader.add_phrases)
    if reordering_table is not None:
        with progress.stage("read reordering table"):
            _feed(reordering_table, reader.add_orientations)
        if line := reader.line_without_orientation():
            raise FileError(
                reordering_table, f"lacks the phrase pair of {phrase_table}, line {line}"
            )
    arrays = reader.finish()
    arrays |= {name: arrays[name].reshape(-1, width) for name, width in WIDTHS.items()}
    slots = np.empty(2 * _core.n_slots(len(arrays["source_offsets"]) - 1), np.int32)
    _core.index_sources(arrays["source_words"], arrays["source_offsets"], slots)
    table = BlockTable.from_arrays({**arrays, "slots": slots})
    return table, _vocabulary(reader.source_table), _vocabulary(reader.target_table)


def write_moses_tables(
    table: BlockTable,
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    phrase_table: Path | str,
    reordering_table: Path | str | None = None,
    *,
    progress: Progress = SILENT,
) -> None:
    """Write the table as text that Moses and `read_moses_table` read; `.gz` is compressed.

    Lines are sorted as bytes (`LC_ALL=C sort`), as Moses's binarisers want them. Numbers have as
    many digits as reading the same scores back takes.
    """
    if reordering_table is not None and len(table.orientation) == 0 and len(table) > 0:
        raise CalqueError(f"{reordering_table}: the block table has no orientations to write")
    for vocabulary in (source_vocabulary, target_vocabulary):
        if "|||" in vocabulary:
            raise CalqueError("the word '|||' cannot stand in a Moses table, where it ends a field")
    words = _word_table(source_vocabulary), _word_table(target_vocabulary)
    order = _core.moses_order(table.core, *words)
    outputs = [("write phrase table", phrase_table, _core.moses_phrases)]
    if reordering_table is not None:
        outputs.append(("write reordering table", reordering_table, _core.moses_orientations))
    for name, path, lines_of in outputs:
        with progress.stage(name, len(order)) as stage, open_output(path) as file:
            for first in range(0, len(order), LINES_PER_PIECE):
                piece = order[first : first + LINES_PER_PIECE]
                file.write(lines_of(table.core, piece, *words))
                stage.advance(len(piece))


def _feed(path: Path | str, add: Callable[[str], tuple[int, str]]) -> None:
    for text in read_blocks(path):
        line, problem = add(text)
        if problem:
            raise LineError(path, line, problem)


def _word_table(vocabulary: Vocabulary | None) -> _core.WordTable:
    table = _core.WordTable()
    for word in RESERVED if vocabulary is None else vocabulary:
        table.add(word)
    return table


def _vocabulary(table: _core.WordTable) -> Vocabulary:
    return Vocabulary([table.word(id) for id in range(len(RESERVED), len(table))])

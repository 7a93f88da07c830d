"""Block tables from and to the text tables of Moses."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from calque import _core
from calque.blocks.table import PREFIXES, WIDTHS, BlockTable, index_prefixes
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
    with_gaps: bool = False,
    classes: dict[str, str] | None = None,
    progress: Progress = SILENT,
) -> tuple[BlockTable, Vocabulary, Vocabulary]:
    """The table of a Moses phrase table and msd-bidirectional-fe reordering table, and its words.

    Words keep the ids of the vocabularies given; new ones come behind, in order of appearance.
    Counts are empty where the text has none, and so are orientations without a reordering table;
    orientation counts always are. Raises `FileError` or `LineError`: for a wrong number of fields
    or scores, scores that are no numbers or not above 0, empty phrases, alignment points outside
    the phrases, phrase pairs that come twice or in one of the two tables only.

    With gaps the table is one of rules (`rule-table`): `[X][X]` is a gap, both sides end with
    `[X]`, and alignment points between gaps say which is which.

    With `classes` every target word of the phrase table has a second factor, `word|class`. The
    classes of the words are put there; a word must have the same one everywhere.
    """
    words = _word_table(source_vocabulary), _word_table(target_vocabulary)
    reader = _core.MosesReader(*words, with_gaps)
    with progress.stage("read phrase table"):
        _feed(phrase_table, reader.add_phrases, classes)
    if reordering_table is not None:
        with progress.stage("read reordering table"):
            _feed(reordering_table, reader.add_orientations)
        if line := reader.line_without_orientation():
            raise FileError(
                reordering_table, f"lacks the phrase pair of {phrase_table}, line {line}"
            )
    return finished(reader, with_gaps)


def finished(
    reader: _core.MosesReader, with_gaps: bool
) -> tuple[BlockTable, Vocabulary, Vocabulary]:
    """The table of what a reader has read, and its words."""
    arrays = reader.finish()
    arrays |= {name: arrays[name].reshape(-1, width) for name, width in WIDTHS.items()}
    slots = np.empty(2 * _core.n_slots(len(arrays["source_offsets"]) - 1), np.int32)
    _core.index_sources(arrays["source_words"], arrays["source_offsets"], slots)
    if with_gaps:
        prefixes = index_prefixes(arrays["source_words"], arrays["source_offsets"])
        arrays |= dict(zip(PREFIXES, prefixes, strict=True))
    table = BlockTable.from_arrays({**arrays, "slots": slots})
    return table, _vocabulary(reader.source_table), _vocabulary(reader.target_table)


def write_moses_tables(
    table: BlockTable,
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    phrase_table: Path | str | None,
    reordering_table: Path | str | None = None,
    *,
    with_gaps: bool = False,
    progress: Progress = SILENT,
) -> None:
    """Write the table as text that Moses and `read_moses_table` read; `.gz` is compressed.

    Lines are sorted as bytes (`LC_ALL=C sort`), as Moses's binarisers want them. Numbers have as
    many digits as reading the same scores back takes. A table without a path is not written.
    With gaps the phrase table becomes one of rules.
    """
    if reordering_table is not None and len(table.orientation) == 0 and len(table) > 0:
        raise CalqueError(f"{reordering_table}: the block table has no orientations to write")
    for vocabulary in (source_vocabulary, target_vocabulary):
        if "|||" in vocabulary:
            raise CalqueError("the word '|||' cannot stand in a Moses table, where it ends a field")
        if with_gaps and (labels := [word for word in vocabulary if _is_label(word)]):
            raise CalqueError(
                f"the word '{labels[0]}' cannot stand in a Moses table of rules, where it would be"
                " a label"
            )
    words = _word_table(source_vocabulary), _word_table(target_vocabulary)
    order = _core.moses_order(table.core, *words, with_gaps)
    outputs = (
        ("write phrase table", phrase_table, partial(_core.moses_phrases, with_gaps=with_gaps)),
        ("write reordering table", reordering_table, _core.moses_orientations),
    )
    for name, path, lines_of in outputs:
        if path is None:
            continue
        with progress.stage(name, len(order)) as stage, open_output(path) as file:
            for first in range(0, len(order), LINES_PER_PIECE):
                piece = order[first : first + LINES_PER_PIECE]
                file.write(lines_of(table.core, piece, *words))
                stage.advance(len(piece))


def _is_label(word: str) -> bool:
    """Whether Moses would take a word of a rule for a label."""
    return len(word) > 2 and word[0] == "[" and word[-1] == "]"


def _feed(
    path: Path | str,
    add: Callable[[str], tuple[int, str]],
    classes: dict[str, str] | None = None,
) -> None:
    n_lines = 0
    for text in read_blocks(path):
        if classes is not None:
            text, n_lines = _without_classes(path, text, n_lines, classes)
        line, problem = add(text)
        if problem:
            raise LineError(path, line, problem)


def _without_classes(
    path: Path | str, text: str, n_lines: int, classes: dict[str, str]
) -> tuple[str, int]:
    """Lines of a phrase table without the classes of target words, which join `classes`."""
    lines = []
    for line in text.split("\n")[:-1]:
        n_lines += 1
        source, *rest = line.split(" ||| ")
        words = []
        for factors in rest[0].split() if rest else ():
            if _is_label(factors):  # of a rule, which has no factors
                words.append(factors)
                continue
            word, bar, name = factors.rpartition("|")
            if not bar or classes.setdefault(word, name) != name:
                other = f", but '{word}|{classes[word]}' before" if bar else ""
                raise LineError(
                    path, n_lines, f"'{factors}'{other}: expected word|class, one class per word"
                )
            words.append(word)
        lines.append(" ||| ".join([source, " ".join(words), *rest[1:]]) + "\n")
    return "".join(lines), n_lines


def _word_table(vocabulary: Vocabulary | None) -> _core.WordTable:
    table = _core.WordTable()
    for word in RESERVED if vocabulary is None else vocabulary:
        table.add(word)
    return table


def _vocabulary(table: _core.WordTable) -> Vocabulary:
    return Vocabulary([table.word(id) for id in range(len(RESERVED), len(table))])

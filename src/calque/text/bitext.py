"""Where parallel text comes from: two files, a table, a translation memory, or two lists.

Every source of bitext has `paths` (none where it is in memory) and `blocks`, an iterator over pairs
of a block of source lines and a block of target lines. The sides are read side by side but cut
where it suits each: line i of all source blocks together belongs to line i of all target blocks
together, and both have the same number of lines, or `blocks` ends with an error that says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import TypeAlias

from calque.errors import CalqueError, FileError, LineError, OptionError
from calque.progress import Stage
from calque.text.compression import SUFFIXES
from calque.text.files import n_bytes, read_blocks
from calque.text.given import checked_sentences
from calque.text.tmx import read_units

_UNITS_PER_BLOCK = 10_000


@dataclass(frozen=True)
class BitextFiles:
    """Two text files; line i of one is the translation of line i of the other."""

    source: Path
    target: Path

    @property
    def paths(self) -> list[Path]:
        """The files that are read."""
        return [self.source, self.target]

    def blocks(self, stage: Stage | None = None) -> Iterator[tuple[str, str]]:
        """Blocks of source and target lines; the side that ends first goes on with ''."""
        n_source = n_target = 0
        sides = (read_blocks(path, stage) for path in self.paths)
        for source, target in zip_longest(*sides, fillvalue=""):
            n_source += source.count("\n")
            n_target += target.count("\n")
            yield source, target
        for path, n_lines in ((self.source, n_source), (self.target, n_target)):
            if n_lines == 0:
                raise _is_empty(path)
        if n_source != n_target:
            problem = f"has {n_source:,} lines, but {self.target} has {n_target:,}"
            raise FileError(self.source, f"{problem}; expected one translation per line")


@dataclass(frozen=True)
class BitextTsv:
    """One text file with a source sentence, a tab and its translation on every line."""

    path: Path

    @property
    def paths(self) -> list[Path]:
        """The files that are read."""
        return [self.path]

    def blocks(self, stage: Stage | None = None) -> Iterator[tuple[str, str]]:
        """Blocks of source and target lines."""
        n_lines = 0
        for block in read_blocks(self.path, stage):
            rows = [line.split("\t") for line in block[:-1].split("\n")]
            for line, row in enumerate(rows, n_lines + 1):
                if len(row) != 2:
                    columns = "1 column" if len(row) == 1 else f"{len(row)} columns"
                    raise LineError(self.path, line, f"{columns}, expected 2 separated by a tab")
            sources, targets = zip(*rows, strict=True)
            yield "\n".join(sources) + "\n", "\n".join(targets) + "\n"
            n_lines += len(rows)
        if n_lines == 0:
            raise _is_empty(self.path)


@dataclass(frozen=True)
class BitextTmx:
    """A translation memory in TMX; languages are codes or beginnings of them (`de`, `de-AT`).

    A unit that has only one of the languages gives a pair with an empty side, which cleaning drops
    and counts; a unit with neither gives none.
    """

    path: Path
    source_language: str
    target_language: str

    @property
    def paths(self) -> list[Path]:
        """The files that are read."""
        return [self.path]

    def blocks(self, stage: Stage | None = None) -> Iterator[tuple[str, str]]:
        """Blocks of source and target lines."""
        wanted = (self.source_language, self.target_language)
        present: set[str] = set()
        pairs: list[tuple[str | None, ...]] = []
        for unit in read_units(self.path, stage):
            present.update(unit)
            pair = tuple(_text(unit, language) for language in wanted)
            if pair != (None, None):
                pairs.append(pair)
            if len(pairs) == _UNITS_PER_BLOCK:
                yield _blocks(pairs)
                pairs.clear()
        for language in wanted:
            if not any(_matches(code, language) for code in present):
                languages = ", ".join(sorted(present)) or "none"
                problem = f"no text in language '{language}'; languages present: {languages}"
                raise FileError(self.path, problem)
        if pairs:
            yield _blocks(pairs)


@dataclass(frozen=True)
class BitextLists:
    """Two lists in memory; sentence i of one is the translation of sentence i of the other."""

    source: Sequence[str]
    target: Sequence[str]

    @classmethod
    def of(cls, source: Iterable[str], target: Iterable[str]) -> BitextLists:
        """Checked copies of these sentences."""
        pair = cls(checked_sentences(source, "source"), checked_sentences(target, "target"))
        n_source, n_target = len(pair.source), len(pair.target)
        if n_source != n_target:
            problem = f"source has {n_source:,} sentences, but target has {n_target:,}"
            raise CalqueError(f"{problem}; expected one translation per sentence")
        if n_source == 0:
            raise CalqueError("source and target are empty: expected at least one sentence pair")
        return pair

    @property
    def paths(self) -> list[Path]:
        """No files."""
        return []

    def blocks(self, stage: Stage | None = None) -> Iterator[tuple[str, str]]:
        """Blocks of source and target lines."""
        for first in range(0, len(self.source), _UNITS_PER_BLOCK):
            some = slice(first, first + _UNITS_PER_BLOCK)
            yield _blocks(list(zip(self.source[some], self.target[some], strict=True)))


BitextSource: TypeAlias = BitextFiles | BitextTsv | BitextTmx | BitextLists


def bitext_in(path: Path, source_language: str, target_language: str) -> BitextTsv | BitextTmx:
    """The parallel text of one file, whose name tells whether it is TSV or TMX."""
    suffixes = [suffix.lower() for suffix in path.suffixes if suffix.lower() not in SUFFIXES]
    if suffixes[-1:] == [".tsv"]:
        return BitextTsv(path)
    if suffixes[-1:] != [".tmx"]:
        raise OptionError(
            f"{path}: expected a file name that ends in .tsv or .tmx (or, compressed, in"
            f" {', '.join(SUFFIXES)} after that)"
        )
    if not source_language or not target_language:
        raise OptionError(
            f"{path}: a TMX file needs --source-language and --target-language"
            " (text.source_language and text.target_language)"
        )
    return BitextTmx(path, source_language, target_language)


def size_of(text: BitextSource) -> int | None:
    """The bytes on disk that `blocks` will advance its stage by, or `None` where unknown."""
    if not text.paths:
        return None
    sizes = [n_bytes(path) for path in text.paths]
    return None if None in sizes else sum(size or 0 for size in sizes)


def _blocks(pairs: Sequence[tuple[str | None, ...]]) -> tuple[str, str]:
    source, target = (
        "".join([f"{text or ''}\n" for text in side]) for side in zip(*pairs, strict=True)
    )
    return source, target


def _text(unit: dict[str, str], language: str) -> str | None:
    """The text of a unit in the first of its languages that matches."""
    return next((text for code, text in unit.items() if _matches(code, language)), None)


def _matches(code: str, language: str) -> bool:
    """Whether `language` is `code` or whole first parts of it: `de` and `de-at` match `de-AT`."""
    code, language = (name.lower().replace("_", "-") for name in (code, language))
    return code == language or code.startswith(language + "-")


def _is_empty(path: Path) -> FileError:
    return FileError(path, "is empty, expected at least one line")

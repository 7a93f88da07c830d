"""Synonyms from the text files of WordNet in a folder of the user's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from calque.errors import FileError, LineError

PARTS = ("noun", "verb", "adj", "adv")
ENDINGS = {
    "noun": (
        ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"),
        ("men", "man"), ("ies", "y"),
    ),
    "verb": (
        ("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"),
        ("ing", ""),
    ),
    "adj": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "adv": (),
}  # fmt: skip
"""How inflected forms end, and their lemmas."""


class WordNet:
    """The synsets of words: two words are synonyms where they share one.

    Reads `index.noun`, `index.verb`, `index.adj` and `index.adv`, and the exceptions `noun.exc` and
    so on where they are present. The index names the synsets of every lemma; the glosses in
    `data.*` are not needed.
    """

    def __init__(self, folder: Path | str) -> None:
        folder = Path(folder)
        if not folder.is_dir():
            raise FileError(folder, "no such folder, expected WordNet's files index.noun ..")
        self._numbers: dict[tuple[str, str], int] = {}
        self._synsets = {part: self._read_index(folder / f"index.{part}", part) for part in PARTS}
        self._exceptions = {part: _read_exceptions(folder / f"{part}.exc") for part in PARTS}

    def synsets(self, word: str) -> list[int]:
        """The numbers of the synsets of a word and of its lemmas, sorted."""
        offsets: set[int] = set()
        for part in PARTS:
            index = self._synsets[part]
            for lemma in self._lemmas(word.lower(), part):
                offsets.update(index.get(lemma, ()))
        return sorted(offsets)

    def _lemmas(self, word: str, part: str) -> Iterator[str]:
        yield word
        yield from self._exceptions[part].get(word, ())
        for ending, lemma_ending in ENDINGS[part]:
            if word.endswith(ending) and len(word) > len(ending):
                yield word.removesuffix(ending) + lemma_ending

    def _read_index(self, path: Path, part: str) -> dict[str, tuple[int, ...]]:
        index = {}
        for number, line in enumerate(_read(path), 1):
            if line.startswith("  ") or not line.strip():  # the licence
                continue
            fields = line.split()
            # lemma part n_synsets n_pointers pointer.. n_senses n_tagged offset..
            try:
                n_synsets, n_pointers = int(fields[2]), int(fields[3])
                offsets = fields[6 + n_pointers :]
            except (IndexError, ValueError):
                n_synsets, offsets = -1, []
            if len(offsets) != n_synsets:
                raise LineError(path, number, "expected a lemma of WordNet's index and its synsets")
            index[fields[0]] = tuple(
                self._numbers.setdefault((part, offset), len(self._numbers)) for offset in offsets
            )
        return index


def _read_exceptions(path: Path) -> dict[str, list[str]]:
    if not path.exists():
        return {}
    rows = (line.split() for line in _read(path))
    return {row[0]: row[1:] for row in rows if row}


def _read(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        raise FileError(path, "no such file, expected WordNet's index") from None
    except UnicodeDecodeError:
        raise FileError(path, "is not text, expected WordNet's files") from None
    except OSError as error:
        raise FileError(path, error.strerror or str(error)) from error

"""Corpora to reproduce papers on: a folder of the user, or the generated one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from calque.data import PAIRS, SPLITS, CorpusFiles, write_corpus
from calque.errors import CalqueError, FileError, OptionError
from calque.progress import SILENT, Progress
from calque.text import read_lines, write_lines

ENGLISH = ("en", "eng")
"""The target language by default."""


@dataclass(frozen=True)
class Text:
    """Sentences and one or more complete sets of references, each a file."""

    name: str
    source: Path
    references: tuple[Path, ...]

    @cached_property
    def sentences(self) -> Sequence[str]:
        """The source sentences."""
        return list(read_lines(self.source))

    @cached_property
    def reference_lines(self) -> Sequence[Sequence[str]]:
        """The references, set by set."""
        return [list(read_lines(path)) for path in self.references]

    @cached_property
    def digest(self) -> str:
        """Tells this text from every other, by content."""
        checksum = hashlib.sha256()
        for path in (self.source, *self.references):
            checksum.update(hashlib.sha256(path.read_bytes()).digest())
        return checksum.hexdigest()

    def check(self) -> None:
        """Raise `FileError` where lines do not belong together, or there are none."""
        if not self.sentences:
            raise FileError(self.source, "is empty, expected one sentence per line")
        for path, lines in zip(self.references, self.reference_lines, strict=True):
            if len(lines) != len(self.sentences):
                raise FileError(
                    path,
                    f"has {len(lines):,} lines, but {self.source.name} has"
                    f" {len(self.sentences):,}: expected equal numbers",
                )

    @property
    def n_words(self) -> tuple[int, int]:
        """Words of the source, and of all references together."""
        target = sum(len(line.split()) for lines in self.reference_lines for line in lines)
        return sum(len(line.split()) for line in self.sentences), target


@dataclass(frozen=True)
class Corpus:
    """Text to learn a model from, text to tune on, text to test on."""

    name: str
    source_language: str
    target_language: str
    train: Text
    dev: Text
    test: Text

    @property
    def texts(self) -> tuple[Text, Text, Text]:
        """All three."""
        return self.train, self.dev, self.test

    @property
    def unknown_share(self) -> float:
        """Of the words of the test text, those that the training text does not have."""
        known = {word for line in self.train.sentences for word in line.split()}
        words = [word for line in self.test.sentences for word in line.split()]
        return sum(word not in known for word in words) / max(1, len(words))


def read_corpus(folder: Path | str, languages: str | None = None) -> Corpus:
    """The corpus of a folder with `train.de`, `train.en`, `dev.de`, `dev.en`, `test.de`, `test.en`.

    The dev and test texts may have several references: `dev.en.0`, `dev.en.1` and so on.
    `languages` is `de-en`, source first; without, English is the target. Raises `CalqueError` that
    says what is missing.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise FileError(folder, "no such folder: expected one with train.de, train.en, dev.de, ...")
    source, target = _languages(folder, languages)
    texts = {}
    for split in SPLITS:
        references = _references(folder, split, target)
        text = Text(split, folder / f"{split}.{source}", references)
        for path in (text.source, *references):
            if not path.is_file():
                raise FileError(path, f"no such file: a corpus has {split}.{source} and .{target}")
        text.check()
        texts[split] = text
    return Corpus(folder.resolve().name, source, target, **texts)


def first_lines(text: Text, n: int, folder: Path) -> Text:
    """The beginning of a text with one reference, written to a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    sides = {"source": text.sentences, "target": text.reference_lines[0]}
    paths = {side: folder / f"{text.digest[:8]}.{n}.{side}" for side in sides}
    for side, lines in sides.items():
        if not paths[side].exists():
            write_lines(paths[side], lines[:n])
    return Text(text.name, paths["source"], (paths["target"],))


def generated_corpus(
    folder: Path | str,
    pair: str,
    sizes: Mapping[str, int],
    workers: int = 1,
    progress: Progress = SILENT,
) -> Corpus:
    """The generated corpus of a pair of languages, with sizes by split; written where it is not."""
    folder, about = Path(folder), PAIRS[pair]
    try:
        corpus = read_corpus(folder, f"{about.source}-{about.target}")
        if all(len(text.sentences) == sizes[text.name] for text in corpus.texts):
            return corpus
    except CalqueError:
        pass
    return _of_files(write_corpus(folder, pair, sizes, workers=workers, progress=progress), pair)


def _of_files(files: CorpusFiles, pair: str) -> Corpus:
    about = PAIRS[pair]
    return Corpus(
        pair,
        about.source,
        about.target,
        Text("train", files.train_source, (files.train_target,)),
        Text("dev", files.dev_source, files.dev_references),
        Text("test", files.test_source, files.test_references),
    )


def _languages(folder: Path, languages: str | None) -> tuple[str, str]:
    """The codes that end the names of files, source first."""
    codes = sorted({path.name.split(".")[1] for path in folder.glob("train.*")})
    if languages is not None:
        source, dash, target = languages.partition("-")
        if not (source and dash and target) or source == target:
            raise OptionError(f"--languages {languages}: expected SOURCE-TARGET, such as de-en")
        return source, target
    english = [code for code in codes if code in ENGLISH]
    others = [code for code in codes if code not in ENGLISH]
    if len(english) == 1 and len(others) == 1:
        return others[0], english[0]
    there = ", ".join(f"train.{code}" for code in codes) or "no train files"
    raise CalqueError(
        f"{folder}: has {there}: expected two, one of them train.en; or say which languages"
        " (--languages de-fr)"
    )


def _references(folder: Path, split: str, target: str) -> tuple[Path, ...]:
    """`dev.en`, or `dev.en.0`, `dev.en.1` and so on in their order."""
    single = folder / f"{split}.{target}"
    numbered = [path for path in folder.glob(f"{split}.{target}.*") if path.suffix[1:].isdigit()]
    if single.exists() or not numbered or split == "train":
        return (single,)
    return tuple(sorted(numbered, key=lambda path: int(path.suffix[1:])))

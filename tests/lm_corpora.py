"""What the tests of language models share: corpora, an ARPA file as a dictionary."""

from __future__ import annotations

from pathlib import Path

import pytest

from calque.config.lm import LmOptions
from calque.lm import LanguageModel, estimate
from calque.progress import Silent
from calque.text import CorpusEncoder, Sentences, Vocabulary, read_blocks, read_lines

DATA = Path(__file__).parents[1].parent / "shared" / "data"
Entries = dict[tuple[str, ...], tuple[float, float]]


class Listener(Silent):
    """Keeps the warnings."""

    def __init__(self) -> None:
        self.warnings: list[str] = []

    def warn(self, message: str) -> None:
        self.warnings.append(message)


def data(name: str) -> Path:
    """A file of real data; skips the test where it is absent."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"needs {path}")
    return path


def corpus(*blocks: str) -> tuple[Vocabulary, Sentences]:
    encoder = CorpusEncoder()
    for block in blocks:
        encoder.feed(block)
    return encoder.finish()


def model_of(text: str, order: int) -> LanguageModel:
    vocabulary, sentences = corpus(text)
    return estimate(sentences, vocabulary, LmOptions(order=order))


def model_of_file(name: str, order: int) -> LanguageModel:
    vocabulary, sentences = corpus(*read_blocks(data(name)))
    return estimate(sentences, vocabulary, LmOptions(order=order))


def entries(path: Path) -> Entries:
    """Every n-gram of an ARPA file with its log10 probability and backoff, 0 where it has none."""
    found: Entries = {}
    for line in read_lines(path):
        fields = line.split("\t")
        if len(fields) > 1:
            words = tuple(fields[1].split(" "))
            assert words not in found
            found[words] = float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0
    return found


def backed_off(model: Entries, history: tuple[str, ...], word: str) -> float:
    """The textbook definition of a backoff model, with the longest history there is."""
    if (*history, word) in model:
        return model[*history, word][0]
    return model.get(history, (0.0, 0.0))[1] + backed_off(model, history[1:], word)

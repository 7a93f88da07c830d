"""ARPA files, the common tongue of n-gram models; the only place with logs of base 10."""

from __future__ import annotations

import re
from pathlib import Path

from calque._core import ArpaReader, CoreError, WordTable, arpa_lines
from calque.errors import CalqueError, LineError
from calque.lm.model import LanguageModel, build
from calque.lm.scratch import Scratch
from calque.progress import SILENT, Progress
from calque.text import RESERVED, Vocabulary, open_output, read_blocks

LINES_AT_ONCE = 1 << 16
SEPARATOR = re.compile(r"[\s\0]", re.ASCII)


def read_arpa(path: Path | str, progress: Progress = SILENT) -> LanguageModel:
    """The model of an ARPA file, plain or compressed, with a vocabulary of its own.

    What is forgiven and what is not follows KenLM: a missing `<unk>` gets log10 probability -100;
    where an n-gram is listed without its end (itself less the first word), the end is added with
    the probability that backing off gives. A missing context, `<s>` or `</s>` is a mistake, as is
    anything else that is not as the format demands: `LineError` says where and what.
    """
    reader = ArpaReader()
    with progress.stage(f"read {path}") as stage:
        try:
            for block in read_blocks(path):
                before = reader.line
                reader.feed(block)
                stage.advance(reader.line - before)
            reader.finish()
        except CoreError as error:
            raise LineError(path, max(reader.line, 1), str(error)) from None
    orders = range(1, reader.order + 1)
    return build(
        Vocabulary(reader.words()[len(RESERVED) :]),
        [reader.ngrams(n).reshape(-1, 2) for n in orders[1:]],
        [reader.log_probs(n) for n in orders],
        [reader.backoffs(n) for n in orders[:-1]],
        Scratch(on_disk=False),
    )


def write_arpa(model: LanguageModel, path: Path | str, progress: Progress = SILENT) -> None:
    """Write the model as an ARPA file, compressed where its name says so."""
    words = WordTable()
    for word in model.vocabulary:
        if SEPARATOR.search(word):
            raise CalqueError(f"{path}: the word {word!r} has a space, which ARPA cannot hold")
        words.add(word)
    n_ngrams, lists = model.n_ngrams, model.ngrams
    with (
        open_output(path) as file,
        progress.stage(f"write {path}", total=sum(n_ngrams)) as stage,
    ):
        file.write("\\data\\\n")
        file.writelines(f"ngram {n}={size}\n" for n, size in enumerate(n_ngrams, start=1))
        for n, size in enumerate(n_ngrams, start=1):
            file.write(f"\n\\{n}-grams:\n")
            for first in range(0, size, LINES_AT_ONCE):
                last = min(first + LINES_AT_ONCE, size)
                file.write(arpa_lines(model.core, lists, words, n, first, last))
                stage.advance(last - first)
        file.write("\n\\end\\\n")

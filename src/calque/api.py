"""What `import calque` offers beyond its rooms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from calque.config import TrainOptions, fill
from calque.decode import Translator
from calque.errors import OptionError
from calque.model.build import build
from calque.progress import SILENT, Progress
from calque.text import BitextFiles, BitextLists, BitextSource, GivenText, Text, bitext_in


def train(
    source: Text | None = None,
    target: Text | None = None,
    out: Path | str | None = None,
    *,
    bitext: Path | str | None = None,
    alignment: Path | str | None = None,
    arpa: Path | str | None = None,
    overlap: Path | str | None = None,
    threads: int | None = None,
    progress: Progress = SILENT,
    **options: Any,
) -> Translator:
    """The translator learned from parallel text, also written to the folder `out`.

    The text is two files, or two lists of sentences, `source` and `target`; or one file `bitext`,
    TSV or TMX (which needs `text={"source_language": "de", "target_language": "en"}`). `alignment`
    (Pharaoh format) and `arpa` stand in for Calque's own word alignments and language model;
    `overlap` is a file of source sentences: only pairs that share words with them are learned from.

    `options` are those of `calque train --set`, by group: `text`, `clean`, `align`, `blocks`, `lm`,
    `features` and `decode`, each a mapping (`lm={"order": 4}`), and `keep_bitext_mb`;
    docs/options.md lists them all.
    """
    if out is None:
        raise OptionError("out is missing: expected the folder that the model is written to")
    filled = fill(TrainOptions(), options)
    model = build(
        _bitext(source, target, bitext, filled),
        out,
        filled,
        alignment=None if alignment is None else Path(alignment),
        arpa=None if arpa is None else Path(arpa),
        overlap=None if overlap is None else Path(overlap),
        threads=threads,
        progress=progress,
    )
    return Translator(model)


def _bitext(
    source: Text | None, target: Text | None, bitext: Path | str | None, options: TrainOptions
) -> BitextSource:
    if bitext is not None:
        if source is not None or target is not None:
            raise OptionError("bitext holds both sides: expected it without source and target")
        return bitext_in(Path(bitext), options.text.source_language, options.text.target_language)
    if source is None or target is None:
        raise OptionError("expected source and target, or bitext")
    if isinstance(source, str | Path) and isinstance(target, str | Path):
        return BitextFiles(Path(source), Path(target))
    sides = (GivenText.of(source, "source"), GivenText.of(target, "target"))
    return BitextLists.of(*(side.sentences for side in sides))

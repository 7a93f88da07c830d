"""What `import calque` offers beyond its rooms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from calque.config import TrainOptions, fill
from calque.decode import Translator
from calque.model.build import build
from calque.progress import SILENT, Progress
from calque.text import BitextFiles


def train(
    source: Path | str,
    target: Path | str,
    out: Path | str,
    *,
    alignment: Path | str | None = None,
    arpa: Path | str | None = None,
    overlap: Path | str | None = None,
    threads: int | None = None,
    progress: Progress = SILENT,
    **options: Any,
) -> Translator:
    """The translator learned from two files of sentences, also written to the folder `out`.

    `options` are those of `calque train --set` by group: `lm={"order": 4}`.
    """
    model = build(
        BitextFiles(Path(source), Path(target)),
        out,
        fill(TrainOptions(), options),
        alignment=None if alignment is None else Path(alignment),
        arpa=None if arpa is None else Path(arpa),
        overlap=None if overlap is None else Path(overlap),
        threads=threads,
        progress=progress,
    )
    return Translator(model)

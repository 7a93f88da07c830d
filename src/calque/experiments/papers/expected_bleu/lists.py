"""Lists of the training text by a model that has seen each sentence, or has not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np

from calque.config import LeaveOneOutOptions
from calque.decode import Translator
from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.corpus import Text
from calque.experiments.training import Setting
from calque.metrics import make_metric
from calque.model import Model
from calque.progress import Progress
from calque.tune import DecoderTask

Way: TypeAlias = Literal["seen", "leave-one-out", "jackknife"]
"""Decoded by the model as it is, without what the pair itself adds to counts of blocks, or by a
model of other parts of the training text."""
PARTS = 5
BLOCKS = "block_count"


@dataclass(frozen=True)
class ListsOf:
    """Lists of the training text, and a development text for whoever learns from them."""

    model: Path
    setting: Setting
    text: Text
    dev: Text
    way: Way
    length: int
    """Candidates per sentence, at most."""
    folder: Path | None = None
    """Where they are kept."""

    def kept_in(self, folder: Path) -> ListsOf:
        """The same, kept in a folder."""
        return replace(self, folder=folder)

    def task(self, model: Model, threads: int | None) -> DecoderTask:
        """To learn from them weights of the model, which is that of the folder `model`."""
        return DecoderTask(
            Translator(self.setting.of(model)),
            self.text.source,
            self.text.references,
            make_metric("bleu", tokenize="none"),
            dev_source=self.dev.source,
            dev_references=self.dev.references,
            leave_one_out=LeaveOneOutOptions() if self.way == "leave-one-out" else None,
            jackknife=PARTS if self.way == "jackknife" else 0,
            part_models=None if self.folder is None else self.folder / "parts",
            n_best=self.length,
            folder=self.model,
            lists=None if self.folder is None else self.folder / "lists",
            threads=threads,
        )


def lists_cell(bench: Bench, name: str, model: Model, lists: ListsOf) -> Cell:
    """The lists, kept in the folder of the cell; what the best candidates are like."""

    def work(folder: Path, progress: Progress) -> Cell:
        task = lists.kept_in(folder).task(model, bench.threads)
        blocks = task.source.dense_names.index(BLOCKS)
        n_candidates, n_blocks, best = 0, 0.0, list[str]()
        for batch in task.source.lists(task.start, progress):
            first = np.cumsum(batch.lengths) - batch.lengths
            best += [batch.texts[at] for at in first.tolist()]
            n_blocks += float(batch.dense[first, blocks].sum())
            n_candidates += len(batch.texts)
        verdict = task.judge.verdict(best)
        return Cell(
            {
                "bleu": verdict.score,
                "length": verdict.length_ratio,
                "candidates": n_candidates,
                "words per block": lists.text.n_words[0] / max(1.0, n_blocks),
            }
        )

    depends = {
        "model": bench.key_of(model),
        "setting": lists.setting.described(),
        "text": lists.text.digest,
        "dev": lists.dev.digest,
        "way": lists.way,
        "length": lists.length,
    }
    return bench.cell(name, depends, work)

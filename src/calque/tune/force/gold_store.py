"""The gold lattices of the sentence pairs that a model keeps, some pairs at a time."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from calque.config import ForceOptions, LeaveOneOutOptions
from calque.decode import GoldLattices, GoldText
from calque.decode.gold import Prefixes
from calque.errors import CalqueError
from calque.model import Model
from calque.parallel import Engine, Here
from calque.progress import SILENT, Progress
from calque.text.arrays import read_arrays, write_arrays
from calque.text.working import WorkingFolder
from calque.tune.force.gold_finder import GoldFinder, found_lattices
from calque.tune.force.gold_texts import GoldTexts
from calque.tune.lm_folds import other_folds, with_lms_of

MEGABYTE = 1 << 20
PAIRS = 1000
"""Sentence pairs whose lattices lie together."""


class GoldStore:
    """Texts with their lattices: as many as the memory may hold stay there.

    With a folder all of them are in files, too. A file that is there is not computed again: whoever
    gives the folder sees to it that it is of the same model and options. Where lattices lie changes
    no result.
    """

    def __init__(
        self,
        model: Model,
        options: ForceOptions,
        *,
        prefixes: Prefixes,
        leave_one_out: LeaveOneOutOptions | None,
        n_pairs: int = 0,
        lm_folds: int = 0,
        memory_mb: int,
        folder: Path | None = None,
        threads: int | None = None,
        engine: Engine | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Find the lattices of the first `n_pairs` pairs, 0: of all; `ModelError` without pairs.

        With `lm_folds`, pairs are scored by language models of the other folds of the target side.

        Without a folder, what memory may not hold lies in a temporary one.
        """
        self._finder = GoldFinder(model, options, prefixes, leave_one_out)
        self._training = self._finder.training
        self._texts: list[GoldText | None] = []
        self._folder = folder
        self.n_pairs = min(n_pairs or len(self._training), len(self._training))
        self.texts = GoldTexts(self._finder, self._models(model, lm_folds), self.n_pairs, PAIRS)
        self.n_lattices = self.n_whole = self.n_states = self.n_too_large = self.n_bytes = 0
        self.n_words = self.n_words_in_reach = 0
        lengths = self._training.bitext.source.lengths
        engine = engine or Here(threads)
        work = partial(found_lattices, engine.share(self._finder), engine.threads_per_task)
        numbers = range(-(-self.n_pairs // PAIRS))
        is_there = [self._is_there(at) for at in numbers]
        missing = (self.texts.pairs(at) for at in numbers if not is_there[at])
        results = engine.ordered_map(work, missing)
        with progress.stage("gold lattices", self.n_pairs) as stage:
            for at in numbers:
                pairs = self.texts.pairs(at)
                lattices = self._read(at) if is_there[at] else next(results)
                self._count(lattices)
                self.n_words += int(lengths[pairs.start : pairs.stop].sum())
                keeps = self.n_bytes <= memory_mb * MEGABYTE
                self._texts.append(self.texts.text(at, lattices) if keeps else None)
                if folder is not None or not keeps:
                    self._write(at, lattices)
                stage.advance(len(pairs))
            stage.say(
                f"{self.n_whole:,} of {self.n_pairs:,} pairs in reach, and"
                f" {self.n_lattices - self.n_whole:,} prefix pairs;"
                f" {self.n_too_large:,} pairs were too large"
            )

    def __len__(self) -> int:
        return len(self._texts)

    def __getitem__(self, at: int) -> GoldText:
        kept = self._texts[at]
        if kept is not None:
            return kept
        return self.texts.text(at, self._read(at))

    def lattices(self, at: int) -> GoldLattices:
        """Those of a part."""
        kept = self._texts[at]
        return self._read(at) if kept is None else kept.lattices

    def _models(self, model: Model, lm_folds: int) -> list[Model]:
        """The models that score the parts, in turn."""
        bitext = self._training.bitext
        folds = [other_folds(len(bitext), PAIRS, fold, lm_folds) for fold in range(lm_folds)]
        return [with_lms_of(model, bitext.target.select(keep)) for keep in folds] or [model]

    def _path(self, at: int) -> Path | None:
        return None if self._folder is None else self._folder / f"gold-{at:06}.npz"

    def _is_there(self, at: int) -> bool:
        path = self._path(at)
        return path is not None and path.exists()

    def _read(self, at: int) -> GoldLattices:
        path = self._path(at)
        if path is None or not path.exists():
            raise CalqueError(f"gold lattices: {path} is gone")
        return GoldLattices.from_arrays(read_arrays(path))

    def _write(self, at: int, lattices: GoldLattices) -> None:
        if self._folder is None:
            self._temporary = WorkingFolder("gold")
            self._folder = self._temporary.path
        path = self._path(at)
        if path is not None and not path.exists():
            write_arrays(path, lattices.to_arrays())

    def _count(self, lattices: GoldLattices) -> None:
        self.n_lattices += len(lattices)
        self.n_whole += int(lattices.is_whole.sum())
        self.n_states += lattices.n_states
        self.n_too_large += lattices.n_too_large
        self.n_bytes += lattices.n_bytes
        longest: dict[int, int] = {}
        for pair, n in zip(lattices.pairs.tolist(), lattices.n_source.tolist(), strict=True):
            longest[pair] = max(n, longest.get(pair, 0))
        self.n_words_in_reach += sum(longest.values())

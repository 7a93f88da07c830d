"""What a recipe works with: the corpus, models of it, cells, and how much effort is wanted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from calque.config import DecodeOptions, FeatureOptions, TrainOptions, fill, to_mapping
from calque.errors import ModelError, OptionError
from calque.experiments.cell import KEY_LENGTH, Cell, Cells
from calque.experiments.corpus import Corpus, Text
from calque.features import Weights
from calque.model import Model
from calque.model.build import build
from calque.progress import SILENT, Progress, Stage
from calque.text import BitextFiles

LEAST_ROUNDS = 2


class Bench:
    """The place where the tables of a paper are made; everything lies in one folder.

    Nothing that is done is done again: neither by a second call nor by a second process after the
    first was killed.
    """

    def __init__(
        self,
        corpus: Corpus,
        out: Path,
        *,
        scale: float = 1.0,
        rounds: float | None = None,
        seeds: tuple[int, ...] = (1,),
        threads: int | None = None,
        progress: Progress = SILENT,
    ) -> None:
        """Take the corpus, the folder, the share of the paper's effort, and seeds of trainings.

        The share is one of sentences and of rounds, or `rounds` is that of rounds.
        """
        rounds = scale if rounds is None else rounds
        for name, share in (("scale", scale), ("rounds", rounds)):
            if not 0 < share <= 1:
                raise OptionError(f"{name}={share:g}: expected a number above 0, up to 1")
        self.corpus = corpus
        self.out = out
        self.scale = scale
        self.scale_of_rounds = rounds
        self.seeds = seeds
        self.threads = threads
        self.progress = progress
        digests = {text.name: text.digest for text in corpus.texts}
        self._cells = Cells(out / "cells", {"corpus": digests, "calque": version("calque")})
        self._models: dict[str, Model] = {}

    @property
    def cells(self) -> Mapping[str, Cell]:
        """All cells that were asked for."""
        return self._cells.known

    def rounds(self, of_the_paper: int) -> int:
        """How many rounds stand for so many of the paper."""
        return max(LEAST_ROUNDS, round(self.scale_of_rounds * of_the_paper))

    def model(
        self, features: FeatureOptions, *, learned_from: Text | None = None, **options: Any
    ) -> Model:
        """The model of the training text, or of another, with the data of these features.

        `options` are those of training by group: `lm={"order": 3}`. Built once, and then read.
        """
        train = learned_from or self.corpus.train
        wanted = fill(replace(TrainOptions(), features=features), options, "train")
        described = [to_mapping(wanted), train.digest, version("calque")]
        text = json.dumps(described, sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]
        if key not in self._models:
            folder = self.out / "models" / key
            try:
                self._models[key] = Model.load(folder)
            except ModelError:
                source = BitextFiles(train.source, train.references[0])
                self._models[key] = build(
                    source, folder, wanted, threads=self.threads, progress=self.progress
                )
        return self._models[key]

    def key_of(self, model: Model) -> str:
        """Stands for all that a model of this bench was made from: what cells of it depend on."""
        return next(key for key, known in self._models.items() if known is model)

    def folder_of(self, model: Model) -> Path:
        """Where a model of this bench lies."""
        return self.out / "models" / self.key_of(model)

    def cell(
        self, name: str, depends: Mapping[str, Any], work: Callable[[Path, Progress], Cell]
    ) -> Cell:
        """What a piece of work gave, now or before; see `Cells`. Its progress bears its name."""
        return self._cells.cell(name, depends, lambda folder: work(folder, self._within(name)))

    def kept_by(self, cell: Cell) -> Path:
        """The folder of a cell, with whatever its work has left there."""
        return self._cells.folder(cell)

    def _within(self, name: str) -> Progress:
        return _Within(self.progress, name)


def variant(
    model: Model,
    *,
    dense: str,
    sparse: str = "",
    weights: Mapping[str, float] | None = None,
    decode: Mapping[str, Any] | None = None,
    features: Mapping[str, Any] | None = None,
) -> Model:
    """The model with other features of those whose data it has, other weights, another search.

    `weights` are the dense ones; where they are left out, those of an untuned model. `features` are
    other options of features, those of word edges.
    """
    asked = {**(features or {}), "dense": dense, "sparse": sparse}
    chosen: FeatureOptions = fill(model.feature_options, asked, "features")
    options: DecodeOptions = fill(model.decode_options, decode or {}, "decode")
    changed = replace(model, feature_options=chosen, decode_options=options)
    first = changed.features.default_weights() if weights is None else Weights(weights)
    return replace(changed, weights=first)


class _Within:
    """Progress under the name of what it belongs to."""

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress = progress
        self._name = name

    @contextmanager
    def stage(self, name: str, total: float | None = None) -> Iterator[Stage]:
        with self._progress.stage(f"{self._name}: {name}", total) as stage:
            yield stage

    def warn(self, message: str) -> None:
        self._progress.warn(f"{self._name}: {message}")

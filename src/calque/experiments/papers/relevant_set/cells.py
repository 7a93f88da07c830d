"""The trainings and decodings behind the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from calque.config import FeatureOptions
from calque.decode import Translator
from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.corpus import Text
from calque.experiments.overlap import overlapping
from calque.experiments.training import Setting, Training, decoded, trained
from calque.features.dense import chosen
from calque.metrics import score
from calque.model import Model
from calque.progress import Progress
from calque.tune import DecoderTask

ROUNDS = {"mert": 20, "costmargin": 30, "perceptron": 30}
"""Of the paper."""
PASSES = 40
FLAT = 0.1
LANGUAGE_MODEL = 0.1
"""The weight of the language model beside binary features; it is never learned."""
SEARCH = {"stack_size": 100, "pop_limit": 200}
PRECISION = {"name": "avg-bleu", "smooth": True}
"""What sentences are worth beside truths: BLEU without brevity penalty, one added to counts."""
WITH_LENGTH = {**PRECISION, "bp": True}
"""What they are worth on the development text. The paper has no brevity penalty there, either; with
one reference or short sentences weights then learn to say little."""
BAGS = {"phrase": "P1", "word": "W1", "all": "P1,W1"}
"""Of each set the families that a bag of blocks has."""
BLEU = {"name": "bleu"}
REVERSE_MWER = {"name": "avg-reverse-mwer"}
SETS = {6: "relevant-set-6", 7: "relevant-set-7"}
ONLINE = ("costmargin", "perceptron")
DRAWN = {(6, "mert"), (7, "costmargin"), (7, "perceptron")}
"""The trainings, with lists of 1, whose curves are figures."""


@dataclass(frozen=True)
class RelevantSetCells:
    """Everything that is trained or decoded; one cell per seed."""

    bench: Bench

    @cached_property
    def model(self) -> Model:
        """One table of blocks for all tables: only features and weights differ."""
        features = FeatureOptions(dense="relevant-set-7 + language_model", sparse="all")
        return self.bench.model(features, lm={"order": 3})

    @cached_property
    def bitext(self) -> Text:
        """The training pairs that binary features are learned on."""
        bench = self.bench
        return overlapping(bench.corpus, bench.scale, bench.out / "corpus" / "overlapping")

    # Binary features, learned on the training text (set-up A)

    def oracle(self, reordering: str) -> Cell:
        """How close to the references the blocks come."""

        def work(folder: Path, progress: Progress) -> Cell:
            model = self._binary("phrase", reordering, 0.0).of(self.model)
            source = DecoderTask(
                Translator(model), self.bitext.source, self.bitext.references,
                threads=self.bench.threads,
            ).source  # fmt: skip
            texts = [text for lists in source.truths(1, progress) for text in lists.texts]
            [scored] = score(texts, self.bitext.reference_lines, ["avg-bleu"], tokenize="none")
            return Cell({"train avg-bleu": scored.value}, outputs={"train": texts})

        model = self.bench.key_of(self.model)
        depends = {"reordering": reordering, "text": self.bitext.digest, "model": model}
        return self.bench.cell(f"oracle-{reordering}", depends, work)

    def binary(
        self,
        features: str,
        reordering: str,
        *,
        with_lm: bool = False,
        method: str = "costmargin",
    ) -> list[Cell]:
        """Binary features alone, or beside a language model of fixed weight."""
        setting = self._binary(features, reordering, LANGUAGE_MODEL if with_lm else 0.0)
        name = f"{method}-{reordering}-{features}" + ("-lm" if with_lm else "")
        is_drawn = reordering == "swap" and features == "all" and method == "costmargin"
        training = self._on_bitext(method, features, watched=is_drawn)
        return [
            trained(self.bench, name, self.model, setting, training, seed=seed)
            for seed in self.bench.seeds
        ]

    def _binary(self, features: str, reordering: str, language_model: float) -> Setting:
        search = {**SEARCH, "reordering": reordering}
        return Setting("language_model", {"language_model": language_model}, features, search)

    def _on_bitext(self, method: str, features: str = "all", *, watched: bool = False) -> Training:
        options = {
            **self._online(method, sparse_rate=1e-4),
            "first_candidates": "bag",
            "bag_families": BAGS[features],
            "truth": "oracle",
            "fixed": "dense",
        }
        return Training(method, self.bitext, options, PRECISION, takes="last", watched=watched)

    # Dense features, learned on the development text (set-up B)

    def flat(self, n_features: int) -> Cell:
        """Equal weights."""
        return decoded(self.bench, f"flat-{n_features}", self.model, self._dense(n_features))

    def dense(
        self,
        method: str,
        list_length: int,
        n_features: int,
        metric: Mapping[str, Any] | None = None,
    ) -> list[Cell]:
        """Dense features tuned by a method with lists of some length."""
        is_drawn = list_length == 1 and (n_features, method) in DRAWN and metric is None
        training = self._on_dev(method, list_length, metric, watched=is_drawn)
        name = f"{method}-{n_features}-n{list_length}"
        if metric is not None:
            name += f"-{metric['name']}"
        setting = self._dense(n_features)
        return [
            trained(self.bench, name, self.model, setting, training, seed=seed)
            for seed in self.bench.seeds
        ]

    def _on_dev(
        self,
        method: str,
        list_length: int = 1,
        metric: Mapping[str, Any] | None = None,
        *,
        fixed: str = "",
        watched: bool = False,
    ) -> Training:
        options: dict[str, Any]
        if method == "mert":
            options = {"rounds": self.bench.rounds(ROUNDS["mert"]), "min_change": 0.0}
            default: Mapping[str, Any] = BLEU
        else:
            options = {
                **self._online(method, dense_rate=1e-5),
                "first_candidates": "seeds",
                "fixed": fixed,
            }
            default = WITH_LENGTH
        return Training(
            method,
            self.bench.corpus.dev,
            options,
            metric or default,
            list_length,
            watched=watched,
        )

    def _dense(self, n_features: int, sparse: str = "", weight: float = FLAT) -> Setting:
        search = {**SEARCH, "reordering": "swap"}
        weights = dict.fromkeys(chosen(SETS[n_features]), weight)
        return Setting(SETS[n_features], weights, sparse, search)

    def _online(self, method: str, **rates: float) -> dict[str, Any]:
        return {
            "rounds": self.bench.rounds(ROUNDS[method]),
            "passes": PASSES,
            "update": "sgd",
            "dense_units": "plain",
            "average": False,
            "keep": "last",
            "candidate_score": "sentence",
            **rates,
        }

    # Both (set-up C)

    def dense_then_binary(self) -> list[Cell]:
        """Binary features learned beside seven dense ones, which stay as they were tuned."""
        first = self.dense("costmargin", 1, 7)
        setting, training = self._dense(7, "all"), self._on_bitext("costmargin")
        return self._after(first, "dense-then-binary", setting, training)

    def binary_then_dense(self) -> list[Cell]:
        """Dense features tuned beside binary ones, which stay as they were learned."""
        setting = self._dense(7, "all", 0.0)
        first = [
            trained(
                self.bench, "binary-first", self.model, setting, self._on_bitext("costmargin"),
                seed=seed,
            )
            for seed in self.bench.seeds
        ]  # fmt: skip
        training = self._on_dev("costmargin", fixed="sparse")
        return self._after(first, "binary-then-dense", self._dense(7, "all"), training)

    def _after(
        self, first: list[Cell], name: str, setting: Setting, training: Training
    ) -> list[Cell]:
        return [
            trained(self.bench, name, self.model, setting, training, seed=seed, after=cell)
            for seed, cell in zip(self.bench.seeds, first, strict=True)
        ]

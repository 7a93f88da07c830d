"""The trainings behind the tables and figures; what two of them need is one cell."""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, Literal, get_args

from calque.config import FeatureOptions
from calque.experiments.bench import Bench, variant
from calque.experiments.cell import Cell
from calque.experiments.corpus import Text, first_lines
from calque.experiments.papers.expected_bleu.lists import ListsOf, Way, lists_cell
from calque.experiments.training import Setting, Training, scored, trained
from calque.features import Weights
from calque.model import Model
from calque.progress import Progress
from calque.tune import Xbleu
from calque.tune.checkpoint import read_weights, write_weights
from calque.tune.run import POOL

DENSE = "standard - lexicalised-reordering + hierarchical-reordering + class_language_model"
"""Those of the paper that a block decoder has; it lacks the recurrent language model."""
SETS: Mapping[str, str] = {"a": "phrase-pair", "all": "expected-bleu"}
"""Set (a), and (a) to (d) together: phrase pairs, word pairs, triplets, orientations."""
RULES: Mapping[str, Mapping[str, Any]] = {
    "gt": {"update": "gt"},
    "sgd": {"update": "sgd"},
    "adagrad": {"update": "adagrad"},
    "rprop": {"update": "rprop"},
}
"""The update rules, each over all lists at a time. The rate of SGD is found by trying."""
RATES = (0.003, 0.03)
"""Of AdaGrad; the one that is best on dev counts."""
ITERATIONS, PER_ROUND = 40, 4
"""Over all lists, and after how many the weights are measured on dev."""
SCALE = 3.0
"""Of scores in the posterior: weights from dev have no scale of their own. With 1 it is so flat
that the gradient is about candidates that the decoder would never choose."""
TUNING_ROUNDS, RESTARTS = 8, 8
"""Of MERT: decode dev, search from so many random points beside the best, again."""
TUNED_LISTS, LEARNED_LISTS = 100, 30
"""Candidates per sentence: of dev, and of the training text, where the paper says nothing."""
Iteration = Literal["best on dev", "last"]
ITERATIONS_TRIED: tuple[Iteration, ...] = get_args(Iteration)
"""Whose weights MERT is given, before which dev tells little of them."""
LIMITS = (6, 12)
"""Distortion limits; the one whose baseline is better on dev is taken, for all systems."""
LEARNING = "expected BLEU"


def sum_on_dev(cells: Sequence[Cell]) -> float:
    """Of the runs of a system, which is better than another where its sum is higher."""
    return sum(cell.figures["dev bleu"] for cell in cells)


@dataclass(frozen=True)
class ExpectedBleuCells:
    """Everything that is trained. Only MERT is random, so it alone is repeated with every seed."""

    bench: Bench

    @cached_property
    def model(self) -> Model:
        """One table of blocks for all: only features and weights differ."""
        return self.bench.model(FeatureOptions(dense=DENSE, sparse=SETS["all"]))

    @cached_property
    def text(self) -> Text:
        """The training pairs that weights are learned from: the first ones."""
        train = self.bench.corpus.train
        n = max(1, round(self.bench.scale * len(train.sentences)))
        return first_lines(train, n, self.bench.out / "corpus" / "first")

    @cached_property
    def limit(self) -> int:
        """The distortion limit."""
        first = self.bench.seeds[0]
        return max(LIMITS, key=lambda limit: self._baseline(limit, first).figures["dev bleu"])

    def baseline(self) -> list[Cell]:
        """Dense features alone, tuned on dev."""
        return [self._baseline(self.limit, seed) for seed in self.bench.seeds]

    def lists(self, way: Way, features: str) -> tuple[ListsOf, Cell]:
        """What the first baseline finds for the training text, and what there is to say of it."""
        described = ListsOf(
            self.bench.folder_of(self.model),
            self.setting(features, self.baseline()[0]),
            self.text,
            self.bench.corpus.dev,
            way,
            LEARNED_LISTS,
        )
        cell = lists_cell(self.bench, f"lists-{way}-{features}", self.model, described)
        return described.kept_in(self.bench.kept_by(cell)), cell

    def learned(
        self,
        rule: str,
        features: str = "a",
        way: Way = "leave-one-out",
        iteration: Iteration = "best on dev",
    ) -> Cell:
        """Sparse weights by expected BLEU, as they are before MERT has its say on their scale."""
        if rule != "adagrad":
            return self._learned(rule, features, way, iteration)
        tried = [self._learned(rule, features, way, iteration, sparse_rate=rate) for rate in RATES]
        return max(tried, key=lambda cell: cell.figures["dev bleu"])

    def tuned(
        self, rule: str, features: str = "a", way: Way = "leave-one-out"
    ) -> tuple[Cell, list[Cell]]:
        """The same as dense features, one per group as in the paper, all dense ones tuned on dev.

        Of the iterations that are tried, the one that is best on dev then; its weights come first.
        """
        tried = [self.learned(rule, features, way, iteration) for iteration in ITERATIONS_TRIED]
        systems = [(cell, self._tuned(cell, features)) for cell in tried]
        return max(systems, key=lambda system: sum_on_dev(system[1]))

    def _tuned(self, after: Cell, features: str) -> list[Cell]:
        training = Training(
            "mert", self.bench.corpus.dev, self._mert, list_length=TUNED_LISTS, condense="groups"
        )
        return [
            trained(
                self.bench, f"{after.name}-mert", self.model, self.setting(features), training,
                seed=seed, after=after,
            )
            for seed in self.bench.seeds
        ]  # fmt: skip

    def setting(self, features: str, tuned: Cell | None = None) -> Setting:
        """Features with the weights of an untuned model, or with those of a cell."""
        weights = None if tuned is None else tuned.weights
        return self._setting(SETS[features], self.limit, None if weights is None else dict(weights))

    def _setting(
        self, sparse: str, limit: int, weights: Mapping[str, float] | None = None
    ) -> Setting:
        first = dict(variant(self.model, dense=DENSE).weights) if weights is None else weights
        return Setting(DENSE, first, sparse, {"distortion_limit": limit})

    def _baseline(self, limit: int, seed: int) -> Cell:
        training = Training("mert", self.bench.corpus.dev, self._mert, list_length=TUNED_LISTS)
        setting = self._setting("", limit)
        return trained(self.bench, f"baseline-{limit}", self.model, setting, training, seed=seed)

    @property
    def _mert(self) -> dict[str, Any]:
        return {"rounds": self.bench.rounds(TUNING_ROUNDS), "restarts": RESTARTS}

    def _learned(
        self, rule: str, features: str, way: Way, iteration: Iteration, **more: float
    ) -> Cell:
        source, made = self.lists(way, features)
        options = {
            **RULES[rule],
            "fixed": "dense",
            "scale": SCALE,
            "clip_bp": False,  # as in the paper
            "rounds": self.bench.rounds(ITERATIONS // PER_ROUND),
            "iterations": PER_ROUND,
            **more,
        }
        bench, texts = self.bench, (self.bench.corpus.dev, self.bench.corpus.test)

        def work(folder: Path, progress: Progress) -> Cell:
            begin, task = time.monotonic(), source.task(self.model, bench.threads)
            run, rounds = folder / "run", folder / "rounds"

            def keep(round: int, weights: Weights) -> None:
                write_weights(rounds / f"{round:03}.npz", weights)

            rounds.mkdir(exist_ok=True)
            trainer = Xbleu(seed=bench.seeds[0], **options)
            result = trainer.fit(
                task, run=run, threads=bench.threads, progress=progress, watch=keep
            )
            # MERT may still make something of weights that are worse than none as they are: the
            # start is no choice.
            best = max(result.history[1:], key=lambda done: done.score)
            chosen = (result.history[-1] if iteration == "last" else best).round
            weights = read_weights(rounds / f"{chosen:03}.npz")
            shutil.rmtree(run / POOL, ignore_errors=True)
            scores = scored(task.model, weights, texts, bench.threads, progress)
            figures = {
                "chosen iteration": chosen * PER_ROUND,
                "sparse weights": len(weights.sparse),
                "seconds": time.monotonic() - begin,
            }
            counted = [done.scores or {} for done in result.history]
            curves = {
                "learned": [done.score for done in result.history],
                "seconds": list(accumulate(done.seconds for done in result.history)),
                **{name: [done[name] for done in counted] for name in ("expected", "objective")},
            }
            return Cell({**scores.figures, **figures}, curves, scores.outputs, weights=weights)

        named = [rule, *(f"{value:g}" for value in more.values()), features, way]
        named += ["last"] if iteration == "last" else []
        depends = {
            "lists": made.key, "options": options, "seed": bench.seeds[0], "choice": iteration
        }  # fmt: skip
        return bench.cell("-".join(named), depends, work)

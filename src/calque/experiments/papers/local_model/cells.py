"""The trainings and decodings behind table 2."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from calque.config import FeatureOptions
from calque.config.dense import LocalModelOptions
from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.corpus import Text
from calque.experiments.training import Setting, Training, trained
from calque.model import Model

COMPONENTS: Mapping[str, tuple[str, ...]] = {
    "a": ("block_unigram", "neutral_block_unigram"),
    "b": ("block_orientation",),
    "c": ("adjacent_language_model_first", "neutral_language_model_first"),
    "d": ("adjacent_language_model_rest", "neutral_language_model_rest"),
    "e": ("single_word_weight", "neutral_single_word_weight"),
}
"""The letters of table 1 as dense features: of steps to a neighbour, and of neutral ones."""
BIGRAMS = "block-bigram"
OTHERS = {"block_count": -math.log(0.5), "unknown": 100.0}
"""Weights that are not learned: the paper's constant in place of the sum over alternatives is ln 2
for every block."""
SEARCH = {
    "stack_size": 100,
    "first_block": "neutral",
    "least_left_count": 3,
    "options_by": "count",
    "options_per_span": 9,
}
BLOCKS = {"min_count": 2, "min_prob": 0.05}
"""Events do not look at word links: without a filter, which the paper has too, most of them are
pairs of frequent words that have nothing to do with each other."""
N_BEST = 1000
LIST_RATE = 1e-3
"""The step on the few events of lists: with the paper's 1e-5 weights hardly leave 0."""
PASSES = 40
"""Over all events, where there are binary features."""
DENSE_PASSES = 4
"""Over all events, of dense features alone. One pass over a tenth of the events, as in the paper,
is half a million steps there; small corpora need several to come as far."""
CHUNKS = 4
"""Rounds that the passes are divided into: after each a killed training can go on."""
LM_FOLDS = 5
"""The paper's language model is of another text; here the one of an event has not seen it."""
PAIR_RATE = 1e-3
"""The step of binary features: pairs of blocks occur a few times here, whatever the passes."""
USUAL: Mapping[str, Any] = {"lm_folds": LM_FOLDS, "take": "last", "bigram_rate": PAIR_RATE}


@dataclass(frozen=True)
class LocalModelCells:
    """Everything that is trained or decoded; one cell per seed."""

    bench: Bench

    @cached_property
    def model(self) -> Model:
        """One table of blocks for all lines.

        ln p(block) is taken per source word in training, too; the paper says so of decoding alone.
        """
        features = FeatureOptions(
            dense="local-model + block_count + unknown",
            sparse=BIGRAMS,
            local_model=LocalModelOptions(unigram_per_word="both"),
        )
        return self.bench.model(features, lm={"order": 3}, blocks=BLOCKS)

    def events(self, letters: str, reordering: str) -> list[Cell]:
        """Weights learned on the events of the training text."""
        few = {"rounds": 1, "passes": DENSE_PASSES}
        options = {**USUAL, **(self._many_passes if "f" in letters else few)}
        return self._trained(f"{reordering}-{letters}", self.setting(letters, reordering), options)

    def floats_from(self, text: Text) -> list[Cell]:
        """Dense weights learned on the best of long lists of a text.

        The lists are those of the model with dense features alone; the paper's has binary ones.
        """
        lists = {"events": "nbest", "n_best": N_BEST, "rate": LIST_RATE}
        options = {"take": "last", "rounds": CHUNKS, "passes": PASSES // CHUNKS, **lists}
        name, setting = f"floats-from-{text.name}", self.setting("abcde", "swap")
        return self._trained(name, setting, options, text, self.events("abcde", "swap"))

    def binary_after(self, text: Text) -> list[Cell]:
        """Binary weights learned on the training text, the dense ones being those of a text."""
        options = {**USUAL, **self._many_passes, "fixed": "dense"}
        setting = self.setting("abcdef", "swap")
        return self._trained(
            f"binary-after-{text.name}", setting, options, after=self.floats_from(text)
        )

    def setting(self, letters: str, reordering: str) -> Setting:
        """The features of these letters, with weights of 0."""
        names = [name for letter in letters if letter in COMPONENTS for name in COMPONENTS[letter]]
        return Setting(
            " + ".join([*names, *OTHERS]),
            {**dict.fromkeys(names, 0.0), **OTHERS},
            BIGRAMS if "f" in letters else "",
            {**SEARCH, "reordering": reordering},
        )

    @property
    def _many_passes(self) -> dict[str, Any]:
        n_passes = self.bench.rounds(PASSES)
        return {"rounds": CHUNKS, "passes": math.ceil(n_passes / CHUNKS)}

    def _trained(
        self,
        name: str,
        setting: Setting,
        options: Mapping[str, Any],
        text: Text | None = None,
        after: list[Cell] | None = None,
    ) -> list[Cell]:
        training = Training("local", text or self.bench.corpus.dev, options, takes="last")
        return [
            trained(
                self.bench, name, self.model, setting, training,
                seed=seed, after=None if after is None else after[at],
            )
            for at, seed in enumerate(self.bench.seeds)
        ]  # fmt: skip

"""Ways from parallel text to a finished model, by name: options of training, then steps of tuning.

Chosen on development sets and on pairs cut out of the training text of three small corpora (image
captions, short sentences with long-distance reordering, travel phrases), one set for all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from calque.config.decode import FITTED, THOROUGH, DecodeOptions
from calque.errors import OptionError, hint

POOLED = "grow-diag-final-and, grow-diag"
"""Symmetrisations that blocks are taken from."""
ALIGNERS = "hmm, sampler"
"""Aligners whose links make up for each other's mistakes."""
FAMILIES = "lexical, context, hierarchical, orientation-classes"
"""Sparse features whose weights are worth learning on the training text."""


@dataclass(frozen=True)
class TuningStep:
    """One step of tuning: a method, its options, and the text that it learns on."""

    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    jackknife: int = 0
    """Learn on the training text in so many parts, each decoded by a model of the others, and
    choose the round on the development set; 0: learn on the development set."""
    list_length: int = 100
    dense_only: bool = False
    """Leave the model's sparse features out, which saves time."""
    size: float | None = None
    """Scale all weights at the end, so that the magnitudes of dense ones that may move add up to
    this. Translations stay the same, and a next step whose options depend on the scale of scores
    finds the same scale in every model."""
    runs: int = 1
    """Repeat with so many seeds and take the mean of the weights: what a run learns by chance of a
    small development set cancels."""
    tolerance: float = 0.0
    """How far the score on the development set may fall below that of the start, as a share of it.
    A start that was tuned on this set looks better on it than it is: on Multi30k, weights that
    gain 1.8 BLEU on new text may lose 0.1 there."""
    pop_limit: int = DecodeOptions.pop_limit
    """Search with this effort, whatever that of the model: the weights serve a quicker search and
    a more thorough one as well."""


@dataclass(frozen=True)
class Preset:
    """What `calque train --preset NAME` does."""

    meaning: str
    train: Mapping[str, Any]
    """Options of training that differ from their defaults, by dotted key."""
    steps: tuple[TuningStep, ...]
    """How weights are tuned where there is a development set."""


_TRAIN = {
    "align.aligner": ALIGNERS,
    "align.symmetrization": POOLED,
    "decode.distortion_limit": FITTED,
    "features.sparse": FAMILIES,
}
MIRA = TuningStep("mira", dense_only=True, size=3.0, runs=3)
XBLEU = TuningStep(
    "xbleu",
    {
        "update": "adagrad",
        "batch": 32,
        "sparse_rate": 0.03,
        "scale": 3.0,
        "rounds": 3,
        "iterations": 1,
        "take": "last",
        "fixed": "dense",
    },
    jackknife=5,
    list_length=30,
    tolerance=0.02,
)
XBLEU_TWICE = replace(XBLEU, options={**XBLEU.options, "rounds": 6, "decode_every": 3})
"""The same, and as often again after the text was decoded with what was learned: it has moved far
from the weights that found the first lists."""
PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "fast": Preset(
            "dense features; MIRA on the development set",
            {},
            (TuningStep("mira"),),
        ),
        "standard": Preset(
            "blocks of four alignments by two aligners, sparse features of words and their order;"
            " MIRA on the development set, then expected BLEU on the training text",
            {**_TRAIN, "decode.pop_limit": FITTED},
            (MIRA, XBLEU),
        ),
        "best": Preset(
            "as standard, but the text that sparse weights are learned on is decoded twice, and the"
            " search is more thorough, which takes several times as long",
            {**_TRAIN, "decode.pop_limit": THOROUGH},
            (MIRA, XBLEU_TWICE),
        ),
    }
)
DEFAULT_PRESET = "standard"
CHART_DENSE = "rules + class_language_model"
"""Dense features of rules: nothing of them is reordered but by their gaps."""
CHART_FAMILIES = "lexical, context, phrase-pair, gap-order, gap-order-classes"
"""Sparse features of rules, whose order is that of their gaps."""
_CHART_TRAIN = {
    "align.aligner": ALIGNERS,
    "align.symmetrization": POOLED,
    "features.dense": CHART_DENSE,
    "features.sparse": CHART_FAMILIES,
}
CHART_PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        "fast": Preset(
            PRESETS["fast"].meaning, {"features.dense": CHART_DENSE}, PRESETS["fast"].steps
        ),
        "standard": Preset(
            "rules of four alignments by two aligners, sparse features of words and of the order of"
            " gaps; MIRA on the development set, then expected BLEU on the training text",
            _CHART_TRAIN,
            (MIRA, XBLEU),
        ),
        "best": Preset(
            PRESETS["best"].meaning,
            {**_CHART_TRAIN, "decode.pop_limit": 1000},
            (MIRA, XBLEU_TWICE),
        ),
    }
)
"""The same names for a decoder of rules (`decode.engine=chart`)."""


def find_preset(name: str, engine: str = "phrase") -> Preset:
    """The preset of this name for an engine of the decoder; `OptionError` where there is none."""
    presets = CHART_PRESETS if engine == "chart" else PRESETS
    if name not in presets:
        raise OptionError(f"preset '{name}': {hint(name, presets)}")
    return presets[name]

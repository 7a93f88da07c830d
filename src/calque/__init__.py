"""Phrase-based translation whose weights are learned discriminatively.

model = calque.train(source="train.de", target="train.en", out="model")
model = calque.load("model")
print(model.translate("ein kleines mädchen klettert ."))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calque.api import train
    from calque.decode import Translation, Translator, load
    from calque.errors import CalqueError
    from calque.features import Weights
    from calque.tune import (
        CondensedTask,
        Costmargin,
        DecoderTask,
        Early,
        Local,
        Localupdate,
        Maxviolation,
        Mert,
        Mira,
        NBestTask,
        Perceptron,
        Pro,
        Simplex,
        Standard,
        Xbleu,
    )

_HOMES = {
    "train": "calque.api",
    "Translation": "calque.decode",
    "Translator": "calque.decode",
    "load": "calque.decode",
    "CalqueError": "calque.errors",
    "Weights": "calque.features",
    "CondensedTask": "calque.tune",
    "DecoderTask": "calque.tune",
    "NBestTask": "calque.tune",
}
"""Where public names come from; the trainers of all methods are public too."""

__all__ = [
    "CalqueError",
    "CondensedTask",
    "Costmargin",
    "DecoderTask",
    "Early",
    "Local",
    "Localupdate",
    "Maxviolation",
    "Mert",
    "Mira",
    "NBestTask",
    "Perceptron",
    "Pro",
    "Simplex",
    "Standard",
    "Translation",
    "Translator",
    "Weights",
    "Xbleu",
    "load",
    "train",
]


def __getattr__(name: str) -> Any:
    """A public name, imported from its home when first used: `calque --help` must be quick."""
    import importlib

    if name in _HOMES:
        return getattr(importlib.import_module(_HOMES[name]), name)
    if name[:1].isupper():
        try:
            return getattr(importlib.import_module("calque.tune"), name)
        except AttributeError:
            pass
    raise AttributeError(f"module 'calque' has no attribute '{name}'")

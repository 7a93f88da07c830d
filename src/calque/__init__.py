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
    from calque.tune import DecoderTask, Mert, Mira, NBestTask, Pro, Simplex

__all__ = [
    "CalqueError",
    "DecoderTask",
    "Mert",
    "Mira",
    "NBestTask",
    "Pro",
    "Simplex",
    "Translation",
    "Translator",
    "Weights",
    "load",
    "train",
]

_HOMES = {
    "train": "calque.api",
    "Translation": "calque.decode",
    "Translator": "calque.decode",
    "load": "calque.decode",
    "CalqueError": "calque.errors",
    "Weights": "calque.features",
    "DecoderTask": "calque.tune",
    "Mert": "calque.tune",
    "Mira": "calque.tune",
    "NBestTask": "calque.tune",
    "Pro": "calque.tune",
    "Simplex": "calque.tune",
}


def __getattr__(name: str) -> Any:
    """A public name, imported from its home when first used: `calque --help` must be quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'calque' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)

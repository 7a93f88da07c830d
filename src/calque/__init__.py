"""Phrase-based translation whose weights are learned discriminatively.

model = calque.train(source="train.de", target="train.en", out="model")
model = calque.load("model")
print(model.translate("ein kleines mädchen klettert ."))
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calque.api import train
    from calque.decode import Translation, Translator, load
    from calque.errors import CalqueError
    from calque.features import Weights
    from calque.train import DecoderTask, Mert, Mira, NBestTask, Pro, Simplex

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
    "DecoderTask": "calque.train",
    "Mert": "calque.train",
    "Mira": "calque.train",
    "NBestTask": "calque.train",
    "Pro": "calque.train",
    "Simplex": "calque.train",
}


def __getattr__(name: str) -> Any:
    """A public name, imported from its home when first used: `calque --help` must be quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'calque' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)


class _TrainRoom(ModuleType):
    """The room `calque.train`, which can be called like the function of that name."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from calque.api import train

        return train(*arguments, **options)


class _Package(ModuleType):
    """The package itself: importing its room `train` puts the room where the function was."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "train" and isinstance(value, ModuleType):
            value.__class__ = _TrainRoom
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package

"""Phrase-based translation whose weights are learned discriminatively.

model = calque.train(source="train.de", target="train.en", out="model")
model = calque.load("model")
print(model.translate("ein kleines mädchen klettert ."))
"""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calque.api import train
    from calque.decode import Translation, Translator, load
    from calque.errors import CalqueError
    from calque.features import Weights
    from calque.train import DecoderTask, Mert, Mira, NBestTask, Pro

__all__ = [
    "CalqueError",
    "DecoderTask",
    "Mert",
    "Mira",
    "NBestTask",
    "Pro",
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
}


def __getattr__(name: str) -> Any:
    """A public name, imported from its home when first used: `calque --help` must be quick."""
    if name not in _HOMES:
        raise AttributeError(f"module 'calque' has no attribute '{name}'")
    import importlib

    return getattr(importlib.import_module(_HOMES[name]), name)


class _Package(types.ModuleType):
    """The package, in which `train` is the function even when the room of that name is loaded."""

    @property
    def train(self) -> Any:
        return __getattr__("train")

    @train.setter
    def train(self, room: types.ModuleType) -> None:
        """Drop what importing the room sets; `from calque.train import` finds it all the same."""


sys.modules[__name__].__class__ = _Package

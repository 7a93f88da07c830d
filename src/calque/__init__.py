"""Phrase-based translation whose weights are learned discriminatively.

model = calque.train(source="train.de", target="train.en", out="model")
model = calque.load("model")
print(model.translate("ein kleines mädchen klettert ."))
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calque.api import train
    from calque.config import LeaveOneOutOptions
    from calque.decode import (
        Consensus,
        Explanation,
        Translation,
        TranslationGraph,
        Translator,
        load,
    )
    from calque.errors import CalqueError, CalqueWarning
    from calque.features import Weights
    from calque.hyps import Candidate, NBest, read_nbest, write_nbest
    from calque.metrics import Score, make_metric, score
    from calque.progress import Progress, ProgressLines
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
        Result,
        Simplex,
        Standard,
        Xbleu,
    )

    __version__: str

_HOMES = {
    "train": "api",
    "LeaveOneOutOptions": "config",
    "Consensus": "decode",
    "Explanation": "decode",
    "Translation": "decode",
    "TranslationGraph": "decode",
    "Translator": "decode",
    "load": "decode",
    "CalqueError": "errors",
    "CalqueWarning": "errors",
    "Weights": "features",
    "Candidate": "hyps",
    "NBest": "hyps",
    "read_nbest": "hyps",
    "write_nbest": "hyps",
    "Score": "metrics",
    "make_metric": "metrics",
    "score": "metrics",
    "Progress": "progress",
    "ProgressLines": "progress",
    "CondensedTask": "tune",
    "DecoderTask": "tune",
    "NBestTask": "tune",
    "Result": "tune",
}
"""The room of every public name; the trainers of all methods are public too."""

__all__ = [
    "CalqueError",
    "CalqueWarning",
    "Candidate",
    "CondensedTask",
    "Consensus",
    "Costmargin",
    "DecoderTask",
    "Early",
    "Explanation",
    "LeaveOneOutOptions",
    "Local",
    "Localupdate",
    "Maxviolation",
    "Mert",
    "Mira",
    "NBest",
    "NBestTask",
    "Perceptron",
    "Pro",
    "Progress",
    "ProgressLines",
    "Result",
    "Score",
    "Simplex",
    "Standard",
    "Translation",
    "TranslationGraph",
    "Translator",
    "Weights",
    "Xbleu",
    "load",
    "make_metric",
    "read_nbest",
    "score",
    "train",
    "write_nbest",
]


def __getattr__(name: str) -> Any:
    """A public name, imported from its room when first used: `calque --help` must be quick."""
    import importlib

    if name == "__version__":
        from importlib.metadata import version

        return version("calque")
    if name in _HOMES:
        return getattr(importlib.import_module(f"calque.{_HOMES[name]}"), name)
    if name[:1].isupper():
        try:
            return getattr(importlib.import_module("calque.tune"), name)
        except AttributeError:
            pass
    raise AttributeError(f"module 'calque' has no attribute '{name}'")


def __dir__() -> list[str]:
    """The public names, so that completion and `help` show them before their first use."""
    return [*__all__, "__all__", "__doc__", "__file__", "__name__", "__path__", "__version__"]

"""Weights learned from candidates: tasks, trainers, runs.

Names are imported when they are first used: what lists the methods must not load them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from calque.tune.condensed import CondensedTask
    from calque.tune.decoder_task import DecoderTask
    from calque.tune.loop import Result, Trainer
    from calque.tune.methods.costmargin import Costmargin
    from calque.tune.methods.early import Early
    from calque.tune.methods.local import Local
    from calque.tune.methods.localupdate import Localupdate
    from calque.tune.methods.maxviolation import Maxviolation
    from calque.tune.methods.mert import Mert
    from calque.tune.methods.mira import Mira
    from calque.tune.methods.perceptron import Perceptron
    from calque.tune.methods.pro import Pro
    from calque.tune.methods.simplex import Simplex
    from calque.tune.methods.standard import Standard
    from calque.tune.methods.xbleu import Xbleu
    from calque.tune.nbest_task import NBestTask
    from calque.tune.pool_trainer import PoolTrainer
    from calque.tune.problem import Problem
    from calque.tune.run import Round, Run
    from calque.tune.task import CandidateSource, Selection, Task

_HOMES = {
    "CondensedTask": "condensed",
    "DecoderTask": "decoder_task",
    "Result": "loop",
    "Trainer": "loop",
    "NBestTask": "nbest_task",
    "PoolTrainer": "pool_trainer",
    "Problem": "problem",
    "Round": "run",
    "Run": "run",
    "CandidateSource": "task",
    "Selection": "task",
    "Task": "task",
}

__all__ = [
    "CandidateSource",
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
    "PoolTrainer",
    "Pro",
    "Problem",
    "Result",
    "Round",
    "Run",
    "Selection",
    "Simplex",
    "Standard",
    "Task",
    "Trainer",
    "Xbleu",
]


def __getattr__(name: str) -> Any:
    """A public name of the room, or the trainer of a method."""
    import importlib

    from calque.tune.registry import class_name, find_method, method_names

    if name in _HOMES:
        return getattr(importlib.import_module(f"calque.tune.{_HOMES[name]}"), name)
    for method in method_names():
        if class_name(method) == name:
            return find_method(method)
    raise AttributeError(f"module 'calque.tune' has no attribute '{name}'")

"""Weights learned from candidates: tasks, trainers, runs."""

from calque.tune.decoder_task import DecoderTask
from calque.tune.mert import Mert
from calque.tune.mira import Mira
from calque.tune.nbest_task import NBestTask
from calque.tune.pro import Pro
from calque.tune.run import Round, Run
from calque.tune.simplex import Simplex
from calque.tune.task import Task
from calque.tune.trainer import Problem, Result, Trainer
from calque.tune.working import WorkingPoint, working_point, working_points

TRAINERS: dict[str, type[Mert] | type[Pro] | type[Mira]] = {"mert": Mert, "pro": Pro, "mira": Mira}
"""Trainers in rounds of candidates by the name of their method."""
METHODS: dict[str, type[Mert] | type[Pro] | type[Mira] | type[Simplex]] = {
    **TRAINERS,
    "simplex": Simplex,
}
"""Everything that tunes, by name."""

__all__ = [
    "METHODS",
    "TRAINERS",
    "DecoderTask",
    "Mert",
    "Mira",
    "NBestTask",
    "Pro",
    "Problem",
    "Result",
    "Round",
    "Run",
    "Simplex",
    "Task",
    "Trainer",
    "WorkingPoint",
    "working_point",
    "working_points",
]

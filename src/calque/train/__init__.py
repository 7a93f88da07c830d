"""Weights learned from candidates: tasks, trainers, runs."""

from calque.train.decoder_task import DecoderTask
from calque.train.mert import Mert
from calque.train.mira import Mira
from calque.train.nbest_task import NBestTask
from calque.train.pro import Pro
from calque.train.run import Round, Run
from calque.train.simplex import Simplex
from calque.train.task import Task
from calque.train.trainer import Problem, Result, Trainer
from calque.train.working import WorkingPoint, working_point, working_points

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

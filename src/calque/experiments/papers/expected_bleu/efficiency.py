"""What growth transformation and rules of gradients cost: time, memory, values that move."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from calque.config import TASK_DEFAULTS
from calque.experiments.bench import Bench
from calque.experiments.cell import Cell
from calque.experiments.claim import Claim, stated
from calque.experiments.paper import Entry, Section, Table
from calque.experiments.papers.expected_bleu.cells import (
    ITERATIONS,
    RULES,
    SCALE,
    ExpectedBleuCells,
)
from calque.experiments.papers.expected_bleu.lists import ListsOf
from calque.model import Model
from calque.parallel import alone, peak_memory
from calque.progress import SILENT, Progress
from calque.tune import Run, Xbleu
from calque.tune.loop import Place

GT, RPROP, ADAGRAD = "gt", "rprop", "adagrad"
PAPER = {
    GT: ("GT", 6_080_000, "16 h", "6.7 GB"),
    ADAGRAD: ("AdaGrad", 921_000, "< 2.5 h", "2.1 GB"),
    RPROP: ("RPROP", 921_000, "< 2.5 h", "2.1 GB"),
}
"""The name, values that move, time of all iterations, and memory."""
THREADS = 1
MORE = 1.1
"""So many times as much is clearly more."""


def section(bench: Bench) -> Section:
    """The rules on the same lists, each in a process of its own."""
    work = ExpectedBleuCells(bench)
    n_iterations = bench.rounds(ITERATIONS)
    cells = {rule: _measured(work, rule, n_iterations) for rule in PAPER}
    return Section(
        "Efficiency: growth transformation against rules of gradients",
        [_table(cells, n_iterations)],
        [],
        [_claim(cells)],
        [
            f"Set (a), lists of {len(work.text.sentences):,} training sentences. Each rule has a"
            f" process of its own and {THREADS} thread; seconds are of the processor, for the"
            f" iterations alone; memory is the most that the process held, with the model, of which"
            " files stand behind a part."
        ],
    )


def _measured(work: ExpectedBleuCells, rule: str, n_iterations: int) -> Cell:
    lists, made = work.lists("leave-one-out", "a")

    def measure(folder: Path, progress: Progress) -> Cell:
        with progress.stage(f"{n_iterations} iterations"):
            return Cell(alone(climb, lists, rule, n_iterations))

    depends = {"lists": made.key, "rule": rule, "iterations": n_iterations, "scale": SCALE}
    return work.bench.cell(f"cost-{rule}", depends, measure)


def climb(lists: ListsOf, rule: str, n_iterations: int) -> dict[str, float]:
    """Seconds, megabytes and values that so many iterations over lists take in this process."""
    task = lists.task(Model.load(lists.model), THREADS)
    options: dict[str, Any] = {
        "fixed": "dense",
        "scale": SCALE,
        "clip_bp": False,
        "iterations": n_iterations,
    }
    trainer = Xbleu(**RULES[rule], **options)
    place = Place(Run(None, {}), THREADS, TASK_DEFAULTS.memory_mb, SILENT)
    training, start = trainer.begin(task, place)
    measured = training.measure(0, start)
    begin = time.process_time()
    step = training.step(0, start, measured)
    seconds = time.process_time() - begin
    n_values = 0 if step.weights is None else len(step.weights.sparse)
    return {"seconds": seconds, "memory": peak_memory(), "values": n_values}


def _table(cells: Mapping[str, Cell], n_iterations: int) -> Table:
    rows: list[list[Entry]] = []
    for rule, (name, values, hours, memory) in PAPER.items():
        ours = cells[rule].figures
        rows.append(
            [
                name, values, round(ours["values"]), hours, f"{ours['seconds']:.1f} s",
                memory, f"{ours['memory']:,.0f} MB",
            ]
        )  # fmt: skip
    heads = ["rule", "values, paper", "values here", "time, paper", "time here"]
    caption = f"The cost of {n_iterations} iterations (the paper: {ITERATIONS})."
    return Table(caption, [*heads, "memory, paper", "memory here"], rows)


def _claim(cells: Mapping[str, Cell]) -> Claim:
    slow, fast = cells[GT].figures, cells[RPROP].figures

    def ratio(name: str, what: str) -> str:
        return f"{slow[name] / fast[name]:.1f} times the {what}" if fast[name] else f"no {what}"

    return Claim(
        "E", "Growth transformation is slower and larger: it moves all values that share a phrase"
        " with one of the lists", "6.4 times the time, 3.2 times the memory, 6.6 times the values",
        f"at least {MORE:g} times the processor seconds, memory and values of RPROP",
        [
            stated(slow[name] >= MORE * fast[name], f"GT {verb} {ratio(name, what)}")
            for name, verb, what in (
                ("seconds", "takes", "time"),
                ("memory", "takes", "memory"),
                ("values", "moves", "values"),
            )
        ],
    )  # fmt: skip

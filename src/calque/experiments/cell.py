"""Cells: what one training or decoding gave, kept so that nothing is done twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from calque.errors import FileError
from calque.features import Weights
from calque.text import read_lines, write_lines
from calque.text.files import replacing
from calque.tune.checkpoint import read_weights, write_weights

CELL, WEIGHTS = "cell.json", "weights.npz"
KEY_LENGTH = 8


@dataclass(frozen=True)
class Cell:
    """What one training or decoding gave."""

    figures: Mapping[str, float] = field(default_factory=dict)
    """Scores, counts, seconds by name."""
    curves: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """The same round by round."""
    outputs: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Translations by the name of the text: what tests of significance need."""
    remarks: Sequence[str] = ()
    """What went otherwise than planned."""
    weights: Weights | None = None
    name: str = ""
    key: str = ""
    """Stands for all that the cell depends on; cells that build on it depend on this."""


Work = Callable[[Path], Cell]
"""Fills a folder of its own with what it must not lose, and gives the cell."""


class Cells:
    """The cells of a folder, by name and by all that they depend on.

    A cell counts when its `cell.json` is there; a folder without one is of work that was killed,
    which finds in it what it had put there and goes on.
    """

    def __init__(self, folder: Path, common: Mapping[str, Any]) -> None:
        """Take a folder, and what every cell depends on."""
        self._folder = folder
        self._common = dict(common)
        self._known: dict[str, Cell] = {}

    @property
    def known(self) -> Mapping[str, Cell]:
        """All that were asked for up to now, by name and key, in this order."""
        return self._known

    def cell(self, name: str, depends: Mapping[str, Any], work: Work) -> Cell:
        """The cell of this name and these dependencies (as JSON): read, or worked out and kept."""
        text = json.dumps([name, self._common, depends], sort_keys=True)
        key = hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]
        called = f"{name}.{key}"
        if called not in self._known:
            folder = self._folder / called
            if not (folder / CELL).exists():
                folder.mkdir(parents=True, exist_ok=True)
                _write(folder, work(folder), depends)
            self._known[called] = replace(_read(folder), name=name, key=key)
        return self._known[called]

    def folder(self, cell: Cell) -> Path:
        """Where a cell that was asked for lies."""
        return self._folder / f"{cell.name}.{cell.key}"


def _write(folder: Path, cell: Cell, depends: Mapping[str, Any]) -> None:
    for name, lines in cell.outputs.items():
        write_lines(folder / f"{name}.txt", lines)
    if cell.weights is not None:
        write_weights(folder / WEIGHTS, cell.weights)
    entry = {
        "depends": depends,
        "figures": dict(cell.figures),
        "curves": {name: list(values) for name, values in cell.curves.items()},
        "outputs": list(cell.outputs),
        "remarks": list(cell.remarks),
    }
    with replacing(folder / CELL) as file:
        file.write((json.dumps(entry, indent=1, ensure_ascii=False) + "\n").encode())


def _read(folder: Path) -> Cell:
    try:
        entry = json.loads((folder / CELL).read_text(encoding="utf-8"))
        return Cell(
            entry["figures"],
            entry["curves"],
            {name: list(read_lines(folder / f"{name}.txt")) for name in entry["outputs"]},
            entry["remarks"],
            read_weights(folder / WEIGHTS) if (folder / WEIGHTS).exists() else None,
        )
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(folder / CELL, f"not a cell of an experiment: {error}") from error

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calque.errors import CalqueError, FileError, LineError
from calque.features import Weights
from calque.tune.values import Value


@dataclass(frozen=True)
class Logged:
    """One line of the log."""

    weights: Weights
    value: Value
    seconds: float


class EvaluationLog:
    """All evaluations of a search, in memory and, with a path, in a file of JSON lines.

    Lines are on disk before the next evaluation begins. Numbers are written so that reading gives
    them back bit by bit; a line that a killed process left unfinished is removed.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        """Take the file, which may not exist yet; what it holds is read at once."""
        self.path = None if path is None else Path(path)
        self.lines: list[Logged] = []
        if self.path is not None and self.path.exists():
            try:
                self.lines = list(_read(self.path))
            except OSError as error:
                raise FileError(self.path, f"cannot be read: {error.strerror or error}") from error
        self._since = time.monotonic()

    @property
    def known(self) -> list[tuple[Weights, Value]]:
        """What a search that goes on need not evaluate again."""
        return [(line.weights, line.value) for line in self.lines]

    def append(self, number: int, weights: Weights, value: Value) -> None:
        """Add a line; `number` counts evaluations from 0, the time since the last line is its."""
        now = time.monotonic()
        line = Logged(weights, value, now - self._since)
        self._since = now
        self.lines.append(line)
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(to_json(number, line)) + "\n")
                file.flush()
                os.fsync(file.fileno())


def to_json(number: int, line: Logged) -> dict[str, Any]:
    """A line for JSON; what is no finite number becomes null."""
    return {
        "evaluation": number,
        "error": _finite(line.value.error),
        "scores": {name: _finite(score) for name, score in line.value.scores.items()},
        "hypotheses": line.value.n_hypotheses,
        "words": line.value.n_words,
        "norm": _finite(math.hypot(*line.weights.values())),
        "weights": dict(line.weights),
        "seconds": line.seconds,
    }


def from_json(line: dict[str, Any]) -> Logged:
    """The line that `to_json` wrote."""
    scores = {n: math.nan if one is None else float(one) for n, one in line["scores"].items()}
    error = math.inf if line["error"] is None else float(line["error"])
    value = Value(error, scores, int(line["hypotheses"]), int(line["words"]))
    return Logged(Weights(line["weights"]), value, float(line["seconds"]))


def _read(path: Path) -> Iterator[Logged]:
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            yield from_json(json.loads(line))
        except (ValueError, KeyError, TypeError, AttributeError, CalqueError) as error:
            raise LineError(path, number, "is no evaluation of a run") from error


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None

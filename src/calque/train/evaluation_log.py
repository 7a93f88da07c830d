from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from calque.errors import CalqueError, FileError, LineError
from calque.features import Weights
from calque.train.values import Value


class EvaluationLog:
    """A file with one JSON line per evaluation: weights, error, scores, cost.

    Lines are on disk before the next evaluation begins. Numbers are written so that reading gives
    them back bit by bit; a line that a killed process left unfinished is removed.
    """

    def __init__(self, path: Path | str) -> None:
        """Take the file, which may not exist yet; what it holds is read at once."""
        self.path = Path(path)
        self.known: list[tuple[Weights, Value]] = []
        """What the file held, in order."""
        try:
            self.known = list(self._read())
        except FileNotFoundError:
            pass
        except OSError as error:
            raise FileError(path, f"cannot be read: {error.strerror or error}") from error

    def append(self, number: int, weights: Weights, value: Value) -> None:
        """Add a line; `number` counts evaluations from 1."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(to_line(number, weights, value)) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self) -> Iterator[tuple[Weights, Value]]:
        data = self.path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        if len(whole) < len(data):
            os.truncate(self.path, len(whole))
        for number, line in enumerate(whole.decode("utf-8", "replace").splitlines(), 1):
            try:
                yield from_line(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError, CalqueError) as error:
                raise LineError(self.path, number, "is no evaluation of a run") from error


def to_line(number: int, weights: Weights, value: Value) -> dict[str, Any]:
    """An evaluation for JSON; what is no finite number becomes null."""
    return {
        "evaluation": number,
        "weights": dict(weights),
        "norm": _finite(math.hypot(*weights.values())),
        "error": _finite(value.error),
        "scores": {name: _finite(score) for name, score in value.scores.items()},
        "hypotheses": value.n_hypotheses,
    }


def from_line(line: dict[str, Any]) -> tuple[Weights, Value]:
    """The evaluation that `to_line` wrote."""
    scores = {n: math.nan if one is None else float(one) for n, one in line["scores"].items()}
    error = math.inf if line["error"] is None else float(line["error"])
    return Weights(line["weights"]), Value(error, scores, int(line["hypotheses"]))


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None

"""The folder of a training: what was asked, one JSON line per round, and all that goes on from it.

run.json          method, options, seed, inputs by content, metric, features
rounds.jsonl      one line per finished round; the last complete line is the checkpoint
weights/NNN.npz   the weights that round NNN begins with: of the first round, the best, the last
state/NNN.npz     whatever else the method carries into round NNN
pool/NNN.KKK.npz  candidates that round NNN brought
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Set
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from numpy.typing import NDArray

from calque.config import renamed, to_mapping
from calque.errors import CalqueError, FileError
from calque.features import Weights
from calque.text.arrays import read_arrays, write_arrays
from calque.text.files import PART, replacing, take_lock
from calque.tune.checkpoint import read_weights, write_weights
from calque.tune.task import Task

FORMAT = "calque-run"
HEADER, ROUNDS, LOCK = "run.json", "rounds.jsonl", ".lock"
FOLDERS = WEIGHTS, STATE, POOL = "weights", "state", "pool"

State = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Round:
    """What one round found out."""

    round: int
    score: float
    """Of the choice under this round's weights: the decoder's own output, or out of the lists; on
    the development text where there is one. Not a number where there is no score."""
    length_ratio: float
    """Words of that choice per word of the references."""
    n_candidates: int = 0
    """Distinct candidates up to now."""
    n_new: int = 0
    train_score: float | None = None
    """The score on the text that is learned from, where another one chooses the round."""
    pool_score: float | None = None
    """Of the next weights' choice out of everything in the pool; none where there are none."""
    change: float | None = None
    """The largest change of a weight, as a share of the largest weight."""
    n_hypotheses: int | None = None
    """Steps that the search tried, where they were counted."""
    scores: dict[str, float] | None = None
    """By other metrics too, where they were asked."""
    stopped: str | None = None
    """Why the training ended here."""
    guard: str | None = None
    """What went wrong; the weights that led there are not used."""
    seconds: float = 0.0

    def to_json(self) -> str:
        """One line; a score that is no number is null."""
        line = {**asdict(self), "score": _finite(self.score)}
        if self.scores is not None:
            line["scores"] = {name: _finite(score) for name, score in self.scores.items()}
        return json.dumps(line, allow_nan=False)

    @classmethod
    def from_json(cls, line: str | bytes) -> Round:
        """The round of a line; raises `ValueError` or `TypeError` where it is none."""
        values = json.loads(line)
        if not isinstance(values, dict) or not isinstance(values.get("round"), int):
            raise ValueError("expected an object with the number of a round")
        if (scores := values.get("scores")) is not None:
            values["scores"] = {name: _number(score) for name, score in scores.items()}
        return cls(**{**values, "score": _number(values["score"])})


def header(method: str, options: Any, seed: int, task: Task) -> dict[str, Any]:
    """What makes a run the run of one command: a folder is continued only by the same."""
    return {
        "format": FORMAT,
        "calque": version("calque"),
        "method": method,
        "options": to_mapping(options),
        "seed": seed,
        "metric": task.metric.name,
        "signature": task.metric.signature,
        "inputs": task.inputs,
        "features": list(task.source.dense_names),
    }


class Run:
    """The rounds of a training in memory and, with a folder, on disk.

    A round counts from the moment its line is complete in `rounds.jsonl`; everything the line
    stands for is on disk before it. A process killed at any time leaves a run that continues with
    the round it was in. What a round computes depends only on the seed, its number, the weights,
    the state and the pool, so that the end is the same bit for bit.
    """

    def __init__(
        self,
        folder: Path | str | None,
        header: Mapping[str, Any],
        options: type[Any] | None = None,
    ) -> None:
        """Begin a run, or continue the one in `folder` if `header` is the same.

        `options` is the dataclass of those in the header: earlier versions called some otherwise.
        """
        self._options = options
        self.rounds: list[Round] = []
        self.folder = None if folder is None else Path(folder)
        self._weights: dict[int, Weights] = {}
        self._state: State = {}
        self._lock: IO[bytes] | None = None
        if self.folder is not None:
            try:
                self._open(self.folder, header)
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Let others write to the folder."""
        if self._lock is not None:
            self._lock.close()

    @property
    def is_finished(self) -> bool:
        """Whether the last round has said why it was the last."""
        return bool(self.rounds) and self.rounds[-1].stopped is not None

    def weights(self, round: int) -> Weights:
        """The weights that a round began with: the first, the last, or one that was kept."""
        if round not in self._weights and self.folder is not None:
            self._weights[round] = read_weights(_numbered(self.folder, WEIGHTS, round))
        return self._weights[round]

    def state(self) -> State:
        """What the method carried into the round that comes now."""
        if not self._state and self.folder is not None:
            path = _numbered(self.folder, STATE, len(self.rounds))
            self._state = read_arrays(path) if path.exists() else {}
        return self._state

    @property
    def pool(self) -> Path | None:
        """The folder of candidates."""
        return None if self.folder is None else self.folder / POOL

    def pool_files(self, round: int) -> list[Path]:
        """The candidates that a round brought, in their order."""
        return [] if self.pool is None else sorted(self.pool.glob(f"{round:03}.*.npz"))

    def begin(self, round: int, weights: Weights, state: Mapping[str, NDArray[Any]]) -> None:
        """Keep weights and state of a round before it begins."""
        self._weights[round] = weights
        self._state = dict(state)
        if self.folder is not None:
            write_weights(_numbered(self.folder, WEIGHTS, round), weights)
            if state:
                write_arrays(_numbered(self.folder, STATE, round), state)

    def finish(
        self,
        done: Round,
        following: Weights | None,
        state: Mapping[str, NDArray[Any]],
        keep: Set[int],
    ) -> None:
        """Keep a round and the weights of the one that follows, if any; of earlier ones, `keep`."""
        if following is not None:
            self.begin(done.round + 1, following, state)
        self.rounds.append(done)
        if self.folder is not None:
            with (self.folder / ROUNDS).open("a", encoding="utf-8") as file:
                file.write(done.to_json() + "\n")
                file.flush()
                os.fsync(file.fileno())
        kept = {*keep, done.round if following is None else done.round + 1}
        for old in [round for round in self._weights if round not in kept]:
            del self._weights[old]
        if self.folder is not None:
            _remove_others(self.folder / WEIGHTS, kept)
            _remove_others(self.folder / STATE, {done.round + 1})

    def _open(self, folder: Path, header: Mapping[str, Any]) -> None:
        # Names of files may hold bytes that are no text: they are compared as they can be written.
        wanted = json.loads(json.dumps(header, ensure_ascii=False).encode("utf-8", "replace"))
        try:
            for part in (folder, *(folder / name for name in FOLDERS)):
                part.mkdir(parents=True, exist_ok=True)
            self._lock = take_lock(folder / LOCK)
        except BlockingIOError:
            raise CalqueError(f"{folder}: another process is writing this run") from None
        except OSError as error:
            raise FileError(folder, f"cannot be written: {error.strerror}") from error
        for place in (folder, *(folder / name for name in FOLDERS)):
            for left in place.glob(f".*{PART}"):  # what a killed process was writing
                left.unlink(missing_ok=True)
        path = folder / HEADER
        if not path.exists():
            strange = sorted(
                file.name for file in folder.iterdir() if file.name not in (LOCK, *FOLDERS)
            )
            if strange:
                raise CalqueError(
                    f"{folder}: holds other files ({strange[0]}) and no run: expected a new folder"
                )
            with replacing(path) as file:
                file.write((json.dumps(wanted, indent=1, ensure_ascii=False) + "\n").encode())
            return
        try:
            head = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise FileError(path, f"not the header of a run: {error}") from error
        stored = head.get("options") if isinstance(head, dict) else None
        if self._options is not None and isinstance(stored, dict):
            head["options"] = renamed(self._options, stored)
        difference = _difference(head, wanted)
        if difference is not None:
            raise CalqueError(
                f"{folder}: this folder belongs to a run with other settings: {difference}"
            )
        self.rounds = _read_rounds(folder / ROUNDS)


def _read_rounds(path: Path) -> list[Round]:
    """The rounds of complete lines; what a killed process left of another one is removed."""
    if not path.exists():
        return []
    text = path.read_bytes()
    whole = text[: text.rfind(b"\n") + 1]
    if whole != text:
        with replacing(path) as file:
            file.write(whole)
    rounds = []
    for number, line in enumerate(whole.splitlines(), 1):
        try:
            rounds.append(Round.from_json(line))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise FileError(path, f"line {number}: not a round: {error}") from error
    return rounds


def _finite(score: float) -> float | None:
    return score if math.isfinite(score) else None


def _number(score: float | None) -> float:
    return math.nan if score is None else float(score)


def _numbered(folder: Path, kind: str, round: int) -> Path:
    return folder / kind / f"{round:03}.npz"


def _remove_others(folder: Path, kept: Set[int]) -> None:
    names = {f"{round:03}.npz" for round in kept}
    for path in folder.glob("*.npz"):
        if path.name not in names:
            path.unlink()


def _difference(stored: Any, wanted: Any, key: str = "") -> str | None:
    """The first entry in which two JSON values differ, in words."""
    if isinstance(stored, dict) and isinstance(wanted, dict):
        for name in {**stored, **wanted}:
            inner = f"{key}.{name}" if key else str(name)
            problem = _difference(stored.get(name), wanted.get(name), inner)
            if problem is not None:
                return problem
        return None
    if isinstance(stored, list) and isinstance(wanted, list) and len(stored) == len(wanted):
        for at, (own, other) in enumerate(zip(stored, wanted, strict=True)):
            problem = _difference(own, other, f"{key}[{at}]")
            if problem is not None:
                return problem
        return None
    if stored == wanted:
        return None
    return f"{key} is {_short(stored)} there and {_short(wanted)} here"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."

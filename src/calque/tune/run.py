"""The folder of a training: what was asked, one JSON line per round, and all that goes on from it.

run.json         method, options, seed, inputs by content, metric, features
rounds.jsonl     one line per finished round; the last complete line is the checkpoint
weights/NNN.txt  the weights that round NNN begins with
pool/NNN.npz     the candidates that round NNN brought
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any

from calque.config import to_mapping
from calque.errors import CalqueError, FileError
from calque.hyps import CandidatePool
from calque.hyps.weights import read_weights, write_weights
from calque.tune.task import Task

FORMAT = "calque-run"
HEADER, ROUNDS, LOCK = "run.json", "rounds.jsonl", ".lock"


@dataclass(frozen=True)
class Round:
    """What one round found out."""

    round: int
    score: float
    """Of the choice under this round's weights: the decoder's own output, or out of the lists."""
    length_ratio: float
    """Words of that choice per word of the references."""
    n_candidates: int
    """Distinct candidates up to now."""
    n_new: int
    pool_score: float | None
    """Of the next weights' choice out of everything in the pool; none where there are none."""
    change: float | None
    """The largest change of a weight, as a share of the largest weight."""
    stopped: str | None
    """Why the training ended here."""
    guard: str | None
    """What went wrong; the weights that led there are not used."""
    seconds: float


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
        "features": list(task.dense_names),
    }


class Run:
    """The rounds of a training in memory and, with a folder, on disk.

    A round counts from the moment its line is complete in `rounds.jsonl`; everything the line
    stands for is on disk before it. A process killed at any time leaves a run that continues with
    the round it was in. What a round computes depends only on the seed, its number, the weights
    and the pool, so that the end is the same bit for bit.
    """

    def __init__(self, folder: Path | str | None, header: Mapping[str, Any]) -> None:
        """Begin a run, or continue the one in `folder` if `header` is the same."""
        self.rounds: list[Round] = []
        self._weights: dict[int, dict[str, float]] = {}
        self._folder = None if folder is None else Path(folder)
        self._lock: IO[str] | None = None
        if self._folder is not None:
            try:
                self._open(self._folder, header)
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Let others write to the folder."""
        if self._lock is not None:
            self._lock.close()

    def weights(self, round: int) -> dict[str, float]:
        """The weights that a round began with."""
        return self._weights[round]

    def begin(self, round: int, weights: Mapping[str, float]) -> None:
        """Keep the weights of a round before it begins."""
        self._weights[round] = dict(weights)
        if self._folder is not None:
            write_weights(self._folder / "weights" / f"{round:03}.txt", weights)

    def keep_pool(self, round: int, pool: CandidatePool) -> None:
        """Keep what a round brought to the pool."""
        if self._folder is not None:
            _write(self._folder / "pool" / f"{round:03}.npz", pool.last_batch())

    def finish(self, done: Round, following: Mapping[str, float] | None) -> None:
        """Keep a round and the weights of the one that follows, if any."""
        if following is not None:
            self.begin(done.round + 1, following)
        self.rounds.append(done)
        if self._folder is not None:
            with (self._folder / ROUNDS).open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(done)) + "\n")
                file.flush()
                os.fsync(file.fileno())

    def restore(self, pool: CandidatePool) -> None:
        """Fill the pool with what the finished rounds brought."""
        if self._folder is not None:
            for done in self.rounds:
                if done.n_new:
                    pool.load_batch(self._folder / "pool" / f"{done.round:03}.npz")

    def _open(self, folder: Path, header: Mapping[str, Any]) -> None:
        wanted = json.loads(json.dumps(header))
        try:
            for part in (folder, folder / "weights", folder / "pool"):
                part.mkdir(parents=True, exist_ok=True)
            self._lock = (folder / LOCK).open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CalqueError(f"{folder}: another process is writing this run") from None
        except OSError as error:
            raise FileError(folder, f"cannot be written: {error.strerror}") from error
        path = folder / HEADER
        if not path.exists():
            strange = sorted(
                file.name for file in folder.iterdir() if file.name not in (LOCK, "weights", "pool")
            )
            if strange:
                raise CalqueError(
                    f"{folder}: holds other files ({strange[0]}) and no run: expected a new folder"
                )
            _write(path, (json.dumps(wanted, indent=1, ensure_ascii=False) + "\n").encode())
            return
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise FileError(path, f"not the head of a run: {error}") from error
        difference = _difference(found, wanted)
        if difference is not None:
            raise CalqueError(f"{folder}: the run of another command: {difference}")
        self._read_rounds(folder)

    def _read_rounds(self, folder: Path) -> None:
        path = folder / ROUNDS
        if not path.exists():
            return
        text = path.read_bytes()
        whole = text[: text.rfind(b"\n") + 1]
        if whole != text:  # killed while it wrote a line
            _write(path, whole)
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                done = Round(**json.loads(line))
            except (ValueError, TypeError) as error:
                raise FileError(path, f"line {number}: not a round: {error}") from error
            self.rounds.append(done)
        last = len(self.rounds) - (1 if self.rounds and self.rounds[-1].stopped else 0)
        for round in range(last + 1 if self.rounds else 0):
            self._weights[round] = read_weights(folder / "weights" / f"{round:03}.txt")


def _difference(found: Any, wanted: Any, key: str = "") -> str | None:
    """The first entry in which two JSON values differ, in words."""
    if isinstance(found, dict) and isinstance(wanted, dict):
        for name in {**found, **wanted}:
            inner = f"{key}.{name}" if key else str(name)
            problem = _difference(found.get(name), wanted.get(name), inner)
            if problem is not None:
                return problem
        return None
    if isinstance(found, list) and isinstance(wanted, list) and len(found) == len(wanted):
        for at, (one, other) in enumerate(zip(found, wanted, strict=True)):
            problem = _difference(one, other, f"{key}[{at}]")
            if problem is not None:
                return problem
        return None
    if found == wanted:
        return None
    return f"{key} is {_short(found)} there and {_short(wanted)} here"


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "..."


def _write(path: Path, content: bytes) -> None:
    """Write a file that appears complete or not at all."""
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise FileError(path, f"cannot be written: {error.strerror or error}") from error

"""Run folders as a report takes them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calque.errors import FileError, OptionError
from calque.hyps.weights import read_weights
from calque.metrics import make_metric
from calque.report.record import RoundRecord, RunRecord
from calque.tune.examples import EXAMPLES, Example
from calque.tune.guards import length_trouble
from calque.tune.run import FORMAT, HEADER, ROUNDS
from calque.tune.simplex import EVALUATIONS


def read_runs(folders: Sequence[Path | str]) -> list[RunRecord]:
    """The runs in these folders, each called by as much of its path as tells them apart."""
    paths = [Path(folder) for folder in folders]
    parts = [path.resolve().parts for path in paths]
    length = next(n for n in range(1, 1 + max(map(len, parts), default=0)) if _differ(parts, n))
    names = ["/".join(one[-length:]) for one in parts]
    return [read_run(path, name) for path, name in zip(paths, names, strict=True)]


def _differ(paths: Sequence[tuple[str, ...]], n_last: int) -> bool:
    """Whether the last parts of paths tell apart those that are not the same."""
    return len({path[-n_last:] for path in paths}) == len(set(paths))


def read_run(folder: Path | str, name: str | None = None) -> RunRecord:
    """What a run folder tells; a run that is still at work, or was killed, is told up to there.

    Raises `FileError` where the folder holds no run or a file of it is damaged.
    """
    folder = Path(folder)
    header = _header(folder)
    try:
        return _record(folder, name or folder.resolve().name, header)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise FileError(folder, f"is a damaged run: {error!r}") from error


def _record(folder: Path, name: str, header: dict[str, Any]) -> RunRecord:
    higher = _higher_is_better(header["metric"])
    lines = _json_lines(folder / ROUNDS)
    evaluations = _json_lines(folder / EVALUATIONS)
    if evaluations:
        rounds = [_evaluation(line, header["metric"]) for line in evaluations]
        start, weights = evaluations[0]["weights"], [line["weights"] for line in evaluations]
    else:
        rounds = [_round(line) for line in lines]
        weights = [_weights(folder, one.number) for one in rounds]
        start = weights[0] if weights else {}
    chosen = _chosen(rounds, higher)
    ended = [line["stopped"] for line in lines if line["stopped"]]
    return RunRecord(
        name,
        str(header["method"]),
        str(header["metric"]),
        rounds,
        higher,
        header.get("seed"),
        str(header.get("signature", "")),
        None if chosen is None else rounds[chosen].number,
        str(ended[-1]) if ended else None,
        dict(header.get("options", {})),
        start,
        {} if chosen is None else weights[chosen],
        [f"round {line['round']}: {line['guard']}" for line in lines if line["guard"]],
        [Example(**line) for line in _json_lines(folder / EXAMPLES)],
    )


def _round(line: dict[str, Any]) -> RoundRecord:
    return RoundRecord(
        int(line["round"]),
        line["score"],
        line["pool_score"],
        line["length_ratio"],
        line["n_candidates"],
        seconds=line["seconds"],
    )


def _evaluation(line: dict[str, Any], metric: str) -> RoundRecord:
    return RoundRecord(
        int(line["evaluation"]),
        line["scores"][metric],
        n_hypotheses=int(line["hypotheses"]),
        seconds=line["seconds"],
    )


def _chosen(rounds: Sequence[RoundRecord], higher_is_better: bool) -> int | None:
    """The round of the best score whose output has a sound length, the first of equals."""
    best: int | None = None
    for index, one in enumerate(rounds):
        if one.score is None or not math.isfinite(one.score):
            continue
        if index and one.length_ratio is not None and length_trouble(one.length_ratio):
            continue
        before = None if best is None else rounds[best].score
        if before is None or (one.score > before if higher_is_better else one.score < before):
            best = index
    return best


def _header(folder: Path) -> dict[str, Any]:
    path = folder / HEADER
    if not path.is_file():
        what = "there is no such folder" if not folder.exists() else "holds no run"
        raise FileError(folder, f"{what}: expected a folder that calque tune --run has written")
    try:
        header = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise FileError(path, f"not the head of a run: {error}") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileError(path, f"not the head of a run: expected format '{FORMAT}'")
    return header


def _json_lines(path: Path) -> list[dict[str, Any]]:
    """The complete lines of a file, which may not be there."""
    if not path.is_file():
        return []
    data = path.read_bytes()
    lines = data[: data.rfind(b"\n") + 1].splitlines()
    found: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            found.append(json.loads(line))
        except ValueError as error:
            raise FileError(path, f"line {number}: not JSON: {error}") from error
    return found


def _weights(folder: Path, round: int) -> dict[str, float]:
    return read_weights(folder / "weights" / f"{round:03}.txt")


def _higher_is_better(metric: str) -> bool:
    try:
        return make_metric(metric).higher_is_better
    except OptionError:  # scores of one's own: more is better
        return True

"""Run folders as a report takes them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from calque.errors import FileError, OptionError
from calque.features import Weights
from calque.metrics import make_metric
from calque.report.record import RoundRecord, RunRecord
from calque.tune.checkpoint import read_weights
from calque.tune.examples import EXAMPLES, Example
from calque.tune.guards import length_trouble
from calque.tune.run import FORMAT, HEADER, ROUNDS, WEIGHTS, Round


def read_runs(folders: Sequence[Path | str]) -> list[RunRecord]:
    """The runs in these folders, each called by as much of its path as tells them apart."""
    paths = [Path(folder) for folder in folders]
    parts = [path.resolve().parts for path in paths]
    length = next(n for n in range(1, 1 + max(map(len, parts), default=0)) if _differ(parts, n))
    names = ["/".join(path[-length:]) for path in parts]
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
    done = [Round.from_json(line) for line in _lines(folder / ROUNDS)]
    rounds = [_round(each) for each in done]
    guards_length = all(each.n_hypotheses is None for each in done)
    takes_last = dict(header.get("options", {})).get("take") == "last"
    chosen = _chosen(rounds, higher, guards_length, takes_last)
    ended = [each.stopped for each in done if each.stopped]
    return RunRecord(
        name=name,
        method=str(header["method"]),
        metric=str(header["metric"]),
        rounds=rounds,
        higher_is_better=higher,
        seed=header.get("seed"),
        signature=str(header.get("signature", "")),
        chosen=None if chosen is None else rounds[chosen].number,
        reason=str(ended[-1]) if ended else None,
        options=dict(header.get("options", {})),
        start_weights=_weights(folder, 0) if rounds else Weights({}),
        end_weights=Weights({}) if chosen is None else _weights(folder, chosen),
        warnings=[f"round {each.round}: {each.guard}" for each in done if each.guard],
        examples=[Example(**json.loads(line)) for line in _lines(folder / EXAMPLES)],
    )


def _round(done: Round) -> RoundRecord:
    return RoundRecord(
        number=done.round,
        score=done.score if math.isfinite(done.score) else None,
        pool_score=done.pool_score,
        length_ratio=done.length_ratio,
        pool_size=done.n_candidates or None,
        n_hypotheses=done.n_hypotheses,
        seconds=done.seconds,
    )


def _chosen(
    rounds: Sequence[RoundRecord], higher_is_better: bool, guards_length: bool, takes_last: bool
) -> int | None:
    """The round of the best score, the first of equals, or the last, of output of sound length."""
    best: int | None = None
    for index, row in enumerate(rounds):
        if row.score is None:
            continue
        ratio, first = row.length_ratio, rounds[0].length_ratio
        if ratio is None or first is None or not guards_length:
            ratio = first = 1.0
        if index and length_trouble(ratio, first):
            continue
        before = None if best is None else rounds[best].score
        if (
            takes_last
            or before is None
            or (row.score > before if higher_is_better else row.score < before)
        ):
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
        raise FileError(path, f"not the header of a run: {error}") from error
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise FileError(path, f"not the header of a run: expected format '{FORMAT}'")
    return header


def _lines(path: Path) -> list[bytes]:
    """The complete lines of a file, which may not be there."""
    if not path.is_file():
        return []
    data = path.read_bytes()
    return data[: data.rfind(b"\n") + 1].splitlines()


def _weights(folder: Path, round: int) -> Weights:
    return read_weights(folder / WEIGHTS / f"{round:03}.npz")


def _higher_is_better(metric: str) -> bool:
    try:
        return make_metric(metric).higher_is_better
    except OptionError:  # scores of one's own: more is better
        return True

"""What `score` and `compare` read: metrics by name, and files whose lines belong together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

import numpy as np
import typer

from calque.cli.console import Console
from calque.cli.files import READS
from calque.config import parse_value
from calque.errors import CalqueError, FileError, OptionError
from calque.metrics import (
    METRIC_NAMES,
    METRICS,
    ExternalScores,
    Metric,
    make_metric,
    settings_of,
)
from calque.metrics.names import check_name
from calque.text import read_lines

DEFAULT_METRICS = ",".join(METRICS)

References = Annotated[
    list[Path],
    typer.Option(
        "--reference", metavar="F", help="Reference translations; repeat for several references."
    ),
    READS,
]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        metavar="NAME,..",
        help=f"Metrics, separated by commas or repeated ({DEFAULT_METRICS} by default):"
        f" {', '.join(METRIC_NAMES)}.",
    ),
]
Tokenize = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="How words are split (13a by default); none splits at spaces only."
    ),
]
MetricSet = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="METRIC.KEY=VALUE", help="Set an option of a metric; may be repeated."
    ),
]
Scores = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="F",
        help="Scores for the metric 'external', one per line; one file for each file of"
        " translations, in the same order.",
    ),
    READS,
]
EXTERNAL = ExternalScores.name
_ENDS_IN_TOKEN = re.compile(r" [.?!。？！]\s*\Z")


@dataclass(frozen=True)
class MetricFlags:
    """What the command line says about metrics."""

    names: Sequence[str] | None
    """Each with commas; none: the usual ones."""
    tokenize: str | None
    assignments: Sequence[str] | None
    scores: Sequence[Path] | None


@dataclass(frozen=True)
class SystemFiles:
    """A system as named on the command line: one file of translations per run."""

    name: str
    runs: tuple[Path, ...]


def read_sentences(path: Path) -> list[str]:
    """The lines of a file that must have some."""
    lines = list(read_lines(path))
    if not lines:
        raise FileError(path, "is empty: it has no lines to score")
    return lines


def read_parallel(path: Path, n_lines: int, beside: Path) -> list[str]:
    """The lines of a file that must have as many as another one, of which `n_lines` are known."""
    lines = read_sentences(path)
    if len(lines) != n_lines:
        raise CalqueError(
            f"{beside} has {n_lines:,} lines, but {path} has {len(lines):,}: expected equal numbers"
        )
    return lines


def warn_of_tokens(
    console: Console, path: Path, lines: Sequence[str], metrics: Sequence[Metric]
) -> None:
    """Warn where words of tokenised text would be split once more: such scores mislead."""
    splitting = {str(tokenize) for metric in metrics if (tokenize := _tokenizer_of(metric))}
    n_tokenised = sum(1 for line in lines if _ENDS_IN_TOKEN.search(line))
    if splitting and 2 * n_tokenised > len(lines):
        console.warn(
            f"{path}: looks tokenised ({n_tokenised:,} of {len(lines):,} lines end in ' .' or the"
            f" like), but is split again by {', '.join(sorted(splitting))}: give --tokenize none"
        )


def _tokenizer_of(metric: Metric) -> str | None:
    """How a metric splits words that spaces do not separate, if it does."""
    tokenize = getattr(metric, "tokenize", None)
    return None if tokenize in (None, "none") else str(tokenize)


def parse_systems(values: Sequence[str]) -> list[SystemFiles]:
    """The systems of `--system [NAME=]F[,F..]` options; a file may be a pattern (`run*.en`).

    Without a name a system is called by its first file: by the file's name where that tells the
    systems apart, else by its path.
    """
    named = [_name_and_files(value) for value in values]
    short = [name or runs[0].name for name, runs in named]
    if len(set(short)) < len(short):
        short = [name or str(runs[0]) for name, runs in named]
    for name in short:
        if short.count(name) > 1:
            raise OptionError(f"two systems are called '{name}': give them names, NAME=FILE")
    return [SystemFiles(name, runs) for name, (_, runs) in zip(short, named, strict=True)]


def _name_and_files(value: str) -> tuple[str, tuple[Path, ...]]:
    if Path(value).exists():  # whatever signs its name has
        return "", (Path(value),)
    name, equals, files = value.partition("=")
    if not equals or "/" in name:
        name, files = "", value
    elif not name.strip():
        raise OptionError(f"--system {value}: expected a name before '='")
    runs = tuple(run for file in files.split(",") for run in _matching(file.strip(), value))
    return name.strip(), runs


def _matching(file: str, value: str) -> list[Path]:
    """The file, or those that match it where it is a pattern, in the order of their names."""
    if not file:
        raise OptionError(f"--system {value}: expected a file, or files separated by commas")
    path = Path(file)
    if path.exists() or not any(sign in file for sign in "*?["):
        return [path]
    paths = sorted(Path(path.anchor or ".").glob(str(path.relative_to(path.anchor))))
    if not paths:
        raise FileError(file, "no file matches this pattern")
    return paths


def make_metrics(flags: MetricFlags, n_files: int, n_lines: int) -> list[Metric]:
    """The metrics that were asked for; external scores need to know what they are scores of."""
    said = ",".join(flags.names or [DEFAULT_METRICS])
    names = [name.strip() for name in said.split(",")]
    settings: dict[str, dict[str, Any]] = {}
    for name in names:
        if name in settings:
            raise OptionError(f"--metric {said}: '{name}' is there twice")
        splits = flags.tokenize is not None and "tokenize" in settings_of(name)
        settings[name] = {"tokenize": flags.tokenize} if splits else {}
    if flags.tokenize is not None and not any(settings.values()):
        raise OptionError(f"--tokenize {flags.tokenize}: {said} does not split words")
    if EXTERNAL in settings:
        settings[EXTERNAL] |= _external(flags.scores or [], n_files, n_lines)
    elif flags.scores:
        raise OptionError(f"--scores are those of the metric {EXTERNAL}: put it in --metric")
    for assignment in flags.assignments or ():
        name, option, value = parse_setting(assignment)
        if name not in settings:
            raise OptionError(f"--set {assignment}: '{name}' is not in --metric {said}")
        settings[name][option] = value
    return [make_metric(name, **settings[name]) for name in names]


def parse_setting(assignment: str) -> tuple[str, str, Any]:
    """The metric, the option and the value of `--set metric.key=value`."""
    key, equals, value = (part.strip() for part in assignment.partition("="))
    name, dot, option = key.rpartition(".")
    if not equals or not dot:
        raise OptionError(f"--set {assignment}: expected metric.key=value")
    if key in (f"{EXTERNAL}.scores", f"{EXTERNAL}.source"):
        raise OptionError(f"--set {assignment}: give --scores F instead")
    check_name("metric", name, METRIC_NAMES)
    return name, option, _value(name, option, value)


def _external(files: Sequence[Path], n_files: int, n_lines: int) -> dict[str, Any]:
    """The settings of external scores: the numbers of all files, in the order of the files."""
    if len(files) != n_files:
        raise OptionError(
            f"the metric {EXTERNAL} takes one --scores F for each file of translations:"
            f" expected {n_files}, found {len(files)}"
        )
    numbers = [ExternalScores.read(file).scores for file in files]
    for file, own in zip(files, numbers, strict=True):
        if len(own) != n_lines:
            raise FileError(file, f"has {len(own):,} scores, expected one for each of {n_lines:,}")
    source = ",".join(file.name for file in files)
    return {"scores": np.concatenate(numbers), "source": source}


def _value(name: str, option: str, text: str) -> Any:
    """What `text` spells for an option of a metric; what it cannot take is left to the metric."""
    kind = ExternalScores if name == EXTERNAL else type(make_metric(name))
    hint = get_type_hints(kind).get(option, str)
    if Path in get_args(hint):
        return Path(text)
    return parse_value(hint, text)

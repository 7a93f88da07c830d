"""Options that several verbs share, and how options dataclasses meet the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from calque.config import from_toml, settings

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show results and errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for programs.")]
Threads = Annotated[
    int | None,
    typer.Option(help="Threads or processes; every core by default. Never changes a result."),
]
Config = Annotated[
    Path | None, typer.Option("--config", help="TOML file with options; see docs/options.md.")
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set one option; may be repeated."),
]

Options = TypeVar("Options")


def options_from(defaults: Options, config: Path | None, assignments: list[str] | None) -> Options:
    """The defaults, overridden by the TOML file, overridden by `--set` assignments."""
    if config is not None:
        defaults = from_toml(defaults, config)
    return settings(defaults, assignments or ())


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(value, indent=1, ensure_ascii=False))

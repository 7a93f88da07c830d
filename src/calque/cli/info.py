from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Column, Table

from calque.cli.common import Json, Quiet, print_json
from calque.cli.console import Console
from calque.cli.files import READS
from calque.model import ModelFolder


def info(
    model: Annotated[Path, typer.Argument(metavar="DIR", help="The model folder."), READS],
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what a model folder holds, and check every file against its checksum.

    Example: [bold]calque info demo/near.model[/]
    """
    console = Console(quiet)
    folder = ModelFolder(model)
    folder.verify(console)
    description = describe(folder)
    if json:
        print_json(description)
        return
    console.print(f"[bold]{escape(str(model))}[/]: a model of Calque, every checksum right")
    rows = _flat(description["info"])
    width = max((len(key) for key, _ in rows), default=0)
    for key, value in rows:
        console.print(escape(f"  {key:<{width}}  {_plain(value)}"))
    content = Column("content", overflow="fold")
    table = Table("part", "files", "bytes", content, box=None, header_style="bold")
    for name, part in description["parts"].items():
        table.add_row(name, str(part["files"]), f"{part['bytes']:,}", part["content"])
    console.print(table)


def describe(folder: ModelFolder) -> dict[str, Any]:
    """What the folder holds, as plain values."""
    parts: dict[str, list[str]] = defaultdict(list)
    for name in folder.names():
        parts[name.partition("/")[0]].append(name)
    return {
        "path": str(folder.path),
        "info": dict(folder.manifest.info),
        "bytes": sum(entry.bytes for entry in folder.manifest.entries.values()),
        "parts": {
            part: {
                "files": len(names),
                "bytes": sum(folder.manifest.entries[name].bytes for name in names),
                "content": ", ".join(_content(folder, name) for name in names),
            }
            for part, names in parts.items()
        },
    }


def _content(folder: ModelFolder, name: str) -> str:
    """A few words on one file: the shape of an array, the number of lines of a text."""
    short = name.partition("/")[2] or name
    suffix = Path(folder.manifest.entries[name].file).suffix
    if suffix == ".npy":
        return f"{short} {'x'.join(str(n) for n in folder.array(name).shape)}"
    if suffix == ".txt":
        return f"{short} {folder.text(name).count(chr(10)):,} lines"
    return short


def _flat(values: dict[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for key, value in values.items():
        if isinstance(value, dict):
            rows += _flat(value, f"{prefix}{key}.")
        else:
            rows.append((prefix + key, value))
    return rows


def _plain(value: Any) -> str:
    """A value as a user would type it."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.table import Column, Table

from calque.cli.common import Json, Quiet, print_json
from calque.cli.console import Console
from calque.cli.files import READS
from calque.config import TrainOptions, to_mapping
from calque.errors import OptionError
from calque.model import DEFAULT, ModelFolder
from calque.model.manifest import FILE_NAME
from calque.model.weights import weight_names


def info(
    path: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The model folder."), READS
    ] = None,
    model: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The same, as other commands take it."), READS
    ] = None,
    all: Annotated[
        bool, typer.Option("--all", help="Show every option and every file of the folder, too.")
    ] = False,
    json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Show what a model folder holds, and check every file against its checksum.

    [bold]calque info demo/near.model[/]
    """
    given = path or model
    if given is None or (path is not None and model is not None):
        raise OptionError("give the model folder: calque info DIR")
    console = Console(quiet)
    folder = ModelFolder(given)
    folder.verify(console)
    description = describe(folder)
    if json:
        print_json(description)
        return
    console.print(f"[bold]{escape(str(given))}[/]: a model of Calque, every checksum right\n")
    _print_rows(console, list(_summary(folder)))
    if weights := list(_weights(folder)):
        console.print("\n[bold]weights[/] (* those that are used)")
        _print_rows(console, weights)
    options = _flat(description["info"])
    if all:
        console.print("\n[bold]how it was made[/]")
        _print_rows(console, options)
        console.print()
        console.print(_parts(description["parts"]))
        return
    usual = dict(_flat({"options": to_mapping(TrainOptions())}))
    unusual = [(k, v) for k, v in options if k in usual and usual[k] != v]
    if unusual:
        console.print("\n[bold]options[/] that are not the usual ones")
        _print_rows(console, [(key.removeprefix("options."), value) for key, value in unusual])
    console.note(f"Every option and file: calque info --all {given}")


def _print_rows(console: Console, rows: list[tuple[str, Any]]) -> None:
    width = max((len(key) for key, _ in rows), default=0)
    for key, value in rows:
        console.print(escape(f"  {key:<{width}}  {_plain(value)}"))


def _summary(folder: ModelFolder) -> Iterator[tuple[str, str]]:
    """What one wants to know first, as far as the folder tells."""
    facts = folder.manifest.info
    options = _section(facts, "options")
    text = _section(options, "text")
    languages = [str(text.get(f"{side}_language") or "") for side in ("source", "target")]
    if all(languages):
        yield "languages", " to ".join(languages)
    if text:
        kind = "plain, tokenised on the way" if text.get("tokenize") else "words between spaces"
        yield "text", f"{kind}; case: {text.get('casing')}"
    time = datetime.fromtimestamp((folder.path / FILE_NAME).stat().st_mtime)
    yield "last written", f"{time:%Y-%m-%d %H:%M}"
    if "made_by" in facts:
        yield "made by", str(facts["made_by"])
    data = _section(facts, "data")
    if data:
        pairs, *words = (
            _number(data.get(key)) for key in ("pairs", "source_words", "target_words")
        )
        yield "learned from", f"{pairs} sentence pairs, {words[0]} and {words[1]} words"
    files = _section(data, "files")
    if files:
        yield "files", ", ".join(str(_section(files, key).get("name")) for key in files)
    if "blocks/joint_counts" in folder:
        n_phrases = _length(folder, "blocks/source_counts")
        n_blocks = _length(folder, "blocks/joint_counts")
        what = "rules" if "blocks/prefix_symbols" in folder else "blocks"
        yield what, f"{n_blocks:,} of {n_phrases:,} source phrases"
    tables = list(folder.names("lm/ngrams."))
    if tables:
        n_grams = sum(_length(folder, name) for name in (*tables, "lm/unigrams"))
        yield "language model", f"{n_grams:,} n-grams, up to {len(tables) + 1} words"
    features = _section(options, "features")
    if features:
        kinds = (str(features.get(kind) or "") for kind in ("dense", "sparse"))
        yield "features", " and ".join(filter(None, kinds))
    entries = folder.manifest.entries.values()
    size = sum(entry.bytes for entry in entries)
    yield "size", f"{size / 1e6:,.1f} MB in {len(entries)} files"


def _weights(folder: ModelFolder) -> Iterator[tuple[str, str]]:
    """The weights by name, and where they come from."""
    facts = folder.manifest.info
    for name in weight_names(folder):
        how = _section(facts, f"tuning {name}")
        said = [f"tuned with {how['method']}"] if "method" in how else []
        if "score" in how:
            said.append(f"{how.get('metric')} {_number(how['score'])} in tuning")
        if not said:
            said.append("untuned" if name == DEFAULT else "of unknown origin")
        if f"weights/{name}/keys" in folder:
            said.append(f"{_length(folder, f'weights/{name}/keys'):,} sparse")
        mark = "*" if facts.get("weights") == name else " "
        yield f"{mark} {name}", ", ".join(said)


def _section(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A part of what a manifest says of its model, empty where it says none."""
    section = values.get(key)
    return section if isinstance(section, dict) else {}


def _number(value: Any) -> str:
    """A number as people read it; whatever else a manifest may have in its place."""
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _length(folder: ModelFolder, name: str) -> int:
    return len(folder.array(name))


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


def _parts(parts: dict[str, Any]) -> Table:
    content = Column("content", overflow="fold")
    table = Table("part", "files", "bytes", content, box=None, header_style="bold")
    for name, part in parts.items():
        table.add_row(name, str(part["files"]), f"{part['bytes']:,}", part["content"])
    return table


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

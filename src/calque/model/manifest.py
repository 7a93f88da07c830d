"""The manifest of a model folder: what is in it, how it was made, and a checksum of everything."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from calque.errors import ModelError

FILE_NAME = "manifest.json"
FORMAT = "calque-model"
VERSION = 1
OUR_FILE = re.compile(r".+\.[0-9a-f]{12}\.(npy|txt|json)")
"""What `Entry.file` looks like; nothing else in a folder is ever deleted."""


@dataclass(frozen=True)
class Entry:
    """One file of the folder."""

    file: str
    """Its name on disk, which carries the head of its checksum: other content, other name."""
    bytes: int
    sha256: str
    fast: str = ""
    """Of an array, the checksum that opening compares; older models have none."""


@dataclass(frozen=True)
class Manifest:
    """What a model folder holds. The folder is what its manifest says, whatever else lies there."""

    entries: Mapping[str, Entry] = field(default_factory=dict)
    """Files by logical name (`vocabulary/source`)."""
    info: Mapping[str, Any] = field(default_factory=dict)
    """How the model was made: options, seed, hashes of the data, version of Calque."""

    def with_entry(self, name: str, entry: Entry) -> Manifest:
        """The manifest with one entry more, or replaced."""
        return replace(self, entries={**self.entries, name: entry})

    def without_entry(self, name: str) -> Manifest:
        """The manifest without the entry of this name, if there is one."""
        entries = {other: entry for other, entry in self.entries.items() if other != name}
        return replace(self, entries=entries)

    def to_json(self) -> str:
        """The text of `manifest.json`; its last line is a checksum of the rest."""
        body = {
            "format": FORMAT,
            "version": VERSION,
            "info": dict(self.info),
            "files": {
                name: {key: value for key, value in asdict(entry).items() if value != ""}
                for name, entry in sorted(self.entries.items())
            },
        }
        return (
            json.dumps({**body, "checksum": _checksum(body)}, indent=1, ensure_ascii=False) + "\n"
        )

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """The manifest of a folder; raises `ModelError` where there is none that can be trusted."""
        path = folder / FILE_NAME
        try:
            text = path.read_text(encoding="utf-8")
        except (FileNotFoundError, NotADirectoryError):
            raise ModelError(
                f"{folder}: not a model folder"
                + (f" (no {FILE_NAME} in it)" if folder.is_dir() else f" (no {path})")
            ) from None
        except (OSError, UnicodeDecodeError) as error:
            raise ModelError(f"{path}: cannot be read: {error}") from error
        try:
            body = json.loads(text)
            stated = body.pop("checksum")
            kind, version = body["format"], body["version"]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise ModelError(f"{path}: not a manifest of Calque, or truncated") from error
        if kind != FORMAT:
            raise ModelError(f"{path}: the format is '{kind}', expected '{FORMAT}'")
        if version != VERSION:
            raise ModelError(
                f"{path}: format version {version}, but this Calque reads version {VERSION}"
            )
        try:
            checksum = _checksum(body)
        except UnicodeEncodeError:
            raise ModelError(f"{path}: has one half of a surrogate pair, not text") from None
        if stated != checksum:
            raise ModelError(f"{path}: the checksum does not match: edited or damaged")
        files, info = body.get("files"), body.get("info")
        if not isinstance(files, dict) or not isinstance(info, dict):
            raise ModelError(f"{path}: expected objects 'files' and 'info'")
        return cls({name: _entry(path, name, entry) for name, entry in files.items()}, info)


def _entry(manifest: Path, name: str, values: Any) -> Entry:
    """One file of the folder, and of no other; raises `ModelError` where it is described badly."""
    kinds = {"file": str, "bytes": int, "sha256": str, "fast": str}
    if not isinstance(values, dict) or {**values, "fast": ""}.keys() != kinds.keys():
        raise ModelError(f"{manifest}: '{name}': expected {', '.join(kinds)}")
    for key, value in values.items():
        if type(value) is not kinds[key]:
            raise ModelError(f"{manifest}: '{name}': '{key}' is of another type")
    if "/" in values["file"] or OUR_FILE.fullmatch(values["file"]) is None:
        raise ModelError(
            f"{manifest}: '{name}': '{values['file']}' is not the name of a file of a model"
        )
    return Entry(**values)


def _checksum(body: Mapping[str, Any]) -> str:
    text = json.dumps(body, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()

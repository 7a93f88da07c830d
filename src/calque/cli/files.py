"""No command destroys what it reads: one check of all files that a command line names.

Every option and argument that names files says in its annotation what the verb does with them,
`READS` or `WRITES`; a test asks it of all verbs. The check runs before a verb does anything.
"""

from __future__ import annotations

import functools
import inspect
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from typer.models import OptionInfo, ParameterInfo

from calque.errors import OptionError
from calque.text.files import STANDARD_STREAM


def _given_paths(value: Any) -> Iterable[Path]:
    return [Path(item) for item in (value if isinstance(value, list | tuple) else [value])]


@dataclass(frozen=True)
class FileRole:
    """What a verb does with the files that an option names."""

    writes: bool
    paths: Callable[[Any], Iterable[Path]] = _given_paths
    """The files that a value of the option names."""
    unless: tuple[str, ...] = ()
    """Other options without any of which files that are written are read instead."""

    def is_written(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the files are written under these arguments of the verb."""
        return self.writes and (not self.unless or any(map(arguments.get, self.unless)))


READS = FileRole(writes=False)
WRITES = FileRole(writes=True)


@dataclass(frozen=True)
class _NamedFile:
    """A file with the option that names it."""

    flag: str
    path: Path

    @property
    def is_standard_stream(self) -> bool:
        return self.path == STANDARD_STREAM


def file_roles(verb: Callable[..., Any]) -> dict[str, tuple[str, FileRole]]:
    """The flag and the role of every parameter of a verb that names files."""
    roles = {}
    for name, parameter in inspect.signature(verb, eval_str=True).parameters.items():
        metadata = get_args(parameter.annotation)[1:]
        for role in (item for item in metadata if isinstance(item, FileRole)):
            info = next(item for item in metadata if isinstance(item, ParameterInfo))
            roles[name] = _flag(name, info), role
    return roles


def checked(verb: Callable[..., None]) -> Callable[..., None]:
    """The verb, which now refuses a command line whose files get in each other's way."""
    roles = file_roles(verb)

    @functools.wraps(verb)
    def check_and_run(**arguments: Any) -> None:
        inputs: list[_NamedFile] = []
        outputs: list[_NamedFile] = []
        for name, (flag, role) in roles.items():
            if arguments.get(name) is not None:
                files = outputs if role.is_written(arguments) else inputs
                files += [_NamedFile(flag, path) for path in role.paths(arguments[name])]
        _check(inputs, outputs)
        verb(**arguments)

    return check_and_run


def _check(inputs: list[_NamedFile], outputs: list[_NamedFile]) -> None:
    """Raise where two outputs are one file, or an output is an input or a file of its folder."""
    streams = [file for file in inputs if file.is_standard_stream]
    if len(streams) > 1:
        first, second = (file.flag for file in streams[:2])
        raise OptionError(f"{first} and {second} are both standard input: it can be read only once")
    for at, output in enumerate(outputs):
        for other in outputs[:at]:
            if _are_same(output.path, other.path):
                raise OptionError(
                    f"{other.flag} and {output.flag} are both {output.path}: expected two files"
                )
        for source in inputs:
            if output.is_standard_stream or source.is_standard_stream:
                continue
            if _are_same(output.path, source.path):
                raise OptionError(
                    f"{source.flag} and {output.flag} are both {output.path}: what is read"
                    " there would be overwritten"
                )
            if _is_file_of(output.path, source.path):
                raise OptionError(
                    f"{output.flag} {output.path}: is a file of {source.flag} {source.path}, which"
                    " would be overwritten: expected another file to write"
                )


def _are_same(path: Path, other: Path) -> bool:
    """Whether two names mean one file; pipes and devices may be named as often as one likes."""
    try:
        status = path.stat()
        if not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode)):
            return False
        return path.samefile(other)
    except (OSError, ValueError):  # one of them does not exist (yet)
        return _resolved(path) == _resolved(other)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):  # whoever opens it will say why
        return path


def _is_file_of(path: Path, folder: Path) -> bool:
    """Whether a folder is read for a file: one of its model's, or any where it is no model."""
    try:
        path, folder = _resolved(path), _resolved(folder)
        if not (path.is_file() and folder.is_dir() and path.is_relative_to(folder)):
            return False
    except (OSError, ValueError):
        return False
    from calque.model.manifest import FILE_NAME, OUR_FILE  # here: the room is large

    if not (folder / FILE_NAME).exists():
        return True
    is_ours = path.name == FILE_NAME or OUR_FILE.fullmatch(path.name) is not None
    return path.parent == folder and is_ours


def _flag(name: str, info: ParameterInfo) -> str:
    """What the user calls a parameter."""
    if not isinstance(info, OptionInfo):
        return str(info.metavar or name.upper())
    given = [word for word in info.param_decls or () if word.startswith("--")]
    return given[0] if given else f"--{name.strip('_').replace('_', '-')}"

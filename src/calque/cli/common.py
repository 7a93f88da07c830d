"""Options that several verbs share, and how options dataclasses meet the command line."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from calque.cli.files import READS
from calque.config import (
    LeaveOneOutOptions,
    OptionInfo,
    describe,
    expected,
    from_toml,
    settings,
    with_flag,
)
from calque.config.signature import show
from calque.errors import FileError, OptionError

UNLEARNED = 3
"""The exit code of a tuning that a guard has stopped, or that learned nothing."""

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show results and errors only.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON, for programs.")]
Seed = Annotated[int, typer.Option(min=0, metavar="N", help="Seed of everything that is random.")]
Threads = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="Number of threads or processes (default: all cores). Results do not depend on it.",
    ),
]
Cluster = Annotated[
    str | None,
    typer.Option(
        metavar="WHERE",
        help="Where to work: on a Ray cluster (auto or ray://HOST:PORT), or in processes of this"
        " machine (processes); docs/cluster.md.",
    ),
]
ModelFolderOption = Annotated[Path, typer.Option(metavar="DIR", help="The model folder."), READS]
WeightsName = Annotated[
    str | None, typer.Option(metavar="NAME", help="Weights to use; the active ones by default.")
]
Terminology = Annotated[
    Path | None,
    typer.Option(metavar="F", help="Required translations: source phrase, tab, target phrase."),
    READS,
]
PassThrough = Annotated[
    str | None,
    typer.Option(
        metavar="REGEX",
        help="Regular expression for text that must come out unchanged, such as <[^>]+>",
    ),
]
LeaveOneOut = Annotated[
    str | None,
    typer.Option(
        metavar="WHAT",
        help="For input that is the training text: decode each sentence without its own counts"
        " (counts), or without the blocks that only its pair has (one-count).",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", metavar="F", help="TOML file with options; see docs/options.md."),
    READS,
]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set one option; may be repeated."),
]

Options = TypeVar("Options")
_KEYWORD = inspect.Parameter.KEYWORD_ONLY


def options_from(defaults: Options, config: Path | None, assignments: list[str] | None) -> Options:
    """The defaults, overridden by the TOML file, overridden by `--set` assignments."""
    if config is not None:
        defaults = from_toml(defaults, config)
    return settings(defaults, assignments or ())


class Flags:
    """What the user said on the command line about the options of one dataclass."""

    def __init__(self, given: Iterable[tuple[str, str, str | None]]) -> None:
        """`given` are flags, the keys of their options, and values; `None` where none was given."""
        self._given = [
            (flag, key, value.strip()) for flag, key, value in given if value is not None
        ]

    def __bool__(self) -> bool:
        return bool(self._given)

    def applied_to(self, options: Options) -> Options:
        """The options with what the user said put in and checked."""
        for flag, key, value in self._given:
            options = with_flag(options, flag, key, value)
        return options


def left_out(what: str | None, flags: Flags) -> LeaveOneOutOptions | None:
    """What `--leave-one-out` and the flags that go with it ask for."""
    if what is None:
        if flags:
            raise OptionError(
                "--unseen-log-prob and --unseen-log-prob-per-word require --leave-one-out counts"
            )
        return None
    options = with_flag(LeaveOneOutOptions(), "--leave-one-out", "what", what)
    if flags and options.what != "counts":
        raise OptionError(
            "--unseen-log-prob and --unseen-log-prob-per-word require --leave-one-out counts"
        )
    return flags.applied_to(options)


def with_flags(
    options: type[Any],
    leave_out: Collection[str] = (),
    argument: str = "flags",
    prefix: str = "",
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a verb one flag per option of a dataclass; they reach it as the argument `flags`.

    Options in `leave_out` get none: the verb has a way of its own to ask for them. The names of
    flags begin with `prefix`; those of options in a group, with the name of the group.
    """
    infos = {
        prefix + info.key.replace(".", "_"): info
        for info in describe(options)
        if info.key not in leave_out
    }

    def decorate(verb: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(verb)
        def with_options(**arguments: Any) -> None:
            given = [
                ("--" + name.replace("_", "-"), info.key, arguments.pop(name))
                for name, info in infos.items()
            ]
            verb(**arguments, **{argument: Flags(given)})

        own = inspect.signature(verb, eval_str=True).parameters.values()
        parameters = [parameter for parameter in own if parameter.name != argument]
        parameters += [
            inspect.Parameter(name, _KEYWORD, default=None, annotation=_flag(info))
            for name, info in infos.items()
        ]
        shown = inspect.Signature(parameters)
        with_options.__signature__ = shown  # type: ignore[attr-defined]  # inspect reads it, typeshed has no name for it
        with_options.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_options

    return decorate


def _flag(info: OptionInfo) -> Any:
    return Annotated[str | None, typer.Option(metavar="X", help=_help(info))]


def _help(info: OptionInfo) -> str:
    meaning = info.help[:1].upper() + info.help[1:]
    return f"{meaning} ({expected(info)}; {show(info.default)} by default)."


def check_output(path: Path) -> None:
    """Raise the error that writing a file would end in: before the work, not after it."""
    if path.is_dir():
        raise FileError(path, "is a directory, expected a file to write")
    if not path.parent.is_dir():
        raise FileError(path, f"cannot be written: there is no folder {path.parent}")


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(value, indent=1, ensure_ascii=False))

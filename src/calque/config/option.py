"""How an options dataclass declares a field: default, help, bounds, choices.

    @dataclass(frozen=True)
    class LmOptions:
        order: int = option(5, "longest n-gram", least=1, most=7)

The annotation is the type (`int`, `float`, `bool`, `str`, `X | None`, `Literal[...]`, or another
options dataclass for a group, which is a plain field); everything a user can get wrong is checked
from these two alone.
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterator
from typing import Any


def option(
    default: Any,
    help: str,
    *,
    least: float | None = None,
    most: float | None = None,
    was: str | None = None,
) -> Any:
    """A field of an options dataclass, with what its help says and the range it must lie in.

    `was` is the name that it had in earlier versions.
    """
    metadata = {"help": help, "least": least, "most": most, "was": was}
    return dataclasses.field(default=default, metadata=metadata)


@dataclasses.dataclass(frozen=True)
class OptionInfo:
    """One option as the help, the documentation and the parser see it."""

    key: str
    """Dotted path from the outermost dataclass: `text.max_words`."""
    type: Any
    default: Any
    help: str
    least: float | None
    most: float | None
    was: str | None = None
    """The key that it had in earlier versions."""


def describe(
    options: type[Any], prefix: str = "", former: str | None = None
) -> Iterator[OptionInfo]:
    """Every option of a dataclass in order of declaration, those of nested groups dotted.

    `former` is what the prefix was in earlier versions, where that was something else.
    """
    former = prefix if former is None else former
    hints = typing.get_type_hints(options)
    for field in dataclasses.fields(options):
        hint, key, meta = hints[field.name], prefix + field.name, field.metadata
        was = former + (meta.get("was") or field.name)
        if dataclasses.is_dataclass(hint):
            yield from describe(typing.cast(type[Any], hint), key + ".", was + ".")
        else:
            yield OptionInfo(
                key=key,
                type=hint,
                default=field.default,
                help=meta["help"],
                least=meta["least"],
                most=meta["most"],
                was=None if was == key else was,
            )

"""Options of a dataclass in the signatures and docstrings of what takes them by name.

A function that passes `**options` on to `fill` would show nothing of them in `help()` or in an
editor; these give it the names, defaults and meanings that the dataclass has.
"""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Callable
from typing import Any, TypeVar

from calque.config.fill import expected
from calque.config.option import describe

WIDTH = 96
Function = TypeVar("Function", bound=Callable[..., Any])


def takes_options(options: type[Any], *, meanings: bool = True) -> Callable[[Function], Function]:
    """A decorator for a function whose `**options` override those of another object.

    They are the fields of a dataclass without groups, shown with `...` for a default. With
    `meanings` the docstring lists them all.
    """

    def decorate(function: Function) -> Function:
        shown = with_options(inspect.signature(function), options, defaults=False)
        function.__signature__ = shown  # type: ignore[attr-defined]  # inspect reads it, typeshed has no name for it
        if meanings:
            function.__doc__ = with_meanings(function.__doc__ or "", options, defaults=False)
        return function

    return decorate


def with_options(
    signature: inspect.Signature, options: type[Any], *, defaults: bool = True
) -> inspect.Signature:
    """The signature with a keyword for each option in place of `**options`."""
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    names = {p.name for p in own}
    added = [
        inspect.Parameter(
            info.key,
            inspect.Parameter.KEYWORD_ONLY,
            default=info.default if defaults else ...,
            annotation=inspect.formatannotation(info.type),
        )
        for info in describe(options)
        if info.key not in names
    ]
    return signature.replace(parameters=[*own, *added])


def with_meanings(text: str, options: type[Any], *, defaults: bool = True) -> str:
    """A docstring with a list of the options: what each means, takes and is by default."""
    lines = [inspect.cleandoc(text), "", "Options:"]
    for info in describe(options):
        default = f"; {show(info.default)} by default" if defaults else ""
        meaning = f"{info.key}: {info.help} ({expected(info)}{default})"
        lines += textwrap.wrap(
            meaning, WIDTH, initial_indent="    ", subsequent_indent=" " * 8, break_on_hyphens=False
        )
    return "\n".join(lines)


def show(value: Any) -> str:
    """A value as a user types it on the command line: `true`, `none`, `0.001`, `""`."""
    if isinstance(value, bool):
        return str(value).lower()
    return "none" if value is None else str(value) or '""'

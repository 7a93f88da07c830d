"""Options from TOML files, `key=value` settings and Python mappings, with errors that help."""

from __future__ import annotations

import dataclasses
import math
import tomllib
import types
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from calque.config.option import OptionInfo, describe
from calque.errors import FileError, OptionError, nearest

Value: TypeAlias = "bool | int | float | str | None"
Options = TypeVar("Options")
MOST = 2**31 - 1
"""The largest number or size of something that an option takes, whatever its own limit."""
LONGEST_SHOWN = 60
"""Characters of a value in an error."""


def fill(
    base: Options, values: Mapping[str, Any], where: str = "options", *, stored: bool = False
) -> Options:
    """A copy of `base` with `values` (dotted keys or nested mappings) put in and checked.

    Raises `OptionError` naming `where`, the key, and the nearest valid key or the expected value.
    Values that were `stored` by an earlier version may have the names of that version.
    """
    if not isinstance(values, Mapping):
        raise OptionError(f"{where}: {_show(values)}: expected options by name")
    infos = {info.key: info for info in describe(type(base))}
    try:
        pairs = list(_flatten(values))
    except RecursionError:
        raise OptionError(f"{where}: groups inside groups without end") from None
    names = {info.was: info.key for info in infos.values() if info.was is not None}
    for key, value in pairs:
        if key in names and key not in infos:
            if not stored:
                raise OptionError(f"{where}: '{key}' is now called '{names[key]}'")
            key = names[key]
        if key not in infos:
            raise OptionError(f"{where}: unknown key '{_cut(key)}'{_nearest(key, infos)}")
        base = _replace(base, key.split("."), check(infos[key], value, f"{where}: {key}="))
    return base


def from_toml(base: Options, path: Path | str) -> Options:
    """A copy of `base` with the values of a TOML file; tables are groups."""
    try:
        with Path(path).open("rb") as file:
            values = tomllib.load(file)
    except OSError as error:
        raise FileError(path, error.strerror or str(error)) from error
    except ValueError as error:  # also of a number with thousands of digits
        raise FileError(path, f"not TOML: {error}") from error
    except RecursionError:
        raise FileError(path, "not TOML for options: nested without end") from None
    return fill(base, values, str(path))


def settings(base: Options, assignments: Iterable[str], where: str = "--set") -> Options:
    """A copy of `base` with `key=value` assignments; `where` they were given is told in errors."""
    infos = {info.key: info for info in describe(type(base))}
    for assignment in assignments:
        key, equals, text = (part.strip() for part in assignment.partition("="))
        if not equals:
            raise OptionError(f"{where} {assignment}: expected key=value")
        value = parse_value(infos[key].type, text) if key in infos else text
        base = fill(base, {key: value}, where)
    return base


def with_flag(base: Options, flag: str, key: str, text: str) -> Options:
    """A copy of `base` with what a flag of the command line says; an error names the flag."""
    info = next(info for info in describe(type(base)) if info.key == key)
    value = check(info, parse_value(info.type, text), f"{flag} ")
    replaced: Options = _replace(base, key.split("."), value)
    return replaced


def renamed(options: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """Stored options of a dataclass without groups, under the names that they have today."""
    names = {info.was: info.key for info in describe(options)}
    return {names.get(key, key): value for key, value in values.items()}


def to_mapping(options: Any) -> dict[str, Any]:
    """The options as nested plain values, ready for JSON or TOML and accepted by `fill`."""
    return dataclasses.asdict(options)


def check(info: OptionInfo, value: Any, given_as: str) -> Value:
    """`value` as the option's type, or an `OptionError` that says what was expected.

    The error begins with `given_as` and the value: `--order 9`, `--set: order=9`.
    """
    for alternative in _alternatives(info.type):
        matched, converted = _convert(alternative, value)
        if matched:
            _check_range(info, converted, given_as)
            return converted
    raise OptionError(f"{given_as}{_show(value)}: expected {expected(info)}")


def expected(info: OptionInfo) -> str:
    """What an option takes, in words: `a whole number from 1 to 6`."""
    words = [_expected_type(alternative) for alternative in _alternatives(info.type)]
    least, most = (None if x is None else f"{x:,.12g}" for x in (info.least, info.most))
    if least is not None and most is not None:
        words[0] += f" from {least} to {most}"
    elif least is not None:
        words[0] += f" of at least {least}"
    elif most is not None:
        words[0] += f" of at most {most}"
    return " or ".join(words)


def _flatten(values: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value


def _nearest(key: str, valid: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or the list of keys where none is near."""
    valid = list(valid)
    # A key given without its group: `order` for `lm.order`.
    ends = (full for full in valid if full.rpartition(".")[2] == key)
    near = nearest(key, valid, 0.5) or next(ends, None)
    return f"; did you mean '{near}'?" if near else f"; valid keys: {', '.join(valid)}"


def _replace(options: Any, path: list[str], value: Value) -> Any:
    if len(path) > 1:
        return dataclasses.replace(
            options, **{path[0]: _replace(getattr(options, path[0]), path[1:], value)}
        )
    return dataclasses.replace(options, **{path[0]: value})


def _alternatives(hint: Any) -> tuple[Any, ...]:
    """The members of a union with `None` last, or the type alone."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        members = typing.get_args(hint)
        return tuple(sorted(members, key=lambda member: member is types.NoneType))
    return (hint,)


def _convert(hint: Any, value: Any) -> tuple[bool, Value]:
    """Whether `value` is of type `hint`, and the value as that type."""
    if hint is types.NoneType:
        return value is None, None
    if typing.get_origin(hint) is typing.Literal:
        return value in typing.get_args(hint), typing.cast(Value, value)
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        try:
            return True, float(value)
        except OverflowError:
            return False, None
    if hint is int and isinstance(value, bool):
        return False, None
    return isinstance(value, hint), typing.cast(Value, value)


def parse_value(hint: Any, text: str) -> Any:
    """The value that `text` spells for this type; `text` itself where it spells none."""
    for alternative in _alternatives(hint):
        if alternative is bool and text.lower() in ("true", "false", "yes", "no", "on", "off"):
            return text.lower() in ("true", "yes", "on")
        if alternative in (int, float):
            try:
                return alternative(text)
            except ValueError:
                continue
        if typing.get_origin(alternative) is typing.Literal:
            for choice in typing.get_args(alternative):
                if str(choice) == text:
                    return choice
        if alternative is types.NoneType and text.lower() in ("none", ""):
            return None
    return text


def _check_range(info: OptionInfo, value: Value, given_as: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return
    low = info.least is not None and value < info.least
    high = info.most is not None and value > info.most
    if low or high or (isinstance(value, float) and math.isnan(value)):
        raise OptionError(f"{given_as}{_show(value)}: expected {expected(info)}")
    if isinstance(value, int) and info.least is not None and value > MOST:
        raise OptionError(f"{given_as}{_show(value)}: expected at most {MOST:,}")


def _expected_type(hint: Any) -> str:
    if typing.get_origin(hint) is typing.Literal:
        return "one of " + ", ".join(str(choice) for choice in typing.get_args(hint))
    names = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
    return "none" if hint is types.NoneType else names[hint]


def _show(value: Any) -> str:
    try:
        return _cut(value if isinstance(value, str) else repr(value))
    except (ValueError, RecursionError):  # a number of thousands of digits, lists without end
        return "a value of many digits or parts"


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + ".."

"""Writes docs/api.md from the signatures and docstrings of `import calque`; run by `make docs`."""

from __future__ import annotations

import ast
import dataclasses
import functools
import inspect
import textwrap
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import calque
from calque.config import describe
from calque.config.signature import show
from calque.tune import Trainer
from calque.tune.registry import class_name, method_names

PAGE = Path(__file__).with_name("api.md")
GROUPS = {
    "Models and translation": [
        "train",
        "load",
        "Translator",
        "Translation",
        "Consensus",
        "Explanation",
        "TranslationGraph",
        "LeaveOneOutOptions",
        "Weights",
    ],
    "N-best lists": ["NBest", "Candidate", "read_nbest", "write_nbest"],
    "Tuning": ["DecoderTask", "NBestTask", "CondensedTask", "Result"],
    "Trainers": [class_name(method) for method in method_names()],
    "Scores": ["score", "Score", "make_metric"],
    "Progress, warnings and errors": ["Progress", "ProgressLines", "CalqueWarning", "CalqueError"],
}
HEAD = """# Python API

Everything that `import calque` offers. [python.md](python.md) shows how it is used;
[options.md](options.md) has the `options` that `train` and the methods of `Translator` take.

`Text` is the name of a file with a sentence on every line, or the sentences themselves: a list, an
array of numpy, any column of strings.

This page is made by `make docs` from the code.
"""
WIDTH = 96
INTERNAL = ("confident", "grid", "panels", "read_off", "ways_of_groups")
"""Methods that other rooms of the package call, not users."""


def to_markdown() -> str:
    """The whole page."""
    lines = [HEAD]
    for heading, names in GROUPS.items():
        lines.append(f"## {heading}\n")
        if heading == "Trainers":
            lines.append(_trainers())
        for name in names:
            lines += _entry(name, getattr(calque, name))
    return "\n".join(lines).rstrip() + "\n"


def _trainers() -> str:
    fit = "\n".join(_callable("fit", Trainer.fit, "####"))
    return (
        "Every method of `calque tune --method` is a class. Hyper-parameters are given by name when"
        " it is made;\n`fit` learns weights on a task and returns a `Result`.\n\n" + fit
    )


def _entry(name: str, value: Any) -> Iterator[str]:
    if not inspect.isclass(value):
        yield from _callable(name, value, "###")
        return
    yield f"### `{name}`\n"
    options = value.Options if issubclass(value, Trainer) else None
    has_signature = not issubclass(value, BaseException) and not inspect.isabstract(value)
    if has_signature and name not in ("Progress", "Translation", "Result", "Score"):
        yield _code(name, inspect.signature(value))
    yield _prose(value)
    if options is None and "__init__" in vars(value) and not dataclasses.is_dataclass(value):
        yield _prose(value.__init__)
    if options is not None:
        yield from _options(options)
        return
    if rows := list(_attributes(value)):
        yield "| attribute | meaning |\n|---|---|"
        yield "\n".join(f"| `{attribute}` | {_cell(text)} |" for attribute, text in rows) + "\n"
    for member, function in _methods(value):
        yield from _callable(member, function, "####")


def _callable(name: str, function: Any, heading: str) -> Iterator[str]:
    yield f"{heading} `{name}`\n"
    yield _code(name, inspect.signature(function))
    yield _prose(function)


def _options(options: type[Any]) -> Iterator[str]:
    yield "| option | default | meaning |\n|---|---|---|"
    rows = (f"| `{i.key}` | `{show(i.default)}` | {_cell(i.help)} |" for i in describe(options))
    yield "\n".join(rows) + "\n"


def _attributes(value: type[Any]) -> Iterator[tuple[str, str]]:
    """Fields and properties with the first sentence of what is said of them."""
    for owner in reversed([c for c in value.__mro__ if c.__module__.startswith("calque")]):
        for name, text in _fields(owner):
            yield name, text
        for name, member in vars(owner).items():
            is_property = isinstance(member, property | functools.cached_property)
            if is_property and not name.startswith("_"):
                yield name, inspect.getdoc(member) or ""


def _fields(owner: type[Any]) -> Iterator[tuple[str, str]]:
    """The annotated fields of a class, each with the string that stands below it."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(owner))).body[0]
    assert isinstance(tree, ast.ClassDef)
    for statement, following in zip(tree.body, [*tree.body[1:], None], strict=True):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name, text = statement.target.id, ""
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            text = inspect.cleandoc(str(following.value.value))
        elif isinstance(statement.value, ast.Call) and len(statement.value.args) > 1:
            text = str(ast.literal_eval(statement.value.args[1]))  # option(default, help)
        if not name.startswith("_"):
            yield name, text


def _methods(value: type[Any]) -> Iterator[tuple[str, Any]]:
    """Public methods, each once: what a class makes anew or inherits, its base classes first."""
    shown: set[str] = set()
    for owner in reversed([c for c in value.__mro__ if c.__module__.startswith("calque")]):
        for name, member in vars(owner).items():
            is_function = isinstance(member, FunctionType | classmethod | staticmethod)
            is_new = not name.startswith("_") and name not in INTERNAL and name not in shown
            if is_function and is_new:
                shown.add(name)
                yield name, getattr(value, name)


def _code(name: str, signature: inspect.Signature) -> str:
    """A signature as a block of code, an argument per line where it is long."""
    arguments: list[str] = []
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    if any(p.default is Ellipsis for p in parameters):  # options of a dataclass: options.md
        rest = inspect.Parameter("options", inspect.Parameter.VAR_KEYWORD)
        parameters = [*(p for p in parameters if p.default is not Ellipsis), rest]
    is_keyword = False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not is_keyword:
            arguments.append("*")
            is_keyword = True
        arguments.append(_argument(parameter))
    returns = signature.return_annotation
    end = "" if returns is signature.empty or returns in ("None", None) else f" -> {returns}"
    line = f"{name}({', '.join(arguments)}){end}"
    if len(line) > WIDTH:
        line = f"{name}(\n" + "".join(f"    {argument},\n" for argument in arguments) + f"){end}"
    return f"```python\n{line}\n```\n"


def _argument(parameter: inspect.Parameter) -> str:
    text = parameter.name
    if parameter.kind is parameter.VAR_KEYWORD:
        text = f"**{text}"
    if parameter.annotation is not parameter.empty:
        text += f": {parameter.annotation}"
    if parameter.default is not parameter.empty:
        text += f" = {_default(parameter.default)}"
    return text


def _default(value: Any) -> str:
    if callable(value) or len(repr(value)) > 40:
        return "..."
    if type(value).__name__ == "Silent":
        return "SILENT"
    return str(repr(value))


def _prose(value: Any) -> str:
    """A docstring without its list of options, which is shown as a table or elsewhere."""
    text = inspect.getdoc(value) or ""
    return text.partition("\n\nOptions:")[0] + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(to_markdown(), encoding="utf-8")

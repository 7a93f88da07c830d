"""The house keeps its shape: imports go only to the left, the core's stub is current."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import calque

PACKAGE = Path(calque.__file__).parent
WAY = [
    *("text", "align", "unseen", "blocks", "lm", "features", "model", "decode", "hyps", "tune"),
    *("report", "experiments"),
]
FOUNDATION = {"errors", "progress", "config", "parallel", "_core"}
MAY_IMPORT = {
    "errors": set[str](),
    "progress": {"errors"},
    "_core": {"errors"},
    "config": {"errors"},
    "parallel": {"errors", "_core"},
    "metrics": FOUNDATION,
    "data": FOUNDATION | {"text"},
    **{room: FOUNDATION | set(WAY[:i]) for i, room in enumerate(WAY)},
}
for room in ("tune", "report", "experiments"):
    MAY_IMPORT[room] = MAY_IMPORT[room] | {"metrics"}
MAY_IMPORT["experiments"] = MAY_IMPORT["experiments"] | {"data"}
AROUND = {"api", "cli", "serve", "__init__", "__main__"}
"""What stands around the way may use all of it."""


def imports(file: Path) -> set[str]:
    """The rooms of calque that a file imports from, wherever in the file it does so."""
    modules: list[str] = []
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            modules += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: imports are absolute"
            if node.module == "calque":
                modules += [f"calque.{alias.name}" for alias in node.names]
            elif node.module:
                modules.append(node.module)
    parts = [module.split(".") for module in modules]
    return {part[1] for part in parts if part[0] == "calque" and len(part) > 1}


def room_of(file: Path) -> str:
    first = file.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda f: f.name)
def test_imports_go_only_to_the_left(file: Path) -> None:
    room = room_of(file)
    if room in AROUND:
        return
    assert room in MAY_IMPORT, f"{room} is a new room: give it a place in this test"
    wrong = imports(file) - MAY_IMPORT[room] - {room}
    assert not wrong, f"{room} may not import {', '.join(sorted(wrong))}"


@pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda f: f.name)
def test_assert_only_tells_the_type_checker_that_a_value_is_there(file: Path) -> None:
    """`python -O` drops asserts, so none may check what a user gives."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Assert):
            assert ast.unparse(node.test).endswith(" is not None"), f"{file}:{node.lineno}"


def test_the_stub_of_the_core_is_current(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    command = [
        sys.executable,
        "-m",
        "nanobind.stubgen",
        "-q",
        "-m",
        "calque._core",
        "-o",
        str(fresh),
    ]
    subprocess.run(command, check=True)
    assert (PACKAGE / "_core.pyi").read_text() == fresh.read_text(), "run `make stubs`"


CORE = PACKAGE.parents[1] / "core"
CORE_WAY = ["text", "align", "blocks", "lm", "classes", "features", "decode", "hyps", "tune"]
MAY_INCLUDE = {
    **{room: set(CORE_WAY[:i]) for i, room in enumerate(CORE_WAY)},
    "metrics": {"text"},
    "bind": {*CORE_WAY, "metrics"},
    "core": set[str](),  # what stands outside the rooms serves them all and knows none
}


@pytest.mark.parametrize(
    "file",
    [file for kind in ("*.h", "*.cc") for file in sorted(CORE.rglob(kind))],
    ids=lambda file: str(file.relative_to(CORE)),
)
def test_includes_go_only_to_the_left(file: Path) -> None:
    inside = file.relative_to(CORE).parts[:-1]
    room = inside[0] if inside else "core"
    assert room in MAY_INCLUDE, f"{room} is a new room of the core: give it a place in this test"
    included = re.findall(r'#include "(?:(\w+)/)?(?:\w+/)*\w+\.h"', file.read_text())
    wrong = set(included) - {""} - MAY_INCLUDE[room] - {room}
    assert not wrong, f"{room} may not include {', '.join(sorted(wrong))}"


@pytest.mark.parametrize("file", sorted((CORE / "decode").rglob("*.*")), ids=lambda file: file.name)
def test_engines_of_the_decoder_do_not_know_each_other(file: Path) -> None:
    if file.is_dir():
        return
    engines = set(re.findall(r'#include "decode/(\w+)/', file.read_text()))
    assert engines <= {file.parent.name}, "what engines share is in core/decode"


def test_what_is_installed_is_imported() -> None:
    """An extra comes with the first module that needs it."""
    project = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text())["project"]
    wanted = {"": project["dependencies"], **project["optional-dependencies"]}
    del wanted["dev"], wanted["docs"]  # programs for those who work on Calque
    source = "\n".join(file.read_text() for file in PACKAGE.rglob("*.py"))
    for extra, requirements in wanted.items():
        for requirement in requirements:
            [name] = re.findall(r"^[\w-]+", requirement)
            pattern = rf"^\s*(import|from) {name.replace('-', '_')}\b"
            assert re.search(pattern, source, re.M), f"[{extra}] {name}: nothing imports it"


def test_options_of_kernels_have_no_defaults() -> None:
    """Defaults stand in `calque.config`, and nowhere a second time."""
    for file in CORE.rglob("*.h"):
        for struct in re.finditer(
            r"struct \w+(Options|Rules) \{\n(.*?)\n\};", file.read_text(), re.S
        ):
            fields = re.sub(r"//.*", "", struct[2]).split("\n\n")[0]  # functions come after them
            assert "=" not in fields, f"{file}: {struct[0].splitlines()[0]}"


def test_kernels_know_nothing_of_python() -> None:
    for file in [*CORE.rglob("*.h"), *CORE.rglob("*.cc")]:
        if file.parent.name != "bind":
            assert "nanobind" not in file.read_text(), f"{file} includes the binding"


def test_a_type_of_the_core_has_its_name_to_itself() -> None:
    """All of them share one namespace: two of one name would break the rule of one definition."""
    seen: dict[str, Path] = {}
    kind = r"(?:enum class|enum|struct|class)(?: alignas\(\d+\))?"
    pattern = rf"^{kind} ([\w:]*\w)[^;(:]*(?::[^:][^;(]*)?\{{"
    for file in sorted(CORE.rglob("*.h")):
        for name in re.findall(pattern, file.read_text(), re.M):
            assert seen.setdefault(name, file) == file, f"{name}: {seen[name]} and {file}"
    assert len(seen) > 100

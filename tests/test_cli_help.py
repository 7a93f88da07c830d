"""The text of `--help`: paragraphs that fill the terminal, examples that a shell understands."""

from __future__ import annotations

import inspect
import itertools
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from conftest import Run, done

from calque.cli.help_text import lay_out
from calque.cli.verbs import VERBS, command_of

SHELL = """
exec 3>&1
: > test.de  # what examples read
calque() { printf '%s\\n' calque "$@" >&3; }
"""


def text_above_the_options(page: str) -> list[str]:
    """The lines between the usage and the first frame, without the margin."""
    lines = [line[1:].rstrip() for line in page.partition("╭")[0].splitlines()]
    usage = next(at for at, line in enumerate(lines) if line.startswith("Usage:"))
    return lines[usage + 2 :]


def as_a_shell_sees_it(commands: list[str], folder: Path) -> list[str]:
    """The words that a shell passes on, one after the other."""
    result = subprocess.run(
        ["bash", "-c", SHELL + "\n".join(commands)],
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
    )
    return result.stdout.split("\n")[:-1]


@pytest.mark.parametrize("width", [60, 80, 130])
def test_examples_can_be_copied_from_the_help_into_a_shell(
    verb: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, width: int
) -> None:
    for name, listed in VERBS.items():
        docstring = inspect.cleandoc(listed.load().__doc__ or "")
        written = [
            " ".join(example.split())
            for example in re.findall(r"\[bold\](calque .*?)\[/\]", docstring, re.DOTALL)
        ]
        page = done(verb(name, "--help", columns=width))
        assert max(map(len, page.splitlines())) <= width
        shown = "\n".join(text_above_the_options(page))
        copied = re.findall(r"^calque (?:.*\\\n)*.*$", shown, re.MULTILINE)
        without_files = [re.sub(r" [<>] \S+", "", command) for command in written]
        expected = [word for command in without_files for word in shlex.split(command)]
        assert as_a_shell_sees_it(copied, tmp_path) == expected, name


def test_paragraphs_fill_the_line_whatever_the_width(verb: Run) -> None:
    for name in VERBS:
        lines = text_above_the_options(done(verb(name, "--help", columns=80)))
        for line, following in itertools.pairwise(lines):
            is_example = line.endswith("\\") or line.startswith(("calque", "  "))
            if line and following and not is_example:
                assert len(line) + 1 + len(following.split()[0]) > 78, (name, line)


def test_what_an_option_takes_has_a_short_name_of_our_own() -> None:
    for name in VERBS:
        for param in command_of(name).params:
            if not getattr(param, "is_flag", False):
                assert param.metavar, (name, param.name)  # else Python's name of the type is shown
                assert len(param.metavar) < 20, (name, param.name)


def test_an_option_stays_with_its_value_and_quoted_words_stay_together() -> None:
    text = "[bold]calque explain --top 100 --model model\n  'ein haus .' < a.txt[/]"
    assert lay_out(text, 25) == (
        "[bold]calque explain \\\n  --top 100 \\\n  --model model \\\n  'ein haus .' < a.txt[/]"
    )

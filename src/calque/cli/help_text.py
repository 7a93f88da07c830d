"""The text above the options of `calque VERB --help`, laid out for the width of the terminal.

Docstrings are wrapped for the reader of the code. At another width paragraphs are filled anew, and
examples are cut with backslashes between two options, so that they can be copied into a shell.
"""

from __future__ import annotations

import re

EXAMPLE = re.compile(r"\[bold\](.*)\[/\]", re.DOTALL)
_WORD = re.compile(r"""(?:"[^"]*"|'[^']*'|[^\s"'])+""")


def lay_out(text: str, width: int) -> str:
    """A docstring whose examples are `[bold]paragraphs[/]`, with no line of them beyond `width`."""
    return "\n\n".join(_paragraph(part.strip(), width) for part in text.split("\n\n"))


def _paragraph(text: str, width: int) -> str:
    example = EXAMPLE.fullmatch(text)
    if example is None:
        return " ".join(text.split())  # what shows it breaks it where the terminal ends
    lines = _in_lines(example[1], width - len(" \\"))
    return "[bold]" + " \\\n  ".join(lines) + "[/]"


def _in_lines(command: str, width: int) -> list[str]:
    """A command cut where an option or a redirection begins; later lines are indented."""
    lines: list[str] = []
    for piece in _pieces(command):
        room = width - (0 if len(lines) < 2 else len("  "))
        if lines and len(lines[-1]) + 1 + len(piece) <= room:
            lines[-1] += " " + piece
        else:
            lines.append(piece)
    return lines


def _pieces(command: str) -> list[str]:
    """What must stay on one line: an option and its value, `< file`, any other word."""
    pieces: list[str] = []
    for word in _WORD.findall(command):
        if pieces and not word.startswith(("-", "<", ">")) and _wants_more(pieces[-1]):
            pieces[-1] += " " + word
        else:
            pieces.append(word)
    return pieces


def _wants_more(piece: str) -> bool:
    return piece in ("<", ">", "calque") or (piece.startswith("-") and " " not in piece)

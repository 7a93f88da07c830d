"""`calque translate` and `calque explain` as a partner in talk: pipes and a real terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from calque.data import CorpusFiles
from calque.decode import Translator, load
from calque.text import read_lines

PATIENCE_S = 120
"""Longer than any answer takes: a test that waits so long has failed."""


@pytest.fixture(scope="module")
def translator(trained: Path) -> Translator:
    return load(trained)


@pytest.fixture(scope="module")
def sentences(corpus: CorpusFiles) -> list[str]:
    return list(read_lines(corpus.test_source))[:5]


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "calque", *(str(argument) for argument in arguments)]


def read_some(descriptor: int) -> str:
    """What can be read by now, after a wait for it; empty at the end."""
    assert select.select([descriptor], [], [], PATIENCE_S)[0], "no answer"
    try:
        return os.read(descriptor, 1 << 16).decode()
    except OSError:  # how a terminal says that the other side left
        return ""


def test_a_program_at_both_ends_gets_an_answer_to_each_line(
    trained: Path, translator: Translator, sentences: list[str]
) -> None:
    with subprocess.Popen(
        command("translate", "--model", trained, "-q"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as talk:
        assert talk.stdin is not None
        assert talk.stdout is not None
        for sentence in sentences:
            talk.stdin.write(f"{sentence}\n".encode())
            talk.stdin.flush()
            answer = ""
            while not answer.endswith("\n"):
                answer += read_some(talk.stdout.fileno())
            assert answer == translator.translate(sentence).text + "\n"
        # Several lines at once, and a last one without its end.
        talk.stdin.write("\n".join(sentences).encode())
        talk.stdin.close()
        answers = talk.stdout.read().decode().splitlines()
    assert answers == [translator.translate(sentence).text for sentence in sentences]
    assert talk.returncode == 0


class Terminal:
    """A command at a terminal of its own, with a person who types."""

    def __init__(self, *arguments: object) -> None:
        self._keys, theirs = pty.openpty()
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
        self._process = subprocess.Popen(
            command(*arguments), stdin=theirs, stdout=theirs, stderr=theirs, env=environment
        )
        os.close(theirs)
        self._unseen = ""

    def type(self, text: str) -> None:
        os.write(self._keys, text.encode())

    def see(self, wanted: str) -> str:
        """What appears up to `wanted`."""
        while wanted not in self._unseen:
            some = read_some(self._keys)
            assert some, self._unseen
            self._unseen = (self._unseen + some).replace("\r\n", "\n")
        seen, found, self._unseen = self._unseen.partition(wanted)
        return seen + found

    def end(self) -> tuple[str, int]:
        """What appears after one Ctrl-D until the command ends, and its code."""
        self.type("\x04")
        said = self._unseen
        while some := read_some(self._keys):
            said += some
        return said.replace("\r\n", "\n"), self._process.wait(PATIENCE_S)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._keys)


@pytest.fixture
def terminal(request: pytest.FixtureRequest, trained: Path) -> Iterator[Terminal]:
    opened = Terminal(request.param, "--model", trained)
    yield opened
    opened.close()


@pytest.mark.parametrize("terminal", ["translate"], indirect=True)
def test_a_terminal_shows_a_prompt_and_each_answer_and_takes_one_ctrl_d(
    terminal: Terminal, translator: Translator, sentences: list[str]
) -> None:
    assert terminal.see("> ") == "> "
    for sentence in sentences:
        terminal.type(f"{sentence}\n")
        seen = terminal.see("\n> ")
        # The typing, the answer, the next prompt, and no bar over any of them.
        assert seen == f"{sentence}\n{translator.translate(sentence).text}\n> "
    assert terminal.end() == ("\n", 0)


@pytest.mark.parametrize("terminal", ["translate", "explain"], indirect=True)
def test_a_terminal_may_be_left_at_once(terminal: Terminal) -> None:
    terminal.see("> ")
    assert terminal.end() == ("\n", 0)


@pytest.mark.parametrize("terminal", ["explain"], indirect=True)
def test_a_sentence_is_explained_when_it_is_typed(
    terminal: Terminal, translator: Translator, sentences: list[str]
) -> None:
    terminal.see("> ")
    terminal.type(f"\n{sentences[0]}\n")  # an empty line asks for nothing
    seen = terminal.see("total")
    assert translator.translate(sentences[0]).text in seen
    terminal.see("> ")
    assert terminal.end() == ("\n", 0)
